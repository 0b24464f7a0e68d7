/** What is drawn over the model: edges, normals, bones, boxes, and what is selected. */

import {
  Box3, Box3Helper, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Points,
  PointsMaterial, SkinnedMesh, Vector3,
} from "three";
import type { Drawable, Model } from "./model";

/** So many triangles and normals are drawn over a model at most. */
const MOST_TRIANGLES = 120_000;
const MOST_NORMALS = 60_000;

/** Something of the picture that is selected. */
export interface Highlight {
  triangles: { drawable: Drawable; triangle: number }[];
  vertices: { drawable: Drawable; vertex: number }[];
  nodes: number[];
}

export const NOTHING: Highlight = { triangles: [], vertices: [], nodes: [] };

export class Overlays {
  readonly group = new Group();
  wire = false;
  normals = false;
  bones = false;
  boxes = false;
  highlight: Highlight = NOTHING;
  #wires: Mesh[] = [];
  #accent = new Color("#ff8a3d");
  #marked = new Mesh(new BufferGeometry(), new MeshBasicMaterial({ color: this.#accent, transparent: true, opacity: 0.55, side: DoubleSide, depthTest: true, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
  #edges = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: this.#accent, depthTest: false, transparent: true }));
  #dots = new Points(new BufferGeometry(), new PointsMaterial({ color: "#ffd166", size: 9, sizeAttenuation: false, depthTest: false, transparent: true }));
  #normalLines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: "#4cc9f0" }));
  #boneLines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
  #boneDots = new Points(new BufferGeometry(), new PointsMaterial({ vertexColors: true, size: 6, sizeAttenuation: false, depthTest: false, transparent: true }));
  #boxes = new Group();

