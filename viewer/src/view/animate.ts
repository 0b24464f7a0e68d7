/** Where nodes are at a time of an animation, by the library's rules. */

import { Object3D, Quaternion, Vector3 } from "three";
import type { AnimationInfo, ChannelData, NodeInfo, SceneInfo } from "../types";

/** Puts a node where it rests. */
export function rest(object: Object3D, node: NodeInfo): void {
  if (node.m) {
    object.matrixAutoUpdate = false;
    object.matrix.fromArray(node.m);
    object.matrix.decompose(object.position, object.quaternion, object.scale);
  } else {
    object.matrixAutoUpdate = true;
    object.position.fromArray(node.t ?? [0, 0, 0]);
    object.quaternion.fromArray(node.r ?? [0, 0, 0, 1]);
    object.scale.fromArray(node.s ?? [1, 1, 1]);
  }
}

/** The last key at or before a time; minus one before the first. */
function keyBefore(times: Float32Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const from = new Quaternion();
const to = new Quaternion();

/** The value of a channel at a time, into `out`. */
export function sample(data: ChannelData, width: number, interpolation: string, isRotation: boolean, time: number, out: Float32Array): void {
  const { times, values } = data;
  const cubic = interpolation === "cubic";
  const value = (key: number, i: number): number => (cubic ? values[(key * 3 + 1) * width + i] : values[key * width + i]);
  const key = keyBefore(times, time);
  if (key < 0 || key >= times.length - 1 || interpolation === "step") {
    const held = Math.max(key, 0);
    for (let i = 0; i < width; i++) out[i] = value(held, i);
    return;
  }
  const span = times[key + 1] - times[key];
  const t = span > 0 ? (time - times[key]) / span : 0;
  if (cubic) {
    const [t2, t3] = [t * t, t * t * t];
    for (let i = 0; i < width; i++) {
      const leave = values[(key * 3 + 2) * width + i] * span;
      const arrive = values[(key + 1) * 3 * width + i] * span;
      out[i] = (2 * t3 - 3 * t2 + 1) * value(key, i) + (t3 - 2 * t2 + t) * leave + (-2 * t3 + 3 * t2) * value(key + 1, i) + (t3 - t2) * arrive;
    }
    if (isRotation) {
      const length = Math.hypot(out[0], out[1], out[2], out[3]) || 1;
      for (let i = 0; i < 4; i++) out[i] /= length;
    }
  } else if (isRotation) {
    from.set(value(key, 0), value(key, 1), value(key, 2), value(key, 3));
    to.set(value(key + 1, 0), value(key + 1, 1), value(key + 1, 2), value(key + 1, 3));
    from.slerp(to, t);
    out[0] = from.x;
    out[1] = from.y;
    out[2] = from.z;
    out[3] = from.w;
  } else {
    for (let i = 0; i < width; i++) out[i] = value(key, i) * (1 - t) + value(key + 1, i) * t;
  }
}

const scratch = new Float32Array(1024);
const position = new Vector3();

/** Poses all nodes at a time; without an animation as they rest. Gives the weights of morph targets that are moved. */
export function pose(scene: SceneInfo, objects: Object3D[], animation: AnimationInfo | null, data: ChannelData[], time: number): Map<number, number[]> {
  scene.nodes.forEach((node, i) => rest(objects[i], node));
  const weights = new Map<number, number[]>();
  animation?.channels.forEach((channel, i) => {
    const object = objects[channel.node];
    if (!object || !data[i] || data[i].times.length === 0) return;
    sample(data[i], channel.width, channel.interpolation, channel.property === "rotation", time, scratch);
    if (channel.property === "weights") {
      weights.set(channel.node, [...scratch.subarray(0, channel.width)]);
      return;
    }
    object.matrixAutoUpdate = true;
    if (channel.property === "translation") object.position.copy(position.fromArray(scratch));
    else if (channel.property === "rotation") object.quaternion.fromArray(scratch);
    else if (channel.property === "scale") object.scale.copy(position.fromArray(scratch));
  });
  return weights;
}
