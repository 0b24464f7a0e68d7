/** The buttons over the picture. */

import type { App } from "./app";
import { count, h, icon } from "./dom";
import type { Mode } from "./view/stage";

type Toggle = "wire" | "normals" | "bones" | "boxes" | "hidden" | "lights" | "ground";

const TOGGLES: [Toggle, Parameters<typeof icon>[0], string][] = [
  ["wire", "wire", "Wireframe (W)"],
  ["normals", "normals", "Normals (N)"],
  ["bones", "bones", "Bones (B)"],
  ["boxes", "box", "Boxes (X)"],
  ["hidden", "hidden", "Hidden parts (H)"],
  ["lights", "light", "The model's lights (L)"],
  ["ground", "grid", "Ground (G)"],
];
const MODES: [Mode, string][] = [["shaded", "Shaded"], ["clay", "Clay"], ["normals", "Normals"], ["checker", "UV checker"]];

export class Toolbar {
  readonly element = h("div.toolbar", { role: "toolbar", "aria-label": "View" });
  #wanted: Record<Toggle, boolean> = { wire: false, normals: false, bones: false, boxes: false, hidden: false, lights: false, ground: true };
  #morphs = h("div.morphs", { hidden: true });

  constructor(readonly app: App) {}

  toggle(name: Toggle): void {
    this.#wanted[name] = !this.#wanted[name];
    this.update();
    this.app.changed();
  }

  nextMode(): void {
    const at = MODES.findIndex(([mode]) => mode === this.app.stage.mode);
    this.#setMode(MODES[(at + 1) % MODES.length][0]);
  }

  #setMode(mode: Mode): void {
    this.app.stage.mode = mode;
    this.update();
    this.app.changed();
  }

  /** Fits the buttons to the model, and the model to the buttons. */
  update(): void {
    const { stage, current } = this.app;
    const model = current?.model ?? null;
    this.element.hidden = !model;
    if (!model || !current?.overlays) return;
    const { overlays } = current;
    const { scene } = model;
    [overlays.wire, overlays.normals, overlays.bones, overlays.boxes] = [this.#wanted.wire, this.#wanted.normals, this.#wanted.bones, this.#wanted.boxes];
    model.showHidden = this.#wanted.hidden;
    stage.modelLights = this.#wanted.lights && scene.lights.length > 0;
    stage.ground = this.#wanted.ground;
    const useless: Record<Toggle, boolean> = {
      wire: false, normals: !scene.meshes.some((mesh) => mesh.primitives.some((one) => one.normals)), bones: scene.skins.length === 0, boxes: false,
      hidden: scene.nodes.every((node) => node.visible), lights: scene.lights.length === 0, ground: false,
    };
    const toggles = TOGGLES.map(([name, picture, label]) =>
      h("button", { title: label, "aria-label": label, "aria-pressed": String(this.#wanted[name]), disabled: useless[name], "data-toggle": name, onclick: () => this.toggle(name) }, icon(picture)));
    const modes = h("select", { "aria-label": "Look", title: "Look (U)", onchange: (event: Event) => this.#setMode((event.target as HTMLSelectElement).value as Mode) },
      MODES.map(([mode, label]) => h("option", { value: mode, selected: mode === stage.mode }, label)));
    this.element.replaceChildren(
      h("button", { title: "Frame (F)", "aria-label": "Frame the model", onclick: () => stage.frame("corner") }, icon("frame")),
      ...toggles, modes, ...this.#levels(), ...this.#cameras(), ...this.#morphButton(),
      h("button", { title: "Save a picture (P)", "aria-label": "Save a picture", onclick: () => void this.app.shot() }, icon("shot")),
      this.#morphs,
    );
  }

  #levels(): HTMLElement[] {
    const model = this.app.current!.model!;
    if (model.levels < 2) return [];
    const about = h("output", `${count(model.counts().triangles)} t`);
    const slider = h("input", { type: "range", min: 0, max: model.levels - 1, step: 1, value: model.level, "aria-label": "Level of detail", "data-lod": true });
    slider.addEventListener("input", () => {
      model.level = Number(slider.value);
      this.app.changed();
      about.textContent = `${count(model.counts().triangles)} t`;
    });
    return [h("label.level", { title: "Level of detail" }, icon("lod"), slider, about)];
  }

  #cameras(): HTMLElement[] {
    const { scene } = this.app.current!.model!;
    const { stage } = this.app;
    if (scene.cameras.length === 0) return [];
    const choice = h("select", { "aria-label": "Camera", onchange: () => stage.useCamera(Number(choice.value)) },
      h("option", { value: -1 }, "free camera"), scene.cameras.map((camera, i) => h("option", { value: i }, camera.name || `camera ${i}`)));
    stage.onCamera = (camera) => (choice.value = String(camera));
    return [choice];
  }

  #morphButton(): HTMLElement[] {
    const doc = this.app.current!;
    const { scene } = doc.model!;
    const nodes = scene.nodes.map((node, i) => ({ node, i })).filter(({ node }) => node.mesh !== null && scene.meshes[node.mesh].targets > 0);
    if (nodes.length === 0) {
      this.#morphs.hidden = true;
      return [];
    }
    const fill = (): void => this.#morphs.replaceChildren(...nodes.slice(0, 20).flatMap(({ node, i }) => {
      const mesh = scene.meshes[node.mesh!];
      const weights = (): number[] => doc.model!.morphs.get(i) ?? [...(node.weights.length ? node.weights : mesh.weights), ...Array(mesh.targets).fill(0)].slice(0, mesh.targets);
      return [...Array(mesh.targets).keys()].map((target) => {
        const slider = h("input", { type: "range", min: -0.5, max: 1.5, step: 0.01, value: weights()[target] ?? 0 });
        slider.addEventListener("input", () => {
          const now = weights();
          now[target] = Number(slider.value);
          doc.model!.morphs.set(i, now);
          this.app.changed();
        });
        return h("label", h("span", mesh.target_names[target] || `target ${target}`), slider);
      });
    }), h("button", { onclick: () => { doc.model!.morphs.clear(); this.app.changed(); fill(); } }, "Reset"));
    fill();
    return [h("button", { "aria-expanded": "false", onclick: () => (this.#morphs.hidden = !this.#morphs.hidden) }, "Morphs")];
  }
}
