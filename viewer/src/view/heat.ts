/** How far the vertices of one model are from the surface of another, as colours. */

import { BufferAttribute, Mesh, MeshStandardMaterial, Vector3 } from "three";
import type { Drawable, Model } from "./model";

/** Distances of points (three numbers each) from triangles (nine each); not a number where that cannot be said. */
export type Measure = (corners: Float32Array, points: Float32Array) => Promise<Float32Array>;

/** Where the vertices of a drawable are now. */
function places(model: Model, drawable: Drawable): Float32Array {
  const list = new Float32Array(drawable.info.vertices * 3);
  const at = new Vector3();
  for (let i = 0; i < drawable.info.vertices; i++) model.vertex(drawable, i, at).toArray(list, i * 3);
  return list;
}

/** The corners of all triangles that are shown. */
function corners(model: Model): Float32Array {
  const pieces = shown(model).map((drawable) => {
    const list = places(model, drawable);
    const { index } = drawable.object.geometry;
    if (!index) return list;
    const piece = new Float32Array(index.count * 3);
    for (let i = 0; i < index.count; i++) piece.set(list.subarray(index.getX(i) * 3, index.getX(i) * 3 + 3), i * 3);
    return piece;
  });
  return joined(pieces);
}

function joined(pieces: Float32Array[]): Float32Array {
  const list = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  pieces.reduce((at, piece) => (list.set(piece, at), at + piece.length), 0);
  return list;
}

const shown = (model: Model): Drawable[] => model.drawables.filter(({ object }) => object.visible && object instanceof Mesh);

/** From blue over green and yellow to red. */
export function heat(part: number): [number, number, number] {
  const stops = [[0.16, 0.33, 0.72], [0.13, 0.62, 0.56], [0.95, 0.78, 0.25], [0.86, 0.2, 0.18]];
  const at = Math.max(0, Math.min(1, part)) * (stops.length - 1);
  const [low, t] = [Math.min(Math.floor(at), stops.length - 2), at - Math.min(Math.floor(at), stops.length - 2)];
  return [0, 1, 2].map((i) => stops[low][i] * (1 - t) + stops[low + 1][i] * t) as [number, number, number];
}

/** Colours a model by its distance from the surface of another; gives the largest distance. */
export async function paint(from: Model, model: Model, extent: number, measure: Measure): Promise<number> {
  const painted = shown(model);
  const distances = await measure(corners(from), joined(painted.map((drawable) => places(model, drawable))));
  const largest = distances.reduce((most, distance) => (distance > most ? distance : most), 0);
  // What rounding leaves is no difference.
  const scale = Math.max(largest, extent * 1e-6);
  let at = 0;
  for (const { object, info } of painted) {
    const colors = new Float32Array(info.vertices * 3);
    for (let i = 0; i < info.vertices; i++, at++) colors.set(Number.isNaN(distances[at]) ? [0.5, 0.5, 0.5] : heat(distances[at] / scale), i * 3);
    const { geometry } = object;
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
    object.userData.heat = new MeshStandardMaterial({ vertexColors: true, roughness: 1, emissive: 0x000000, flatShading: !geometry.hasAttribute("normal") });
  }
  return largest;
}
