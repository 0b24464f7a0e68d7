import { App } from "./app";
import { prepare } from "./engine";

declare const WASM: string;
declare const WORKER: string;

prepare(WASM, WORKER);
const app = new App(document.getElementById("app")!);
(window as unknown as { menagerie: App }).menagerie = app;
void app.start();
