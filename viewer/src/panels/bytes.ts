/** The bytes of the file, coloured by what they are, and a strip that shows all of it at once. */

import { h } from "../dom";
import type { Doc } from "../doc";
import { color } from "../regions";
import type { Selection } from "../selection";
import { VirtualList } from "../virtual";

const ROW = 20;

interface Field {
  start: number;
  end: number;
  region: string;
  path: string;
}

export class Bytes {
  readonly element: HTMLElement;
  #list: VirtualList;
  #perRow = 16;
  #inside = false;
  #decoded: Uint8Array | null = null;
  #fields: Field[] = [];
  #asked = "";
  #strip = h("canvas.strip", { "aria-hidden": "true" });
  #about = h("div.about", { "aria-live": "polite" });
  #space = h("div.segments");

  constructor(readonly doc: Doc) {
    this.#list = new VirtualList(ROW, (first, end) => this.#rows(first, end), { role: "grid", "aria-label": "Bytes of the file" });
    this.#list.element.classList.add("hex");
    this.#list.element.addEventListener("click", (event) => this.#click(event));
    this.#list.element.addEventListener("keydown", (event) => this.#key(event));
    this.#strip.addEventListener("pointerdown", (event) => this.#jump(event));
    this.#strip.addEventListener("pointermove", (event) => event.buttons && this.#jump(event));
    this.element = h("div.bytes", h("div.stripbox", this.#strip), h("div.hexbox", h("div.hexhead", this.#about, this.#space), this.#list.element));
    new ResizeObserver(() => this.#layout()).observe(this.element);
    doc.selected.on((selection) => this.#follow(selection));
    this.#list.count = Math.ceil(this.bytes.length / this.#perRow);
    this.#say(null);
    void this.#look();
  }

  get bytes(): Uint8Array {
    return this.#inside ? (this.#decoded ?? new Uint8Array()) : this.doc.bytes;
  }

  async #look(): Promise<void> {
    const decoded = await this.doc.engine.decoded().catch(() => new Uint8Array());
    if (decoded.length) {
      this.#decoded = decoded;
      const button = (name: string, inside: boolean) => h("button", { "aria-pressed": String(this.#inside === inside), onclick: () => this.#enter(inside) }, name);
      const draw = (): void => this.#space.replaceChildren(button("file", false), button("unpacked", true));
      this.#redraw = draw;
      draw();
    }
    void this.#drawStrip();
  }
  #redraw: () => void = () => undefined;

  #enter(inside: boolean): void {
    this.#inside = inside;
    this.#asked = "";
    this.#fields = [];
    this.#list.count = Math.ceil(this.bytes.length / this.#perRow);
    this.#list.scrollTo(0);
    this.#redraw();
    void this.#drawStrip();
  }

  #layout(): void {
    const wide = this.#list.element.clientWidth;
    const perRow = wide > 1250 ? 32 : wide > 560 ? 16 : 8;
    if (perRow !== this.#perRow) {
      const at = this.#list.first * this.#perRow;
      this.#perRow = perRow;
      this.#list.count = Math.ceil(this.bytes.length / perRow);
      this.#list.scrollTo(Math.floor(at / perRow));
    }
    void this.#drawStrip();
  }

  /** Asks what the bytes of a window are; the rows are drawn again when the answer is there. */
  #ask(start: number, end: number): void {
    const key = `${start}-${end}-${this.#inside}`;
    if (this.#asked === key) return;
    this.#asked = key;
    void this.doc.engine.fields(start, end, this.#inside).then((fields) => {
      if (this.#asked !== key) return;
      this.#fields = fields.map(([from, to, region, path]) => ({ start: from, end: to, region, path }));
      this.#list.schedule();
    });
  }

  #rows(first: number, end: number): HTMLElement[] {
    const { bytes } = this;
    this.#ask(first * this.#perRow, Math.min(bytes.length, end * this.#perRow));
    const chosen = this.doc.selected.now;
    const isChosen = (at: number): boolean => !!chosen && chosen.inside === this.#inside && at >= chosen.start && at < chosen.end;
    let field = 0;
    const rows: HTMLElement[] = [];
    for (let row = first; row < end; row++) {
      const from = row * this.#perRow;
      const cells = h("span.cells");
      const text = h("span.text");
      for (let at = from; at < Math.min(from + this.#perRow, bytes.length); at++) {
        while (field < this.#fields.length && this.#fields[field].end <= at) field++;
        const of = this.#fields[field]?.start <= at ? this.#fields[field] : null;
        const style = of ? `--c:${color(of.region)}` : "";
        const edge = of && of.start === at ? " first" : "";
        const mark = isChosen(at) ? " chosen" : "";
        const byte = bytes[at];
        cells.append(h("i", { className: `${at % 8 === 0 && at !== from ? "gap" : ""}${edge}${mark}${byte === 0 ? " zero" : ""}`, style, "data-at": at }, byte.toString(16).padStart(2, "0")));
        text.append(h("i", { className: mark, style, "data-at": at }, byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·"));
      }
      rows.push(h("div.hexrow", { role: "row" }, h("span.address", from.toString(16).padStart(8, "0")), cells, text));
    }
    return rows;
  }

  #click(event: MouseEvent): void {
    const at = (event.target as HTMLElement).dataset?.at;
    if (at !== undefined) void this.choose(Number(at));
  }

  /** Selects the field that has a byte. */
  async choose(at: number): Promise<void> {
    const part = await this.doc.engine.partAt(at, this.#inside);
    const selection = part ?? { start: at, end: at + 1, path: "" };
    this.doc.selected.set({ start: selection.start, end: selection.end, inside: this.#inside, path: selection.path, by: "bytes" });
  }

  #key(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.#perRow, ArrowDown: this.#perRow };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    const now = this.doc.selected.now;
    const from = now ? (steps[event.key] > 0 && event.key === "ArrowRight" ? now.end - 1 : now.start) : 0;
    void this.choose(Math.max(0, Math.min(this.bytes.length - 1, from + steps[event.key])));
  }

  #follow(selection: Selection | null): void {
    if (selection && selection.inside !== this.#inside && (!selection.inside || this.#decoded)) this.#enter(selection.inside);
    if (selection && selection.by !== "bytes") this.#list.reveal(Math.floor(selection.start / this.#perRow));
    else if (selection) this.#list.reveal(Math.floor(selection.start / this.#perRow));
    this.#list.schedule();
    this.#say(selection);
    void this.#drawStrip();
  }

  #say(selection: Selection | null): void {
    if (!selection) {
      this.#about.replaceChildren(h("span.quiet", "Select a byte, a part or a triangle"));
      return;
    }
    const where = `${selection.start.toString(16).padStart(4, "0")}–${(selection.end - 1).toString(16).padStart(4, "0")}`;
    this.#about.replaceChildren(h("b", selection.path || "bytes"), h("span.quiet", ` ${where} · ${selection.end - selection.start} B`), h("span.value"));
    void this.doc.engine.partAt(selection.start, selection.inside).then((part) => {
      if (this.doc.selected.now !== selection || !part) return;
      const whole = part.start === selection.start && part.end === selection.end;
      const value = whole && part.value !== undefined ? ` ${part.type ?? ""} ${part.value}` : "";
      this.#about.replaceChildren(h("b", selection.path || part.path), h("span.quiet", ` ${where} · ${selection.end - selection.start} B`), h("span.value", value));
    });
  }

  async #drawStrip(): Promise<void> {
    const box = this.#strip.parentElement!;
    const { clientWidth: width, clientHeight: height } = box;
    if (!width || !height) return;
    const key = `${height}-${this.#inside}`;
    if (this.#pieces.key !== key) this.#pieces = { key, list: await this.doc.engine.strip(Math.min(height, 1000), this.#inside) };
    this.#strip.width = width;
    this.#strip.height = height;
    const pen = this.#strip.getContext("2d")!;
    const { list } = this.#pieces;
    list.forEach((region, i) => {
      pen.fillStyle = region ? color(region, 0.75) : "#0000";
      pen.fillRect(0, (i / list.length) * height, width, height / list.length + 1);
    });
    const place = (at: number): number => (at / Math.max(1, this.bytes.length)) * height;
    const chosen = this.doc.selected.now;
    if (chosen && chosen.inside === this.#inside) {
      pen.fillStyle = "#ff8a3d";
      pen.fillRect(0, place(chosen.start) - 1, width, Math.max(3, place(chosen.end - chosen.start)));
    }
  }
  #pieces: { key: string; list: string[] } = { key: "", list: [] };

  #jump(event: PointerEvent): void {
    const box = this.#strip.getBoundingClientRect();
    const part = (event.clientY - box.top) / box.height;
    this.#list.scrollTo(Math.floor((part * this.bytes.length) / this.#perRow - this.#list.visible / 2));
  }
}
