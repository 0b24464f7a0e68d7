/** The worker of one document: the library runs here, so that the page never waits for it. */

import { Beside, Document, distances, explain, formats, initSync } from "menagerie-wasm";
import type { ChannelData, GivenFile, ImageData8, PrimitiveData } from "./types";

let open: Document | null = null;

function beside(files: GivenFile[]): Beside {
  const list = new Beside();
  for (const file of files) list.add(file.path, file.bytes);
  return list;
}

function read(name: string, bytes: Uint8Array, files: GivenFile[], fps: number): Document {
  const given = beside(files);
  try {
    return new Document(bytes, name, given, fps);
  } finally {
    given.free();
  }
}

function current(): Document {
  if (!open) throw new Error("no model is open");
  return open;
}

function primitive(mesh: number, index: number, counts: { uvs: number; joints: number; targets: number; colors: number }): PrimitiveData {
  const document = current();
  const list = (name: string, number = 0): Float32Array => document.floats(mesh, index, name, number);
  const range = (count: number): number[] => [...Array(count).keys()];
  return {
    positions: list("positions"),
    normals: list("normals"),
    uvs: range(Math.min(counts.uvs, 4)).map((set) => list("uvs", set)),
    color: counts.colors > 0 ? list("colors") : null,
    joints: range(counts.joints).map((set) => document.joints(mesh, index, set)),
    weights: range(counts.joints).map((set) => list("weights", set)),
    indices: document.indices(mesh, index),
    targets: range(counts.targets).map((target) => ({ positions: list("target positions", target), normals: list("target normals", target) })),
  };
}

/** Kinds of pictures that a browser shows by itself. */
function mimeOf(bytes: Uint8Array): string | null {
  const begins = (...start: number[]): boolean => start.every((byte, i) => bytes[i] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0x42, 0x4d)) return "image/bmp";
  if (begins(0x47, 0x49, 0x46)) return "image/gif";
  if (begins(0x52, 0x49, 0x46, 0x46)) return "image/webp";
  return null;
}

function image(index: number): ImageData8 {
  const bytes = current().image(index);
  if (bytes.length === 0) return null;
  const mime = mimeOf(bytes);
  if (mime) return { kind: "file", bytes, mime };
  const texels = current().texels(index);
  if (texels.length < 8) return null;
  const head = new DataView(texels.buffer, texels.byteOffset);
  return { kind: "texels", width: head.getUint32(0, true), height: head.getUint32(4, true), texels: texels.slice(8) };
}

const calls = {
  start(module: WebAssembly.Module): void {
    initSync({ module });
  },
  open(name: string, bytes: Uint8Array, files: GivenFile[], fps: number): { info: unknown; scene: unknown } {
    open?.free();
    open = null;
    open = read(name, bytes, files, fps);
    return { info: JSON.parse(open.info()), scene: JSON.parse(open.scene()) };
  },
  primitive,
  image,
  inverseBinds: (skin: number): Float32Array => current().inverse_binds(skin),
  animation(index: number, channels: number): ChannelData[] {
    return [...Array(channels).keys()].map((channel) => ({
      times: current().channel_times(index, channel),
      values: current().channel_values(index, channel),
    }));
  },
  posed: (node: number, index: number, animation: number, seconds: number): Float32Array => current().posed(node, index, animation, seconds),
  picture: (size: number): Uint8Array => current().picture(size, 35, 22),
  topCount: (): number => current().top_count(),
  parts: (way: number[], from: number, count: number): unknown => JSON.parse(current().parts(Uint32Array.from(way), from, count)),
  partAt: (byte: number, inside: boolean): unknown => JSON.parse(current().part_at(byte, inside)),
  partOf: (path: string): unknown => JSON.parse(current().part_of(path)),
  fields: (start: number, end: number, inside: boolean): unknown => JSON.parse(current().fields(start, end, inside)),
  strip: (count: number, inside: boolean): unknown => JSON.parse(current().strip(count, inside)),
  decoded: (): Uint8Array => current().decoded(),
  search: (words: string, count: number): unknown => JSON.parse(current().search(words, count)),
  origin: (mesh: number, index: number, what: string, element: number): unknown => JSON.parse(current().origin(mesh, index, what, element)),
  shownBy: (byte: number, inside: boolean): unknown => JSON.parse(current().shown_by(byte, inside)),
  convert(extension: string, options: Record<string, unknown>): { report: unknown; files: Uint8Array[] } {
    const converted = current().convert(extension, JSON.stringify(options));
    try {
      const report = JSON.parse(converted.report()) as { files: unknown[] };
      return { report, files: report.files.map((_, i) => converted.file(i)) };
    } finally {
      converted.free();
    }
  },
  diff(name: string, bytes: Uint8Array, files: GivenFile[]): unknown {
    const other = read(name, bytes, files, 0);
    try {
      return JSON.parse(current().diff(other));
    } finally {
      other.free();
    }
  },
  distances: (corners: Float32Array, points: Float32Array): Float32Array => distances(corners, points),
  explain: (code: string): unknown => JSON.parse(explain(code)),
  formats: (): unknown => JSON.parse(formats()),
};

export type Calls = typeof calls;

/** Buffers in a result, which move to the page without a copy. */
function buffers(value: unknown, found: Set<ArrayBufferLike> = new Set()): Set<ArrayBufferLike> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (Array.isArray(value)) value.forEach((item) => buffers(item, found));
  else if (value && typeof value === "object") Object.values(value).forEach((item) => buffers(item, found));
  return found;
}

self.onmessage = (event: MessageEvent<{ id: number; call: keyof Calls; args: unknown[] }>) => {
  const { id, call, args } = event.data;
  try {
    const result = (calls[call] as (...args: unknown[]) => unknown)(...args);
    const large = call === "primitive" || call === "image" || call === "animation" || call === "convert" || call === "decoded";
    const move = large ? [...buffers(result)] : [];
    (self as unknown as Worker).postMessage({ id, result }, move as Transferable[]);
  } catch (error) {
    // A trap of the library leaves it unusable; the page starts a new worker then.
    const fatal = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    (self as unknown as Worker).postMessage({ id, error: String((error as Error)?.message ?? error), fatal });
  }
};
