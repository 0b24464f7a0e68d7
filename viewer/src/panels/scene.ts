/** The model as a person means it: nodes, meshes, materials with their pictures, skins, animations, extras. */

import { count, h, plural, size } from "../dom";
import type { Doc } from "../doc";
import type { MaterialInfo, SceneInfo } from "../types";

/** Lists longer than this are cut. */
const MOST = 400;

export class ScenePanel {
  readonly element = h("div.scene");

  constructor(readonly doc: Doc) {
    const { scene, info } = doc;
    this.element.append(this.#facts());
    if (!scene) {
      this.element.append(h("p.quiet", info.readable ? "This file holds nothing that can be shown." : "This file could not be read; the Issues say why."));
      return;
    }
    this.#list("Nodes", scene.nodes.length, () => this.#nodes(scene), true);
    this.#list("Meshes", scene.meshes.length, () => this.#meshes(scene));
    this.#list("Materials", scene.materials.length, () => scene.materials.map((material, i) => this.#material(scene, material, i)), true);
    this.#list("Pictures", scene.images.length, () => scene.images.map((image, i) => this.#picture(image, i)));
    this.#list("Skins", scene.skins.length, () => scene.skins.map((skin, i) => this.#entry(skin.name || `skin ${i}`, plural(skin.joints.length, "joint"), "", skin.extras)));
    this.#list("Animations", scene.animations.length, () =>
      scene.animations.map((animation, i) => this.#entry(animation.name || `animation ${i}`, `${animation.seconds.toFixed(2)} s · ${plural(animation.channels.length, "channel")}`, animation.path, animation.extras)));
    this.#list("Cameras", scene.cameras.length, () => scene.cameras.map((camera, i) => this.#entry(camera.name || `camera ${i}`, camera.projection.kind, camera.path, camera.extras)));
    this.#list("Lights", scene.lights.length, () => scene.lights.map((light, i) => this.#entry(light.name || `light ${i}`, `${light.kind} · ${light.intensity.toPrecision(3)}`, light.path, light.extras)));
    if (scene.extras) this.#list("Extras of the file", 1, () => [h("pre", JSON.stringify(scene.extras, null, 1))]);
  }

  #facts(): HTMLElement {
    const { info } = this.doc;
    const extent = info.bounds ? info.bounds.max.map((x, i) => (x - info.bounds!.min[i]).toPrecision(4)).join(" × ") : "—";
    const rows: [string, string][] = [
      ["format", `${info.format_name ?? "unknown"}${info.profile ? ` (${info.profile})` : ""}`],
      ["size", `${count(info.bytes)} bytes`],
      ["contents", Object.entries(info.contents).filter(([, n]) => n > 0).map(([name, n]) => `${count(n)} ${name.replaceAll("_", " ")}`).join(", ") || "nothing"],
      ["geometry", info.geometry ? `${plural(info.geometry.vertices, "vertex", "vertices")}, ${plural(info.geometry.triangles, "triangle")}` : "—"],
      ["extent", extent],
      ["axes", info.axes ? `${info.axes.up} up, front ${info.axes.front}, ${info.axes.handedness}-handed` : "—"],
      ["unit", info.unit ?? "—"],
    ];
    return h("dl.facts", rows.flatMap(([name, value]) => [h("dt", name), h("dd", { "data-fact": name }, value)]));
  }

  #list(title: string, length: number, make: () => HTMLElement[], open = false): void {
    if (length === 0) return;
    const body = h("div.list");
    const section = h("details.section", h("summary", title, h("span.count", count(length))), body);
    const fill = (): void => {
      if (!body.childElementCount) body.append(...make().slice(0, MOST), length > MOST ? h("p.quiet", `and ${count(length - MOST)} more`) : "");
    };
    section.addEventListener("toggle", () => section.open && fill());
    section.open = open && length < 200;
    if (section.open) fill();
    this.element.append(section);
  }

