/** The page: tabs of open files, panels, keys, light and dark. */

import { Vector3 } from "three";
import { count, h, icon, memory, plural, save, size } from "./dom";
import { Doc } from "./doc";
import { Cancelled, Engine } from "./engine";
import { dropped, models, readAll } from "./files";
import { HELP, keys } from "./keys";
import { Bytes } from "./panels/bytes";
import { Compare } from "./panels/compare";
import { Convert } from "./panels/convert";
import { Issues } from "./panels/issues";
import { ScenePanel } from "./panels/scene";
import { Structure } from "./panels/structure";
import { Player } from "./player";
import { embeddedFiles, samples, sampleFiles } from "./samples";
import type { Selection } from "./selection";
import type { FormatInfo, GivenFile } from "./types";
import { Toolbar } from "./toolbar";
import { paint } from "./view/heat";
import { NOTHING } from "./view/overlays";
import { Stage } from "./view/stage";

/** The panels of a document. */
interface Panels {
  structure: Structure;
  scene: ScenePanel;
  issues: Issues;
  convert: Convert | null;
  compare: Compare;
  bytes: Bytes;
}

export class App {
  readonly docs: Doc[] = [];
  current: Doc | null = null;
  stage!: Stage;
  formats: FormatInfo[] = [];
  toolbar!: Toolbar;
  player!: Player;
  /** For tests: how many files were asked for and are shown. */
  busy = 0;
  #panels = new Map<Doc, Panels>();
  #second: Doc | null = null;
  #spare: GivenFile[] = [];
  #left = memory.get("left") ?? "structure";
  #right = memory.get("right") ?? "issues";
  #tabs = h("div.tabs", { role: "tablist", "aria-label": "Open files" });
  #leftHead = h("div.heads", { role: "tablist", "aria-label": "About the file" });
  #rightHead = h("div.heads", { role: "tablist", "aria-label": "Issues, conversion, comparison" });
  #leftBody = h("div.body");
  #rightBody = h("div.body");
  #bottom = h("section.panel.bottom", { "aria-label": "Bytes" });
  #view = h("main.view", { "aria-label": "The model" });
  #status = h("div.status");
  #progress = h("div.progress", { role: "status", hidden: true });
  #welcome = h("div.welcome");
  #legend = h("div.legend", { hidden: true });
  #picker = h("input", { type: "file", multiple: true, hidden: true });

  constructor(readonly root: HTMLElement) {}