  constructor(readonly model: Model) {
    for (const object of [this.#marked, this.#edges, this.#dots, this.#normalLines, this.#boneLines, this.#boneDots]) {
      object.frustumCulled = false;
      object.renderOrder = 5;
      this.group.add(object);
    }
    this.#marked.renderOrder = 3;
    this.group.add(this.#boxes);
  }

  /** The nodes that move vertices, and all without a mesh of their own in a tree that has some. */
  get joints(): number[] {
    const all = new Set(this.model.scene.skins.flatMap((skin) => skin.joints));
    return [...all];
  }

  /** Draws everything again for the pose of now. */
  update(): void {
    this.#updateWires();
    this.#updateHighlight();
    this.#updateNormals();
    this.#updateBones();
    this.#updateBoxes();
  }

  #updateWires(): void {
    if (this.wire && this.#wires.length === 0) {
      for (const { object } of this.model.drawables) {
        if (!(object instanceof Mesh)) continue;
        const material = new MeshBasicMaterial({ wireframe: true, color: 0x10151c, transparent: true, opacity: 0.45 });
        const wire = object instanceof SkinnedMesh ? new SkinnedMesh(object.geometry, material) : new Mesh(object.geometry, material);
        if (wire instanceof SkinnedMesh && object instanceof SkinnedMesh) {
          wire.bindMode = "detached";
          wire.bind(object.skeleton, object.bindMatrix);
        }
        wire.morphTargetInfluences = object.morphTargetInfluences;
        wire.frustumCulled = false;
        wire.renderOrder = 2;
        wire.raycast = () => undefined;
        object.add(wire);
        this.#wires.push(wire);
      }
    }
    for (const wire of this.#wires) wire.visible = this.wire;
  }

  #updateHighlight(): void {
    const { model, highlight } = this;
    const corners: number[] = [];
    const lines: number[] = [];
    const few = highlight.triangles.length <= 2000;
    const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
    for (const { drawable, triangle } of highlight.triangles.slice(0, MOST_TRIANGLES)) {
      const index = drawable.object.geometry.getIndex();
      if (!index || !drawable.object.visible) continue;
      [a, b, c].forEach((corner, i) => model.vertex(drawable, index.getX(triangle * 3 + i), corner));
      corners.push(...a.toArray(), ...b.toArray(), ...c.toArray());
      if (few) lines.push(...a.toArray(), ...b.toArray(), ...b.toArray(), ...c.toArray(), ...c.toArray(), ...a.toArray());
    }
    setPositions(this.#marked.geometry, corners);
    setPositions(this.#edges.geometry, lines);
    const dots = highlight.vertices.flatMap(({ drawable, vertex }) => model.vertex(drawable, vertex, a).toArray());
    for (const node of highlight.nodes) dots.push(...a.setFromMatrixPosition(model.objects[node].matrixWorld).toArray());
    setPositions(this.#dots.geometry, dots);
  }

  #updateNormals(): void {
    const lines: number[] = [];
    if (this.normals) {
      const length = new Box3().setFromObject(this.model.root).getSize(new Vector3()).length() * 0.018;
      const [tip, at] = [new Vector3(), new Vector3()];
      for (const drawable of this.model.drawables) {
        const normals = drawable.object.geometry.getAttribute("normal");
        if (!normals || !drawable.object.visible) continue;
        for (let i = 0; i < normals.count && lines.length < MOST_NORMALS * 6; i++) {
          this.model.vertex(drawable, i, at);
          this.#direction(drawable, i, tip);
          lines.push(...at.toArray(), ...tip.multiplyScalar(length).add(at).toArray());
        }
      }
    }
    setPositions(this.#normalLines.geometry, lines);
  }

  /** The normal of a vertex in the world: of skinned ones turned with their joints. */
  #direction(drawable: Drawable, index: number, out: Vector3): void {
    const { object } = drawable;
    out.fromBufferAttribute(object.geometry.getAttribute("normal"), index);
    if (object instanceof SkinnedMesh) {
      const origin = object.applyBoneTransform(index, new Vector3());
      object.applyBoneTransform(index, out).sub(origin);
    }
    out.transformDirection(object.matrixWorld).normalize();
  }

  #updateBones(): void {
    const lines: number[] = [];
    const colors: number[] = [];
    const dots: number[] = [];
    const dotColors: number[] = [];
    const plain = new Color("#8ecae6");
    if (this.bones || this.highlight.nodes.length) {
      const joints = new Set(this.bones ? this.joints : []);
      const lit = new Set(this.highlight.nodes);
      const at = new Vector3();
      for (const joint of new Set([...joints, ...lit])) {
        const object = this.model.objects[joint];
        const color = lit.has(joint) ? this.#accent : plain;
        const place = at.setFromMatrixPosition(object.matrixWorld).toArray();
        dots.push(...place);
        dotColors.push(...color.toArray());
        for (const child of this.model.scene.nodes[joint].children.filter((child) => joints.has(child))) {
          const end = at.setFromMatrixPosition(this.model.objects[child].matrixWorld).toArray();
          lines.push(...place, ...end);
          colors.push(...color.toArray(), ...color.toArray());
        }
      }
    }
    setPositions(this.#boneLines.geometry, lines, colors);
    setPositions(this.#boneDots.geometry, dots, dotColors);
  }

  #updateBoxes(): void {
    this.#boxes.clear();
    if (!this.boxes) return;
    const all = new Box3();
    for (const drawable of this.model.drawables.filter(({ object }) => object.visible).slice(0, 500)) {
      const box = bounds(this.model, drawable);
      all.union(box);
      this.#boxes.add(new Box3Helper(box, new Color("#7f8ea3")));
    }
    if (!all.isEmpty()) this.#boxes.add(new Box3Helper(all, new Color("#ffd166")));
  }

  dispose(): void {
    for (const object of [this.#marked, this.#edges, this.#dots, this.#normalLines, this.#boneLines, this.#boneDots]) object.geometry.dispose();
  }
}

/** The box around a drawable as it is posed; of large ones around some of their vertices. */
export function bounds(model: Model, drawable: Drawable): Box3 {
  const box = new Box3();
  const at = new Vector3();
  const count = drawable.info.vertices;
  const isMoved = drawable.object instanceof SkinnedMesh || (drawable.object as Mesh).morphTargetInfluences;
  if (!isMoved) {
    drawable.object.geometry.computeBoundingBox();
    return box.copy(drawable.object.geometry.boundingBox!).applyMatrix4(drawable.object.matrixWorld);
  }
  const step = Math.max(1, Math.floor(count / 20_000));
  for (let i = 0; i < count; i += step) box.expandByPoint(model.vertex(drawable, i, at));
  return box;
}

function setPositions(geometry: BufferGeometry, positions: number[], colors?: number[]): void {
  const before = geometry.getAttribute("position");
  if (positions.length === 0 && (!before || before.count === 0)) return;
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  if (colors) geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
  geometry.boundingSphere = null;
}
