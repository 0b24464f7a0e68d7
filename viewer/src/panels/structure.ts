/** The tree of the file: every part with its value and its bytes, fetched as it is opened. */

import { h, icon } from "../dom";
import type { Doc } from "../doc";
import { color } from "../regions";
import type { Selection } from "../selection";
import type { FoundPart, Part } from "../types";
import { VirtualList } from "../virtual";

/** Parts are fetched in pages of this many. */
const PAGE = 256;
const ROW = 22;

/** A part that is open, with those of its parts that are known. */
class Branch {
  readonly pages = new Map<number, Part[] | "coming">();
  readonly open = new Map<number, Branch>();

  constructor(readonly way: number[], readonly count: number) {}

  /** Rows that its parts take, those of open ones included. */
  get rows(): number {
    let rows = this.count;
    for (const branch of this.open.values()) rows += branch.rows;
    return rows;
  }
}

interface Row {
  branch: Branch;
  index: number;
  depth: number;
}

export class Structure {
  readonly element: HTMLElement;
  #list: VirtualList;
  #root = new Branch([], 0);
  #chosen = "";
  #search = h("input", { type: "search", placeholder: "Search names, paths, values…", "aria-label": "Search the structure", spellcheck: false });
  #hits: FoundPart[] | null = null;
  #searches = 0;

