/** The page's side of a document's worker. */

import type { Calls } from "./worker";
import type {
  ChannelData, ConvertReport, DiffReport, Explanation, FormatInfo, FoundPart, GivenFile, ImageData8, Info, Part, Place, PrimitiveData, PrimitiveInfo,
  SceneInfo, Shown,
} from "./types";

let workerAddress = "";
let compiled: Promise<WebAssembly.Module>;

/** Base64 to bytes, piece by piece so that no long list of arguments is made. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** Unpacks the library that the page brings with it. */
export function prepare(wasm: string, worker: string): void {
  workerAddress = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
  compiled = inflate(fromBase64(wasm)).then((bytes) => WebAssembly.compile(bytes));
}

export class Cancelled extends Error {}

export class Engine {
  #worker = new Worker(workerAddress);
  #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #next = 1;
  #dead: Error | null = null;
  #started: Promise<unknown>;

  constructor() {
    this.#worker.onmessage = ({ data }) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting?.resolve(data.result as never);
      else {
        const error = new Error(data.error);
        waiting?.reject(error);
        if (data.fatal) this.#end(new Error(`the library gave up on this file: ${data.error}`));
      }
    };
    this.#worker.onerror = (event) => this.#end(new Error(event.message || "the worker failed"));
    this.#started = compiled.then((module) => this.#post("start", [module]));
  }

  #end(error: Error): void {
    this.#dead = error;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** Stops whatever it is doing. */
  close(): void {
    this.#end(new Cancelled("stopped"));
  }

  #post<T>(call: keyof Calls, args: unknown[], move: Transferable[] = []): Promise<T> {
    if (this.#dead) return Promise.reject(this.#dead);
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: never) => void, reject });
      this.#worker.postMessage({ id, call, args }, move);
    });
  }

  async #call<T>(call: keyof Calls, ...args: unknown[]): Promise<T> {
    await this.#started;
    return this.#post<T>(call, args);
  }

  open(name: string, bytes: Uint8Array, files: GivenFile[], fps = 0): Promise<{ info: Info; scene: SceneInfo | null }> {
    return this.#call("open", name, bytes, files, fps);
  }
  primitive(mesh: number, index: number, info: PrimitiveInfo, targets: number): Promise<PrimitiveData> {
    return this.#call("primitive", mesh, index, { uvs: info.uvs, joints: info.joints, colors: info.colors, targets });
  }
  image(index: number): Promise<ImageData8> {
    return this.#call("image", index);
  }
  inverseBinds(skin: number): Promise<Float32Array> {
    return this.#call("inverseBinds", skin);
  }
  animation(index: number, channels: number): Promise<ChannelData[]> {
    return this.#call("animation", index, channels);
  }
  posed(node: number, primitive: number, animation: number, seconds: number): Promise<Float32Array> {
    return this.#call("posed", node, primitive, animation, seconds);
  }
  picture(size: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#call("picture", size);
  }
  topCount(): Promise<number> {
    return this.#call("topCount");
  }
  parts(way: number[], from: number, count: number): Promise<Part[]> {
    return this.#call("parts", way, from, count);
  }
  partAt(byte: number, inside: boolean): Promise<FoundPart | null> {
    return this.#call("partAt", byte, inside);
  }
  partOf(path: string): Promise<FoundPart | null> {
    return this.#call("partOf", path);
  }
  fields(start: number, end: number, inside: boolean): Promise<[number, number, string, string, string][]> {
    return this.#call("fields", start, end, inside);
  }
  strip(count: number, inside: boolean): Promise<string[]> {
    return this.#call("strip", count, inside);
  }
  decoded(): Promise<Uint8Array> {
    return this.#call("decoded");
  }
  search(words: string, count: number): Promise<FoundPart[]> {
    return this.#call("search", words, count);
  }
  origin(mesh: number, primitive: number, what: "vertex" | "triangle", element: number): Promise<Place | null> {
    return this.#call("origin", mesh, primitive, what, element);
  }
  shownBy(byte: number, inside: boolean): Promise<Shown> {
    return this.#call("shownBy", byte, inside);
  }
  convert(extension: string, options: Record<string, unknown>): Promise<{ report: ConvertReport; files: Uint8Array<ArrayBuffer>[] }> {
    return this.#call("convert", extension, options);
  }
  diff(name: string, bytes: Uint8Array, files: GivenFile[]): Promise<DiffReport> {
    return this.#call("diff", name, bytes, files);
  }
  /** How far points are from triangles. The lists move to the worker. */
  async distances(corners: Float32Array, points: Float32Array): Promise<Float32Array> {
    await this.#started;
    return this.#post("distances", [corners, points], [corners.buffer, points.buffer] as Transferable[]);
  }
  explain(code: string): Promise<Explanation | null> {
    return this.#call("explain", code);
  }
  formats(): Promise<FormatInfo[]> {
    return this.#call("formats");
  }
}
