// Puts the page together: one HTML file with the library, the program around it and the samples inside.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { execFileSync } from "node:child_process";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const made = join(here, "../target/viewer");
const glue = join(made, "glue");

/** The library as small as it gets; the same input is not shrunk twice. */
function shrunk() {
  const wasm = readFileSync(join(glue, "menagerie_wasm_bg.wasm"));
  if (process.env.MENAGERIE_VIEWER_FAST) return wasm;
  const hash = createHash("sha256").update(wasm).digest("hex").slice(0, 16);
  const place = join(made, `shrunk-${hash}.wasm`);
  try {
    return readFileSync(place);
  } catch {
    const started = Date.now();
    const optimizer = join(here, "node_modules/binaryen/bin/wasm-opt");
    const features = ["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue"];
    execFileSync(process.execPath, [optimizer, join(glue, "menagerie_wasm_bg.wasm"), "-Os", "--strip-debug", "--strip-producers", ...features, "-o", place], { stdio: ["ignore", "inherit", "inherit"] });
    console.log(`wasm-opt: ${(wasm.length / 1e6).toFixed(2)} MB to ${(readFileSync(place).length / 1e6).toFixed(2)} MB in ${((Date.now() - started) / 1000).toFixed(0)} s`);
    return readFileSync(place);
  }
}

const packed = (bytes) => deflateRawSync(bytes, { level: 9 }).toString("base64");

/** Models to try: each folder of samples is one, its name after a number the title. */
function samples() {
  const root = join(here, "samples");
  return readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort().map((name) => ({
    name,
    title: name.replace(/^\d+-/, "").replaceAll("-", " "),
    files: readdirSync(join(root, name)).sort().map((path) => ({ path, data: packed(readFileSync(join(root, name, path))) })),
  }));
}

const common = { bundle: true, minify: true, target: "es2022", write: false, legalComments: "none", alias: { "menagerie-wasm": join(glue, "menagerie_wasm.js") }, logLevel: "warning" };
const worker = await esbuild.build({ ...common, entryPoints: [join(here, "src/worker.ts")], format: "iife" });
const wasm = shrunk();
const library = packed(wasm);
const main = await esbuild.build({
  ...common,
  entryPoints: [join(here, "src/main.ts")],
  format: "iife",
  define: { WASM: JSON.stringify(library), WORKER: JSON.stringify(worker.outputFiles[0].text), SAMPLES: JSON.stringify(samples()) },
});
const style = await esbuild.transform(readFileSync(join(here, "src/style.css"), "utf8"), { loader: "css", minify: true });
// Inside an element the end tag would end it.
const script = main.outputFiles[0].text.replaceAll("</script", "<\\/script");
const hash = createHash("sha256").update(script).digest("base64");
const fill = (page, name, text) => page.replace(`{{${name}}}`, () => text);
let page = readFileSync(join(here, "src/index.html"), "utf8");
page = fill(fill(fill(page, "SCRIPT_HASH", `'sha256-${hash}'`), "STYLE", style.code.trim()), "SCRIPT", script);
mkdirSync(made, { recursive: true });
writeFileSync(join(made, "menagerie.html"), page);
const megabytes = (bytes) => (bytes / 1e6).toFixed(2);
console.log(`page ${megabytes(page.length)} MB: library ${megabytes(wasm.length)} MB, packed ${megabytes(library.length)}; program ${megabytes(script.length - library.length)}`);