  async start(): Promise<void> {
    this.#theme(memory.get("theme") ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
    this.#layout();
    this.stage = new Stage(this.#view);
    this.player = new Player(this);
    this.toolbar = new Toolbar(this);
    this.#view.append(this.toolbar.element, this.#legend, this.#progress, this.#welcome);
    this.root.append(this.#sheets(), h("footer.foot", this.player.element, this.#status));
    this.#listen();
    this.#showWelcome();
    const engine = new Engine();
    this.formats = await engine.formats();
    engine.close();
    const files = await embeddedFiles();
    if (files.length) await this.add(files);
  }

  #layout(): void {
    const button = (name: Parameters<typeof icon>[0], label: string, onclick: () => void) => h("button.plain", { title: label, "aria-label": label, onclick }, icon(name));
    const top = h("header.top",
      h("a.brand", { href: "#", onclick: (event: Event) => { event.preventDefault(); this.show(null); } }, h("span.logo", { "aria-hidden": "true" }), "menagerie"),
      this.#tabs,
      h("span.grow"),
      button("open", "Open files (O)", () => this.#picker.click()),
      button("theme", "Light or dark (T)", () => this.toggleTheme()),
      button("help", "Keys (?)", () => this.help()),
    );
    const left = h("section.panel.left", { "aria-label": "Structure and scene" }, this.#leftHead, this.#leftBody);
    const right = h("section.panel.right", { "aria-label": "Issues and conversion" }, this.#rightHead, this.#rightBody);
    const work = h("div.work", left, this.#split("left"), this.#view, this.#split("right"), right, this.#split("bottom"), this.#bottom);
    this.#picker.addEventListener("change", () => void this.take([...(this.#picker.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }))));
    this.root.append(top, work, this.#picker);
    for (const side of ["left", "right", "bottom"]) {
      const wide = memory.get(`size.${side}`);
      if (wide) document.documentElement.style.setProperty(`--${side}`, wide);
    }
  }

  /** On a small screen one panel is up at a time. */
  #sheets(): HTMLElement {
    const panels: [string, string][] = [["left", "File"], ["right", "Issues"], ["bottom", "Bytes"]];
    const bar = h("div.sheetbar", { role: "toolbar", "aria-label": "Panels" });
    const up = (name: string): void => {
      for (const [side] of panels) this.root.querySelector(`.panel.${side}`)?.classList.toggle("up", side === name);
      bar.replaceChildren(...panels.map(([side, label]) => h("button", { "aria-pressed": String(side === name), onclick: () => up(side) }, label)));
    };
    up("left");
    return bar;
  }

  /** A bar between panels that can be pulled, or pushed by keys. */
  #split(side: "left" | "right" | "bottom"): HTMLElement {
    const bar = h("div.split", { className: `split ${side}`, role: "separator", tabIndex: 0, "aria-label": `Size of the ${side} panel`, "aria-orientation": side === "bottom" ? "horizontal" : "vertical" });
    const move = (wide: number): void => {
      const value = `${Math.round(Math.max(0, Math.min(wide, side === "bottom" ? innerHeight - 220 : innerWidth * 0.45)))}px`;
      document.documentElement.style.setProperty(`--${side}`, value);
      memory.set(`size.${side}`, value);
    };
    const now = (): number => parseFloat(getComputedStyle(document.documentElement).getPropertyValue(`--${side}`)) || 0;
    bar.addEventListener("pointerdown", (event) => {
      bar.setPointerCapture(event.pointerId);
      bar.onpointermove = (moved) => move(side === "left" ? moved.clientX : side === "right" ? innerWidth - moved.clientX : innerHeight - moved.clientY - 44);
    });
    bar.addEventListener("pointerup", () => (bar.onpointermove = null));
    bar.addEventListener("dblclick", () => move(now() < 40 ? (side === "bottom" ? 220 : 320) : 0));
    bar.addEventListener("keydown", (event) => {
      const grow = side === "right" ? "ArrowLeft" : side === "left" ? "ArrowRight" : "ArrowUp";
      const shrink = side === "right" ? "ArrowRight" : side === "left" ? "ArrowLeft" : "ArrowDown";
      if (event.key !== grow && event.key !== shrink) return;
      event.preventDefault();
      event.stopPropagation();
      move(now() + (event.key === grow ? 24 : -24));
    });
    return bar;
  }

  #listen(): void {
    addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping"));
    addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      if (event.dataTransfer) void dropped(event.dataTransfer).then((files) => this.take(files));
    });
    addEventListener("keydown", (event) => keys(event, this));
    let down: { x: number; y: number } | null = null;
    this.stage.canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
    this.stage.canvas.addEventListener("pointerup", (event) => {
      if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4 && event.button === 0) void this.pick(event.clientX, event.clientY, event.altKey || event.shiftKey);
      down = null;
    });
  }

  #showWelcome(): void {
    this.#welcome.hidden = this.current !== null;
    document.body.classList.toggle("empty", this.current === null);
    if (this.#welcome.childElementCount) return;
    this.#welcome.append(
      h("h1", "What is this model?"),
      h("p", "Drop a 3D model here: see it, see what every byte of it means, and take it somewhere else. Nothing leaves this page."),
      h("button.drop", { onclick: () => this.#picker.click() }, icon("open"), h("span", h("b", "Drop files or a folder"), h("small", "or click to choose; with their textures, if you have them"))),
      h("div.samples", h("span.quiet", "or try"), samples.map((sample, i) => h("button", { onclick: () => void sampleFiles(i).then((files) => this.add(files)) }, sample.title))),
      h("p.formats.quiet", "BOGLE · BMD · DGL2 · BO3D · das2 · glTF · OBJ · STL · PLY"),
    );
  }

  /** Files that were dropped or picked. */
  async take(files: { file: File; path: string }[]): Promise<void> {
    if (files.length === 0) return;
    let stopped = false;
    this.#say("Reading", 0, () => (stopped = true));
    const read = await readAll(files, (part) => !stopped && this.#say("Reading", part, () => (stopped = true)));
    this.#say(null);
    if (!stopped) await this.add(read);
  }

  /** Opens the models among files; the others belong to them, or to models that lacked them. */
  async add(files: GivenFile[]): Promise<void> {
    const extensions = this.formats.flatMap((format) => format.extensions);
    const found = models(files, extensions);
    const others = files.filter((file) => !found.includes(file));
    this.#spare.push(...others);
    if (found.length === 0) return this.#supply(others);
    this.busy += found.length;
    for (const file of found) await this.#open(file, [...others, ...this.#spare.filter((spare) => !others.includes(spare))]);
  }

  async #open(file: GivenFile, beside: GivenFile[], at = this.docs.length): Promise<void> {
    const started = performance.now();
    const doc = new Doc(file.path, file.bytes, beside);
    this.docs.splice(at, 0, doc);
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      this.close(doc);
    };
    const slow = setTimeout(() => this.#say(`Opening ${doc.title} (${size(file.bytes.length)})`, null, stop), 250);
    try {
      await doc.open();
      await doc.build(() => doc === this.current && this.stage.refresh());
      doc.took = performance.now() - started;
      if (!stopped) this.show(doc);
      void this.#picture(doc);
    } catch (error) {
      if (!(error instanceof Cancelled)) {
        this.close(doc);
        this.#fail(doc.title, error as Error);
      }
    } finally {
      clearTimeout(slow);
      this.#say(null);
      this.busy--;
    }
  }

  /** Gives files to open models that lack some of them, and opens those again. */
  async #supply(files: GivenFile[]): Promise<void> {
    const waiting = this.docs.filter((doc) => doc.info.textures.some((texture) => !texture.found));
    for (const doc of waiting) {
      const at = this.docs.indexOf(doc);
      this.close(doc);
      this.busy++;
      await this.#open({ path: doc.name, bytes: doc.bytes }, [...doc.beside, ...files], at);
    }
    if (waiting.length === 0) this.#fail(files[0]?.path ?? "nothing", new Error("is not a model, and no open model lacks a file"));
  }