  constructor(readonly doc: Doc) {
    this.#list = new VirtualList(ROW, (first, end) => this.#rows(first, end), { role: "tree", "aria-label": "Structure of the file" });
    this.#list.element.addEventListener("keydown", (event) => this.#key(event));
    let timer = 0;
    this.#search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => void this.#find(), 160);
    });
    this.element = h("div.structure", h("div.searchbar", icon("search"), this.#search), this.#list.element);
    doc.selected.on((selection) => void this.#follow(selection));
    void this.#start();
  }

  focusSearch(): void {
    this.#search.focus();
    this.#search.select();
  }

  async #start(): Promise<void> {
    const count = await this.doc.engine.topCount();
    this.#root = new Branch([], count);
    this.#list.count = count;
    // A file of one list opens by itself.
    if (count > 0 && count <= 3) {
      for (const [i, part] of (await this.doc.engine.parts([], 0, count)).entries()) if (part.parts > 0 && part.parts < 60) this.#root.open.set(i, new Branch([i], part.parts));
    }
    this.#list.count = this.#root.rows;
  }

  async #find(): Promise<void> {
    const words = this.#search.value.trim();
    const search = ++this.#searches;
    if (!words) this.#hits = null;
    else {
      const hits = await this.doc.engine.search(words, 500);
      if (search !== this.#searches) return;
      this.#hits = hits;
    }
    this.#list.count = this.#hits ? Math.max(1, this.#hits.length) : this.#root.rows;
    this.#list.scrollTo(0);
  }

  /** The row of a number, by walking past closed parts. */
  #row(number: number, branch = this.#root, depth = 0): Row | null {
    let before = 0;
    let rest = number;
    for (const [index, open] of [...branch.open.entries()].sort((a, b) => a[0] - b[0])) {
      const plain = index - before + 1;
      if (rest < plain) break;
      rest -= plain;
      before = index + 1;
      if (rest < open.rows) return this.#row(rest, open, depth + 1);
      rest -= open.rows;
    }
    const index = before + rest;
    return index < branch.count ? { branch, index, depth } : null;
  }

  #numberOf(way: number[]): number {
    let number = -1;
    let branch: Branch | undefined = this.#root;
    for (const step of way) {
      if (!branch) break;
      number += 1 + step;
      for (const [index, open] of branch.open) if (index < step) number += open.rows;
      branch = branch.open.get(step);
    }
    return number;
  }

  #part({ branch, index }: Row): Part | null {
    const page = Math.floor(index / PAGE);
    const known = branch.pages.get(page);
    if (known === undefined) {
      branch.pages.set(page, "coming");
      void this.doc.engine.parts(branch.way, page * PAGE, PAGE).then((parts) => {
        branch.pages.set(page, parts);
        this.#list.schedule();
      });
    }
    return Array.isArray(known) ? (known[index % PAGE] ?? null) : null;
  }

  #rows(first: number, end: number): HTMLElement[] {
    if (this.#hits) {
      if (this.#hits.length === 0) return [h("div.row.quiet", "Nothing has that name or value.")];
      return this.#hits.slice(first, end).map((hit) => this.#line(hit, hit.way, 0, hit.path, false));
    }
    const rows: HTMLElement[] = [];
    for (let number = first; number < end; number++) {
      const row = this.#row(number);
      if (!row) break;
      const part = this.#part(row);
      const way = [...row.branch.way, row.index];
      rows.push(part ? this.#line(part, way, row.depth, part.name, row.branch.open.has(row.index)) : h("div.row.quiet", { style: `padding-left:${8 + row.depth * 14}px` }, "…"));
    }
    return rows;
  }

  #line(part: Part, way: number[], depth: number, name: string, open: boolean): HTMLElement {
    const chosen = way.join(".") === this.#chosen;
    const twig = part.parts > 0 && !this.#hits ? h("span.twig", { onclick: (event: Event) => { event.stopPropagation(); this.#toggle(way, part); } }, open ? "▾" : "▸") : h("span.twig");
    const row = h(
      "div.row",
      {
        role: "treeitem", "aria-level": depth + 1, "aria-selected": String(chosen), "aria-expanded": part.parts > 0 ? String(open) : undefined,
        style: `padding-left:${6 + depth * 14}px`, title: `bytes ${part.start}–${part.end}${part.inside ? " of what was unpacked" : ""}`,
        onclick: () => this.#choose(part, way), ondblclick: () => part.parts > 0 && this.#toggle(way, part), "data-way": way.join("."),
      },
      twig,
      h("span.swatch", { style: `background:${color(part.region ?? name)}` }),
      h("span.name", name),
      part.type && h("span.type", part.type),
      part.value !== undefined && h("span.value", part.value),
      part.parts > 0 && !part.record && !part.table && h("span.quiet", `${part.parts}`),
      h("span.range", `${part.start.toString(16)}`),
    );
    if (chosen) row.classList.add("chosen");
    return row;
  }

  #toggle(way: number[], part: Part): void {
    const parent = this.#branch(way.slice(0, -1));
    const index = way[way.length - 1];
    if (!parent) return;
    if (parent.open.has(index)) parent.open.delete(index);
    else parent.open.set(index, new Branch(way, part.parts));
    this.#list.count = this.#root.rows;
  }

  #branch(way: number[]): Branch | null {
    let branch: Branch | undefined = this.#root;
    for (const step of way) branch = branch?.open.get(step);
    return branch ?? null;
  }

  #choose(part: Part, way: number[]): void {
    this.#chosen = way.join(".");
    this.#list.schedule();
    const { start, end, inside } = part;
    this.doc.selected.set({ start, end, inside, path: (part as FoundPart).path ?? "", by: "tree" });
  }

  /** Opens the way to what was selected elsewhere. */
  async #follow(selection: Selection | null): Promise<void> {
    if (!selection || selection.by === "tree") return;
    const found = await this.doc.engine.partAt(selection.start, selection.inside);
    if (!found || this.doc.selected.now !== selection) return;
    let way = found.way;
    // The smallest part that has the whole selection: a record, where its first field is smaller.
    for (let length = way.length - 1; length > 0; length--) {
      if (selection.end <= (await this.#end(way.slice(0, length + 1)))) break;
      way = way.slice(0, length);
    }
    this.#hits = null;
    this.#search.value = "";
    let branch = this.#root;
    for (const [depth, step] of way.slice(0, -1).entries()) {
      let next = branch.open.get(step);
      if (!next) {
        const [part] = await this.doc.engine.parts(branch.way, step, 1);
        if (!part) return;
        next = new Branch(way.slice(0, depth + 1), part.parts);
        branch.open.set(step, next);
      }
      branch = next;
    }
    this.#chosen = way.join(".");
    this.#list.count = this.#root.rows;
    this.#list.reveal(this.#numberOf(way));
  }

  async #end(way: number[]): Promise<number> {
    const [part] = await this.doc.engine.parts(way.slice(0, -1), way[way.length - 1], 1);
    return part?.end ?? 0;
  }

  #key(event: KeyboardEvent): void {
    if (this.#hits || !["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Enter"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const way = this.#chosen ? this.#chosen.split(".").map(Number) : [];
    const number = way.length ? this.#numberOf(way) : -1;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const row = this.#row(number);
      const part = row && this.#part(row);
      const isOpen = row?.branch.open.has(row.index);
      if (part && part.parts > 0 && (event.key === "ArrowRight") !== isOpen) return this.#toggle(way, part);
      if (event.key === "ArrowLeft" && way.length > 1) return this.#select(this.#numberOf(way.slice(0, -1)));
    }
    this.#select(number + (event.key === "ArrowUp" || event.key === "ArrowLeft" ? -1 : 1));
  }

  #select(number: number): void {
    const row = this.#row(Math.max(0, Math.min(number, this.#list.count - 1)));
    const part = row && this.#part(row);
    if (!row || !part) return;
    this.#choose(part, [...row.branch.way, row.index]);
    this.#list.reveal(number);
  }
}
