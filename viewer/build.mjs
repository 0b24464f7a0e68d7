// Puts the page together: one HTML file with the library, the program around it and the samples inside.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const made = join(here, "../target/viewer");
const glue = join(made, "glue");

/** The sections that a browser reads; names and the like are for people. */
function stripped(wasm) {
  const kept = [wasm.subarray(0, 8)];
  for (let at = 8; at < wasm.length; ) {
    let [size, shift, start] = [0, 0, at + 1];
    for (let byte = 0x80; byte & 0x80; shift += 7) {
      byte = wasm[start++];
      size += (byte & 0x7f) * 2 ** shift;
    }
    if (wasm[at] !== 0) kept.push(wasm.subarray(at, start + size));
    at = start + size;
  }
  return Buffer.concat(kept);
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
// wasm-opt makes it smaller by a tenth, and what is deflated larger: it does not pay.
const wasm = stripped(readFileSync(join(glue, "menagerie_wasm_bg.wasm")));
const inside = packed(wasm);
const main = await esbuild.build({
  ...common,
  entryPoints: [join(here, "src/main.ts")],
  format: "iife",
  define: { WASM: JSON.stringify(inside), WORKER: JSON.stringify(worker.outputFiles[0].text), SAMPLES: JSON.stringify(samples()) },
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
// What the program has inside: base64 packs to three quarters.
writeFileSync(join(made, "menagerie.html.deflate"), deflateRawSync(page, { level: 9 }));
const megabytes = (bytes) => (bytes / 1e6).toFixed(2);
console.log(`page ${megabytes(page.length)} MB: library ${megabytes(wasm.length)} MB, packed ${megabytes(inside.length)}; program ${megabytes(script.length - inside.length)}`);
