/** One open file: its bytes, its worker, its picture, what is selected. */

import { Engine } from "./engine";
import { Selected } from "./selection";
import type { GivenFile, Info, SceneInfo, Shown } from "./types";
import { Model, type Drawable } from "./view/model";
import { NOTHING, Overlays, type Highlight } from "./view/overlays";

/** Triangles that hang on a joint by more than this are its. */
const HANGS = 0.4;

export class Doc {
  readonly engine = new Engine();
  readonly selected = new Selected();
  info!: Info;
  scene: SceneInfo | null = null;
  model: Model | null = null;
  overlays: Overlays | null = null;
  thumbnail = "";
  /** How long it took from the first byte to the picture, in milliseconds. */
  took = 0;

  constructor(readonly name: string, readonly bytes: Uint8Array, readonly beside: GivenFile[]) {}

  get title(): string {
    return this.name.split("/").pop() ?? this.name;
  }

  /** Reads the file; the picture comes after. */
  async open(): Promise<void> {
    const { info, scene } = await this.engine.open(this.name, this.bytes, this.beside);
    this.info = info;
    this.scene = scene;
  }

  async build(onPicture: () => void): Promise<void> {
    if (!this.scene) return;
    this.model = await Model.build(this.scene, this.engine, onPicture);
    this.overlays = new Overlays(this.model);
  }

  drawablesOf(mesh: number, primitive: number): Drawable[] {
    return this.model?.drawables.filter((one) => one.mesh === mesh && one.primitive === primitive) ?? [];
  }

  /** What of the picture belongs to some bytes. */
  highlightOf(shown: Shown): Highlight {
    if (!this.model || !this.scene) return NOTHING;
    const highlight: Highlight = { triangles: [], vertices: [], nodes: [] };
    for (const { mesh, primitive, what, element } of shown.elements) {
      for (const drawable of this.drawablesOf(mesh, primitive)) {
        if (what === "triangle") highlight.triangles.push({ drawable, triangle: element });
        else highlight.vertices.push({ drawable, vertex: element });
      }
    }
    if (highlight.triangles.length || highlight.vertices.length) return highlight;
    if (shown.material !== undefined) this.#add(highlight, (drawable) => drawable.info.material === shown.material);
    else if (shown.primitives.length) this.#add(highlight, (drawable) => shown.primitives.some((one) => one.mesh === drawable.mesh && one.primitive === drawable.primitive));
    if (shown.node !== undefined) {
      highlight.nodes.push(shown.node);
      if (!highlight.triangles.length) this.#add(highlight, (drawable) => drawable.node === shown.node);
      if (!highlight.triangles.length) this.#addHanging(highlight, shown.node);
    }
    return highlight;
  }

  #add(highlight: Highlight, wanted: (drawable: Drawable) => boolean): void {
    for (const drawable of this.model!.drawables) {
      if (drawable.info.topology !== "triangles" || !wanted(drawable)) continue;
      for (let triangle = 0; triangle < drawable.info.indices / 3 && highlight.triangles.length < 200_000; triangle++) highlight.triangles.push({ drawable, triangle });
    }
  }

  /** The triangles that a joint moves. */
  #addHanging(highlight: Highlight, node: number): void {
    for (const drawable of this.model!.drawables) {
      const skin = this.scene!.nodes[drawable.node].skin;
      const joint = skin === null ? -1 : this.scene!.skins[skin].joints.indexOf(node);
      const geometry = drawable.object.geometry;
      const [joints, weights, index] = [geometry.getAttribute("skinIndex"), geometry.getAttribute("skinWeight"), geometry.getIndex()];
      if (joint < 0 || !joints || !weights || !index) continue;
      const hangs = (vertex: number): boolean => [0, 1, 2, 3].some((i) => joints.getComponent(vertex, i) === joint && weights.getComponent(vertex, i) > HANGS);
      for (let triangle = 0; triangle < index.count / 3; triangle++) {
        if ([0, 1, 2].some((corner) => hangs(index.getX(triangle * 3 + corner)))) highlight.triangles.push({ drawable, triangle });
      }
    }
  }

  close(): void {
    this.engine.close();
    this.model?.dispose();
    this.overlays?.dispose();
    if (this.thumbnail) URL.revokeObjectURL(this.thumbnail);
  }
}
