/** How far the vertices of one model are from those of another, as colours. */

import { BufferAttribute, Mesh, MeshStandardMaterial, Vector3 } from "three";
import type { Drawable, Model } from "./model";

/** Points in the cells of a grid. */
class Cells {
  #cells = new Map<string, number[]>();
  #points: number[] = [];

  constructor(readonly size: number) {}

  add(point: Vector3): void {
    const key = this.#key(point.x, point.y, point.z);
    const list = this.#cells.get(key);
    const at = this.#points.push(point.x, point.y, point.z) - 3;
    if (list) list.push(at);
    else this.#cells.set(key, [at]);
  }

  #key(x: number, y: number, z: number): string {
    return `${Math.floor(x / this.size)},${Math.floor(y / this.size)},${Math.floor(z / this.size)}`;
  }

  /** How far the nearest point is; looks a few cells around. */
  distance(point: Vector3): number {
    const [cx, cy, cz] = [point.x, point.y, point.z].map((x) => Math.floor(x / this.size));
    for (let reach = 0; reach <= 3; reach++) {
      let best = Infinity;
      for (let x = cx - reach; x <= cx + reach; x++)
        for (let y = cy - reach; y <= cy + reach; y++)
          for (let z = cz - reach; z <= cz + reach; z++)
            for (const at of this.#cells.get(`${x},${y},${z}`) ?? []) {
              best = Math.min(best, Math.hypot(this.#points[at] - point.x, this.#points[at + 1] - point.y, this.#points[at + 2] - point.z));
            }
      if (best <= reach * this.size || (best < Infinity && reach === 3)) return best;
    }
    return this.size * 3;
  }
}

/** From blue over green and yellow to red. */
export function heat(part: number): [number, number, number] {
  const stops = [[0.16, 0.33, 0.72], [0.13, 0.62, 0.56], [0.95, 0.78, 0.25], [0.86, 0.2, 0.18]];
  const at = Math.max(0, Math.min(1, part)) * (stops.length - 1);
  const [low, t] = [Math.min(Math.floor(at), stops.length - 2), at - Math.min(Math.floor(at), stops.length - 2)];
  return [0, 1, 2].map((i) => stops[low][i] * (1 - t) + stops[low + 1][i] * t) as [number, number, number];
}

/** Colours a model by its distance from another; gives the largest distance. */
export function paint(from: Model, model: Model, extent: number): number {
  const vertices = from.drawables.reduce((sum, { object, info }) => sum + (object.visible ? info.vertices : 0), 0);
  const cells = new Cells(Math.max(extent / Math.max(4, Math.cbrt(vertices)), 1e-9));
  const at = new Vector3();
  const each = (list: Drawable[], what: (drawable: Drawable, vertex: number) => void): void => {
    for (const drawable of list) for (let i = 0; i < drawable.info.vertices; i++) what(drawable, i);
  };
  const shown = (one: Model): Drawable[] => one.drawables.filter(({ object }) => object.visible && object instanceof Mesh);
  each(shown(from), (drawable, vertex) => cells.add(from.vertex(drawable, vertex, at)));
  const distances = new Map<Drawable, Float32Array>();
  let largest = 0;
  each(shown(model), (drawable, vertex) => {
    const list = distances.get(drawable) ?? new Float32Array(drawable.info.vertices);
    distances.set(drawable, list);
    list[vertex] = cells.distance(model.vertex(drawable, vertex, at));
    largest = Math.max(largest, list[vertex]);
  });
  // What rounding leaves is no difference.
  const scale = Math.max(largest, extent * 1e-6);
  for (const [drawable, list] of distances) {
    const colors = new Float32Array(list.length * 3);
    list.forEach((distance, i) => colors.set(heat(distance / scale), i * 3));
    const geometry = drawable.object.geometry;
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
    drawable.object.userData.heat = new MeshStandardMaterial({ vertexColors: true, roughness: 1, emissive: 0x000000, flatShading: !geometry.hasAttribute("normal") });
  }
  return largest;
}
