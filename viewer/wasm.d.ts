// What crates/menagerie-wasm offers; the build puts the glue that wasm-bindgen makes in its place.
export class Beside {
  add(path: string, bytes: Uint8Array): void;
  free(): void;
}
export class Converted {
  report(): string;
  file(index: number): Uint8Array;
  free(): void;
}
export class Document {
  constructor(bytes: Uint8Array, name: string, beside: Beside, fps: number);
  info(): string;
  scene(): string;
  picture(size: number, azimuth: number, elevation: number): Uint8Array;
  floats(mesh: number, primitive: number, list: string, number: number): Float32Array;
  indices(mesh: number, primitive: number): Uint32Array;
  joints(mesh: number, primitive: number, set: number): Uint16Array;
  inverse_binds(skin: number): Float32Array;
  channel_times(animation: number, channel: number): Float32Array;
  channel_values(animation: number, channel: number): Float32Array;
  image(image: number): Uint8Array;
  texels(image: number): Uint8Array;
  posed(node: number, primitive: number, animation: number, seconds: number): Float32Array;
  parts(way: Uint32Array, from: number, count: number): string;
  top_count(): number;
  part_at(byte: number, inside: boolean): string;
  part_of(path: string): string;
  fields(start: number, end: number, inside: boolean): string;
  strip(count: number, inside: boolean): string;
  decoded(): Uint8Array;
  search(words: string, count: number): string;
  origin(mesh: number, primitive: number, what: string, element: number): string;
  shown_by(byte: number, inside: boolean): string;
  convert(extension: string, options: string): Converted;
  diff(other: Document): string;
  free(): void;
}
export function explain(id: string): string;
export function formats(): string;
export function distances(corners: Float32Array, points: Float32Array): Float32Array;
export function initSync(options: { module: WebAssembly.Module | BufferSource }): unknown;