  #entry(name: string, about: string, path: string, extras: unknown, before?: HTMLElement): HTMLElement {
    const button = h("button.entry", { onclick: () => path && void this.#go(path), disabled: !path, title: path }, before, h("span.name", name), h("span.quiet", about));
    if (!extras) return button;
    const text = h("pre", { hidden: true }, JSON.stringify(extras, null, 1));
    const more = h("button.plain.extras", { title: "What only one format knows", "aria-label": `Extras of ${name}`, "aria-expanded": "false" }, "{ }");
    more.addEventListener("click", () => {
      text.hidden = !text.hidden;
      more.setAttribute("aria-expanded", String(!text.hidden));
    });
    return h("div", h("div.withextras", button, more), text);
  }

  async #go(path: string): Promise<void> {
    const part = await this.doc.engine.partOf(path);
    if (part) this.doc.selected.set({ start: part.start, end: part.end, inside: part.inside, path: part.path, by: "scene" });
  }

  #nodes(scene: SceneInfo): HTMLElement[] {
    const rows: HTMLElement[] = [];
    const roots = scene.nodes.map((_, i) => i).filter((i) => scene.nodes[i].parent === null);
    const open = roots.reverse().map((index) => ({ index, depth: 0 }));
    while (open.length && rows.length <= MOST) {
      const { index, depth } = open.pop()!;
      const node = scene.nodes[index];
      const about = [node.mesh !== null && "mesh", node.skin !== null && "skinned", node.camera !== null && "camera", node.light !== null && "light", !node.visible && "hidden", node.lods.length && plural(node.lods.length, "level")].filter(Boolean).join(" · ");
      const row = this.#entry(node.name || `node ${index}`, about, node.path, node.extras);
      row.style.marginLeft = `${Math.min(depth, 12) * 12}px`;
      rows.push(row);
      open.push(...node.children.map((child) => ({ index: child, depth: depth + 1 })).reverse());
    }
    return rows;
  }

  #meshes(scene: SceneInfo): HTMLElement[] {
    return scene.meshes.flatMap((mesh, i) => mesh.primitives.map((primitive, number) => {
      const what = [plural(primitive.vertices, "vertex", "vertices"), primitive.topology === "triangles" ? plural(Math.floor(primitive.indices / 3), "triangle") : primitive.topology];
      if (primitive.uvs) what.push(`${primitive.uvs} uv`);
      if (primitive.colors) what.push("colours");
      if (mesh.targets) what.push(plural(mesh.targets, "target"));
      const name = mesh.name || `mesh ${i}`;
      return this.#entry(mesh.primitives.length > 1 ? `${name} · ${number}` : name, what.join(" · "), primitive.path || primitive.vertex_path, primitive.extras);
    }));
  }

  #material(scene: SceneInfo, material: MaterialInfo, index: number): HTMLElement {
    const [r, g, b] = material.color.map((x) => Math.round(255 * Math.max(0, Math.min(1, x <= 0.0031308 ? x * 12.92 : 1.055 * x ** (1 / 2.4) - 0.055))));
    const swatch = h("span.chip", { style: `background:rgb(${r} ${g} ${b})` });
    const image = material.texture ? scene.textures[material.texture.texture]?.image : null;
    if (image !== null && image !== undefined) void this.#thumbnail(image, swatch);
    const about = [material.unlit ? "unlit" : material.shading.kind, material.alpha !== "opaque" && material.alpha, material.double_sided && "two-sided"].filter(Boolean).join(" · ");
    return this.#entry(material.name || `material ${index}`, about, material.path, material.extras, swatch);
  }

  #picture(image: SceneInfo["images"][number], index: number): HTMLElement {
    const chip = h("span.chip.large");
    void this.#thumbnail(index, chip);
    return this.#entry(image.uri ?? image.name ?? `picture ${index}`, image.bytes === null ? "not found" : size(image.bytes), "", image.extras, chip);
  }

  /** Puts a small copy of a picture into a chip. */
  async #thumbnail(index: number, chip: HTMLElement): Promise<void> {
    const data = await this.doc.engine.image(index).catch(() => null);
    if (!data) return chip.classList.add("missing");
    const canvas = h("canvas", { width: 64, height: 64 });
    const pen = canvas.getContext("2d")!;
    const bitmap = data.kind === "file"
      ? await createImageBitmap(new Blob([data.bytes as Uint8Array<ArrayBuffer>], { type: data.mime })).catch(() => null)
      : await createImageBitmap(new ImageData(new Uint8ClampedArray(data.texels), data.width, data.height));
    if (!bitmap) return chip.classList.add("missing");
    pen.imageSmoothingEnabled = bitmap.width > 64;
    pen.drawImage(bitmap, 0, 0, 64, 64);
    chip.replaceChildren(canvas);
  }
}