  #fail(name: string, error: Error): void {
    const note = h("div.toast", { role: "alert" }, icon("error"), h("span", h("b", name), ` ${error.message}`), h("button.plain", { "aria-label": "Close", onclick: () => note.remove() }, icon("close")));
    document.body.append(note);
    setTimeout(() => note.remove(), 12_000);
  }

  #say(text: string | null, part: number | null = null, cancel?: () => void): void {
    this.#progress.hidden = text === null;
    if (text === null) return;
    this.#progress.replaceChildren(h("span", text), h("progress", part === null ? {} : { value: part, max: 1 }), cancel ? h("button", { onclick: () => { cancel(); this.#say(null); } }, "Cancel") : "");
  }

  async #picture(doc: Doc): Promise<void> {
    const png = await doc.engine.picture(72).catch(() => null);
    if (png?.length) doc.thumbnail = URL.createObjectURL(new Blob([png], { type: "image/png" }));
    this.#drawTabs();
  }

  close(doc: Doc): void {
    const at = this.docs.indexOf(doc);
    if (at < 0) return;
    this.docs.splice(at, 1);
    doc.close();
    this.#panels.delete(doc);
    if (this.current === doc) this.show(this.docs[Math.min(at, this.docs.length - 1)] ?? null);
    else this.#drawTabs();
  }

  /** Brings a document to the front; without one, the welcome. */
  show(doc: Doc | null): void {
    this.current = doc;
    this.endCompare();
    this.stage.playing = false;
    this.stage.show(doc?.model ?? null, doc?.overlays ?? null, doc?.info ?? null, true);
    if (doc && !this.#panels.has(doc)) this.#makePanels(doc);
    this.#drawTabs();
    this.#drawPanels();
    this.toolbar.update();
    this.player.update();
    this.#showWelcome();
    this.#drawStatus();
    if (doc) {
      const { info } = doc;
      this.stage.canvas.setAttribute("aria-label", `${doc.title}: ${info.format_name ?? "unknown format"}, ${info.geometry?.vertices ?? 0} vertices, ${info.geometry?.triangles ?? 0} triangles`);
      // A broken file opens with what is wrong, and the cursor at the byte.
      const worst = info.issues.find((issue) => issue.severity === "error");
      if (worst) this.#choose("right", "issues");
      if (worst && worst.offset !== null && !doc.selected.now) doc.selected.set({ start: worst.offset, end: worst.offset + Math.max(1, worst.length ?? 1), inside: false, path: worst.path, by: "issue" });
    }
  }

  #makePanels(doc: Doc): void {
    const panels: Panels = {
      structure: new Structure(doc),
      scene: new ScenePanel(doc),
      issues: new Issues(doc),
      convert: null,
      compare: new Compare(doc, { others: (one) => this.docs.filter((other) => other !== one && other.info), beside: (other) => this.#beside(other, false), endCompare: () => this.endCompare() }),
      bytes: new Bytes(doc),
    };
    this.#panels.set(doc, panels);
    doc.selected.on((selection) => void this.#follow(doc, selection));
  }

  #drawTabs(): void {
    this.#tabs.replaceChildren(...this.docs.filter((doc) => doc.info).map((doc) => {
      const { error, warning } = doc.info.counts;
      const badge = error ? h("span.badge.error", `${error}`) : warning ? h("span.badge.warning", `${warning}`) : "";
      return h("div.tab", { className: doc === this.current ? "tab chosen" : "tab", role: "presentation" },
        h("button.open", { role: "tab", "aria-selected": String(doc === this.current), title: doc.name, onclick: () => this.show(doc) }, doc.thumbnail ? h("img", { src: doc.thumbnail, alt: "" }) : h("span.blank"), h("span", doc.title), badge),
        h("button.plain.shut", { "aria-label": `Close ${doc.title}`, onclick: () => this.close(doc) }, icon("close")));
    }));
  }

  #choose(side: "left" | "right", name: string): void {
    if (side === "left") this.#left = name;
    else this.#right = name;
    memory.set(side, name);
    if (name !== "convert" && name !== "compare") this.endCompare();
    this.#drawPanels();
  }

  #drawPanels(): void {
    const doc = this.current;
    const panels = doc ? this.#panels.get(doc) : undefined;
    const head = (side: "left" | "right", name: string, label: string, extra?: number): HTMLElement => {
      const chosen = (side === "left" ? this.#left : this.#right) === name;
      return h("button", { role: "tab", "aria-selected": String(chosen), onclick: () => this.#choose(side, name) }, label, extra ? h("span.count", String(extra)) : "");
    };
    this.#leftHead.replaceChildren(head("left", "structure", "Structure"), head("left", "scene", "Scene"));
    this.#rightHead.replaceChildren(head("right", "issues", "Issues", doc?.info.issues.length), head("right", "convert", "Convert"), head("right", "compare", "Compare"));
    // What stays where it is keeps its scroll position.
    const put = (host: HTMLElement, element?: HTMLElement): void => {
      if (!element) host.replaceChildren();
      else if (host.firstChild !== element) host.replaceChildren(element);
    };
    if (!panels || !doc) return [this.#leftBody, this.#rightBody, this.#bottom].forEach((host) => put(host));
    put(this.#leftBody, this.#left === "scene" ? panels.scene.element : panels.structure.element);
    if (this.#right === "convert") panels.convert ??= new Convert(doc, { formats: this.formats, compare: (name, bytes, beside) => this.#compareResult(name, bytes, beside), endCompare: () => this.endCompare() });
    if (this.#right === "compare") panels.compare.refresh();
    put(this.#rightBody, this.#right === "convert" ? panels.convert!.element : this.#right === "compare" ? panels.compare.element : panels.issues.element);
    put(this.#bottom, panels.bytes.element);
  }

  #drawStatus(): void {
    const doc = this.current;
    if (!doc) return this.#status.replaceChildren(h("span.quiet", "Nothing leaves this page"));
    const { info } = doc;
    const shown = doc.model?.counts();
    const parts = [info.format_name ?? "unknown", size(info.bytes), info.geometry && `${count(info.geometry.vertices)} v`, info.geometry && `${count(info.geometry.triangles)} t`, shown && info.geometry && shown.triangles !== info.geometry.triangles && `${count(shown.triangles)} shown`, doc.model?.leftOut && `${count(doc.model.leftOut)} nodes left out`, info.unit !== "not stated" && info.unit];
    this.#status.replaceChildren(...parts.filter((part) => !!part).map((part) => h("span", String(part))));
  }

  /** Something of the picture changed: level, hidden parts. */
  changed(): void {
    this.stage.refresh();
    this.#drawStatus();
  }

  /** What was selected lights up in the picture. */
  async #follow(doc: Doc, selection: Selection | null): Promise<void> {
    if (!doc.overlays) return;
    if (!selection) doc.overlays.highlight = NOTHING;
    else {
      const shown = await doc.engine.shownBy(selection.start, selection.inside);
      if (doc.selected.now !== selection) return;
      doc.overlays.highlight = doc.highlightOf(shown);
      if (selection.by !== "picture" && doc === this.current) this.#lookIfFar(doc);
    }
    if (doc === this.current) this.stage.refresh();
  }

  /** Nothing moves while what lit up is on the screen anyway. */
  #lookIfFar(doc: Doc): void {
    const [first] = doc.overlays!.highlight.vertices;
    if (!first || !doc.model) return;
    const at = doc.model.vertex(first.drawable, first.vertex, new Vector3());
    if (at.distanceTo(this.stage.controls.target) > this.stage.controls.maxDistance / 8) this.stage.lookAt(at);
  }

  /** Selects the triangle under a point, or with a key held its nearest vertex. */
  async pick(x: number, y: number, vertex: boolean): Promise<void> {
    const doc = this.current;
    const hit = this.stage.pick(x, y);
    if (!doc) return;
    if (!hit) return doc.selected.set(null);
    const { mesh, primitive } = hit.drawable;
    const place = await doc.engine.origin(mesh, primitive, vertex ? "vertex" : "triangle", vertex ? hit.vertex : hit.triangle);
    if (place) doc.selected.set({ start: place.start, end: place.end, inside: place.inside, path: place.path ?? "", by: "picture" });
    else {
      doc.overlays!.highlight = { triangles: [{ drawable: hit.drawable, triangle: hit.triangle }], vertices: [], nodes: [] };
      this.stage.refresh();
    }
  }

  /** The result of a conversion beside its source, coloured by distance. */
  async #compareResult(name: string, bytes: Uint8Array, beside: { path: string; bytes: Uint8Array }[]): Promise<void> {
    const doc = new Doc(name, bytes.slice(), [...beside, ...(this.current?.beside ?? [])]);
    await doc.open();
    await doc.build(() => this.stage.refresh());
    await this.#beside(doc, true);
  }

  async #beside(other: Doc, own: boolean): Promise<void> {
    this.endCompare();
    if (!this.current?.model || !other.model || !other.overlays) return;
    if (own) this.#second = other;
    this.stage.beside(other.model, other.overlays, other.info);
    this.#drawLegend(other);
    this.stage.frame();
  }

  #drawLegend(other: Doc): void {
    const from = this.current!;
    const button = (label: string, act: () => void) => h("button", { onclick: act }, label);
    const note = h("span");
    const color = async (): Promise<void> => {
      note.replaceChildren(h("span.busy", "Measuring…"));
      const { min, max } = from.info.bounds ?? { min: [0, 0, 0], max: [1, 1, 1] };
      const extent = Math.hypot(...max.map((x, i) => x - min[i]));
      const largest = await paint(from.model!, other.model!, extent, (corners, points) => from.engine.distances(corners, points));
      if (!this.stage.isSplit) return;
      note.replaceChildren(h("span.ramp"), largest < extent * 1e-6 ? "every vertex is on the surface" : `largest distance ${largest.toPrecision(3)}`);
      this.stage.refresh();
    };
    const plain = (): void => {
      for (const { object } of other.model!.drawables) delete object.userData.heat;
      note.replaceChildren();
      this.stage.refresh();
    };
    this.#legend.hidden = false;
    this.#legend.replaceChildren(button("Colour by distance", () => void color()), button("As it is", plain), note, h("button.plain", { "aria-label": "End the comparison", onclick: () => this.endCompare() }, icon("close")));
  }

  endCompare(): void {
    if (this.stage?.isSplit) this.stage.beside(null, null, null);
    this.#second?.close();
    this.#second = null;
    this.#legend.hidden = true;
  }

  #theme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    memory.set("theme", theme);
    requestAnimationFrame(() => this.stage?.retheme());
  }
  toggleTheme(): void {
    this.#theme(document.documentElement.dataset.theme === "light" ? "dark" : "light");
    if (this.current) this.show(this.current);
  }

  openPicker(): void {
    this.#picker.click();
  }
  search(): void {
    this.#choose("left", "structure");
    if (this.current) this.#panels.get(this.current)?.structure.focusSearch();
  }
  tab(name: string): void {
    this.#choose(name === "structure" || name === "scene" ? "left" : "right", name);
  }
  async shot(): Promise<void> {
    save(`${this.current?.title ?? "menagerie"}.png`, await this.stage.shot(), "image/png");
  }

  help(): void {
    const dialog = h("dialog.help", { "aria-label": "Keys", onclose: () => dialog.remove() },
      h("h2", "Keys"), h("div.keys", HELP.map(([key, what]) => h("div", h("kbd", key), h("span", what)))),
      h("p.quiet", "Click a triangle to see its bytes, with Shift a vertex. Select a byte or a part, and what it belongs to lights up. ", plural(this.docs.length, "file"), " open; nothing leaves this page."),
      h("form", { method: "dialog" }, h("button.primary", "Close")));
    document.body.append(dialog);
    dialog.showModal();
  }
}
