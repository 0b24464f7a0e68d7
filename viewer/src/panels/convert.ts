/** To another format: options, what it would cost, the file, and both beside each other. */

import { h, icon, plural, save, size } from "../dom";
import type { Doc } from "../doc";
import type { ConvertReport, FormatInfo, Loss } from "../types";
import { explained } from "./issues";

export interface ConvertHost {
  formats: FormatInfo[];
  compare(name: string, bytes: Uint8Array, beside: { path: string; bytes: Uint8Array }[]): Promise<void>;
  endCompare(): void;
}

export class Convert {
  readonly element = h("div.convert");
  #options: Record<string, unknown> = {};
  #form = h("div.options");
  #result = h("div.result", { "aria-live": "polite" });
  #target: HTMLSelectElement;
  #runs = 0;

  constructor(readonly doc: Doc, readonly host: ConvertHost) {
    const choices = host.formats.flatMap((format) => format.extensions.slice(0, format.id === "gltf" ? 2 : 1).map((extension) => ({ format, extension })));
    this.#target = h("select", { "aria-label": "Convert to", onchange: () => this.#changed() },
      choices.map(({ format, extension }) => h("option", { value: extension }, `${extension === "glb" ? "GLB" : extension === "gltf" ? "glTF" : format.name} (.${extension})`)));
    this.#target.value = doc.info.format === "gltf" ? "obj" : "glb";
    this.element.append(h("label.field", h("span", "Convert to"), this.#target), h("details.section", h("summary", "Options"), this.#form), this.#result);
    this.#changed();
  }

  #changed(): void {
    const format = this.host.formats.find((one) => one.extensions.includes(this.#target.value))!;
    this.#options = {};
    const source = this.host.formats.find((one) => one.id === this.doc.info.format);
    const options = [...format.options, ...(source && source !== format ? source.options.filter((option) => option.reading) : [])];
    this.#form.replaceChildren(
      this.#select("for", "write for", ["", "engine", "document"], "the format's engine, the plain form of its document, or both"),
      this.#number("scale", "scale", "multiplies all lengths"),
      this.#number("fps", "frames a second", "for formats that store frames without a rate"),
      this.#flag("flip-v", "flip v", "turns texture coordinates upside down"),
      this.#flag("rebuild", "rebuild", "goes through the common model even to the same format"),
      this.#select("hidden", "hidden parts", ["", "drop", "show"], "in a format that hides nothing"),
      this.#select("missing-textures", "missing pictures", ["", "name", "placeholder", "reference"], "what becomes of pictures that are not there"),
      ...options.map((option) => (option.values.length ? this.#select(option.name, option.name, ["", ...option.values], option.help) : this.#number(option.name, option.name, option.help, true))),
    );
    void this.run();
  }

  #set(name: string, value: unknown): void {
    if (value === "" || value === undefined || value === false || Number.isNaN(value)) delete this.#options[name];
    else this.#options[name] = value;
    void this.run();
  }
  #field(label: string, help: string, input: HTMLElement): HTMLElement {
    return h("label.field", { title: help }, h("span", label), input);
  }
  #select(name: string, label: string, values: string[], help: string): HTMLElement {
    return this.#field(label, help, h("select", { onchange: (event: Event) => this.#set(name, (event.target as HTMLSelectElement).value) }, values.map((value) => h("option", { value }, value || "default"))));
  }
  #number(name: string, label: string, help: string, asText = false): HTMLElement {
    const changed = (event: Event): void => {
      const { value } = event.target as HTMLInputElement;
      this.#set(name, asText ? value : value === "" ? "" : Number(value));
    };
    return this.#field(label, help, h("input", { type: "number", step: "any", min: 0, placeholder: "default", onchange: changed }));
  }
  #flag(name: string, label: string, help: string): HTMLElement {
    return this.#field(label, help, h("input", { type: "checkbox", onchange: (event: Event) => this.#set(name, (event.target as HTMLInputElement).checked) }));
  }

  async run(): Promise<void> {
    const run = ++this.#runs;
    this.host.endCompare();
    this.#result.replaceChildren(h("p.quiet.busy", "Converting…"));
    try {
      const { report, files } = await this.doc.engine.convert(this.#target.value, this.#options);
      if (run === this.#runs) this.#show(report, files);
    } catch (error) {
      if (run === this.#runs) this.#result.replaceChildren(h("div.banner.error", icon("error"), String((error as Error).message)));
    }
  }

  #show(report: ConvertReport, files: Uint8Array<ArrayBuffer>[]): void {
    if (report.error) {
      this.#result.replaceChildren(h("div.banner.error", icon("error"), h("div", h("b", "Cannot be converted. "), report.error)));
      return;
    }
    const losses = report.losses ?? [];
    const real = losses.filter((loss) => loss.kind !== "added");
    const verdict = report.lossless
      ? h("div.banner.good", icon("check"), h("div", h("b", "Nothing is lost."), losses.length ? ` ${plural(losses.length, "thing")} added.` : ""))
      : h("div.banner.warning", icon("warning"), h("div", h("b", `${plural(real.length, "loss", "losses")}. `), "Each is named and measured below."));
    const saves = report.files.map((file, i) => h("button", { className: i === 0 ? "primary" : "", "data-save": file.name, onclick: () => save(file.name, files[i]) }, icon("download"), `${file.name}`, h("span.quiet", size(file.bytes))));
    const beside = files.slice(1).map((bytes, i) => ({ path: report.files[i + 1].name, bytes }));
    const compare = h("button", { onclick: () => void this.host.compare(report.files[0].name, files[0], beside) }, icon("side"), "Side by side");
    const engine = (report.engine ?? []).map((issue) => h("div.loss", h("span.kind", issue.severity), h("span.what", issue.message), h("code", issue.code)));
    this.#result.replaceChildren(
      verdict, h("div.actions", saves, compare), losses.length ? this.#table(losses) : "",
      engine.length ? h("details.section", { open: true }, h("summary", "In the original engine", h("span.count", String(engine.length))), h("div.list", engine)) : "",
    );
  }

  #table(losses: Loss[]): HTMLElement {
    return h("div.losses", losses.map((loss) => lossRow(this.doc, loss)));
  }
}

/** A loss or a difference: what, how much, and on a click what it means. */
export function lossRow(doc: Doc, loss: Loss): HTMLElement {
  const number = (x: number): string => (x === 0 ? "0" : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5 ? x.toExponential(2) : x.toPrecision(4));
  const error = loss.max_error === null ? "" : `max ${number(loss.max_error)}, mean ${number(loss.mean_error ?? 0)} ${loss.unit ?? ""}`;
  const more = h("div.more");
  const row = h("details.issue", { className: `issue ${loss.kind === "dropped" || loss.kind === "damaged" ? "error" : loss.kind === "added" ? "info" : "warning"}`, "data-code": loss.code },
    h("summary", h("span.kind", loss.kind ?? "differs"), h("span.what", loss.message), h("span.meta", h("code", loss.code), loss.path && h("span.path", loss.path), loss.count > 1 && h("span", `× ${loss.count}`), error && h("b", error))), more);
  row.addEventListener("toggle", () => {
    if (row.open && !more.childElementCount) void doc.engine.explain(loss.code).then((explanation) => more.replaceChildren(...explained(explanation)));
  });
  return row;
}
