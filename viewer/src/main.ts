import { App } from "./app";
import { Cancelled, prepare } from "./engine";

declare const WASM: string;
declare const WORKER: string;

// What was asked of a file that is closed now is answered to nobody.
addEventListener("unhandledrejection", (event) => event.reason instanceof Cancelled && event.preventDefault());
prepare(WASM, WORKER);
const app = new App(document.getElementById("app")!);
(window as unknown as { menagerie: App }).menagerie = app;
void app.start();
