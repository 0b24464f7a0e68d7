/** What crosses from the worker, as the library's JSON has it. */

export type Severity = "error" | "warning" | "info";

export interface Issue {
  code: string;
  severity: Severity;
  message: string;
  offset: number | null;
  length: number | null;
  path: string;
}

export interface Info {
  file: string;
  format: string | null;
  format_name: string | null;
  profile: string | null;
  bytes: number;
  readable: boolean;
  contents: Record<string, number>;
  geometry: { vertices: number; triangles: number } | null;
  drawn: { vertices: number; triangles: number } | null;
  bounds: { min: number[]; max: number[] } | null;
  axes: { up: string; front: string; handedness: string } | null;
  unit: string | null;
  metres: number | null;
  counts: Record<Severity, number>;
  issues: Issue[];
  damage: string[];
  textures: { name: string; found: boolean; reason: string }[];
}

export interface NodeInfo {
  name: string;
  parent: number | null;
  children: number[];
  mesh: number | null;
  skin: number | null;
  camera: number | null;
  light: number | null;
  weights: number[];
  visible: boolean;
  lods: { node: number; distance: number | null }[];
  path: string;
  extras: unknown;
  t?: [number, number, number];
  r?: [number, number, number, number];
  s?: [number, number, number];
  m?: number[];
}

export interface PrimitiveInfo {
  topology: "triangles" | "lines" | "line-strip" | "line-loop" | "points";
  vertices: number;
  indices: number;
  normals: boolean;
  tangents: boolean;
  uvs: number;
  colors: number;
  joints: number;
  custom: string[];
  material: number | null;
  path: string;
  vertex_path: string;
  triangle_path: string;
  extras: unknown;
}

export interface MeshInfo {
  name: string;
  weights: number[];
  targets: number;
  target_names: string[];
  primitives: PrimitiveInfo[];
  extras: unknown;
}

export interface TextureUse {
  texture: number;
  set: number;
  transform: { offset: [number, number]; rotation: number; scale: [number, number] } | null;
}

export interface MaterialInfo {
  name: string;
  color: [number, number, number, number];
  texture: TextureUse | null;
  shading: {
    kind: "pbr" | "phong" | "specular-glossiness";
    metallic?: number;
    roughness?: number;
    metallic_roughness_texture?: TextureUse | null;
    specular?: number[];
    shininess?: number;
    glossiness?: number;
    opacity_texture?: TextureUse | null;
  };
  emissive: [number, number, number];
  emissive_texture: TextureUse | null;
  normal_texture: TextureUse | null;
  normal_scale: number | null;
  occlusion_texture: TextureUse | null;
  alpha: "opaque" | "mask" | "blend" | "add" | "multiply";
  cutoff: number | null;
  double_sided: boolean;
  unlit: boolean;
  path: string;
  extras: unknown;
}

export interface AnimationInfo {
  name: string;
  seconds: number;
  fps: number | null;
  channels: { node: number; property: string; interpolation: string; keys: number; width: number }[];
  path: string;
  extras: unknown;
}

export interface SceneInfo {
  scenes: { name: string; roots: number[]; extras: unknown }[];
  shown: number;
  nodes: NodeInfo[];
  meshes: MeshInfo[];
  skins: { name: string; joints: number[]; extras: unknown }[];
  materials: MaterialInfo[];
  textures: { name: string; image: number | null; sampler: { u: string; v: string; nearest: boolean } | null }[];
  images: { name: string; uri: string | null; mime: string | null; bytes: number | null; extras: unknown }[];
  cameras: { name: string; projection: CameraProjection; path: string; extras: unknown }[];
  lights: LightInfo[];
  animations: AnimationInfo[];
  ambient: number[] | null;
  extras: unknown;
}

export interface CameraProjection {
  kind: "perspective" | "orthographic";
  yfov?: number;
  near: number;
  far: number | null;
  xmag?: number;
  ymag?: number;
}

export interface LightInfo {
  name: string;
  kind: "point" | "spot" | "directional";
  inner: number | null;
  outer: number | null;
  color: [number, number, number];
  intensity: number;
  range: number | null;
  attenuation: number[] | null;
  path: string;
  extras: unknown;
}

/** A part of the file: a group, a table, a record, a field. */
export interface Part {
  name: string;
  start: number;
  end: number;
  parts: number;
  inside: boolean;
  region?: string;
  type?: string;
  value?: string;
  table?: boolean;
  record?: boolean;
}

export interface FoundPart extends Part {
  way: number[];
  path: string;
}

export interface Place {
  path: string | null;
  start: number;
  end: number;
  inside: boolean;
}

export interface ShownElement {
  mesh: number;
  primitive: number;
  what: "vertex" | "triangle";
  element: number;
}

export interface Shown {
  node?: number;
  material?: number;
  camera?: number;
  light?: number;
  animation?: number;
  elements: ShownElement[];
  primitives: { mesh: number; primitive: number }[];
}

export interface Loss {
  code: string;
  kind: string;
  path: string;
  message: string;
  count: number;
  max_error: number | null;
  mean_error: number | null;
  unit: string | null;
}

export interface ConvertReport {
  error?: string;
  from?: string;
  to?: string;
  lossless?: boolean;
  losses?: Loss[];
  issues: Issue[];
  engine?: Issue[];
  files: { name: string; bytes: number }[];
}

export interface DiffReport {
  error?: string;
  equal?: boolean;
  differences?: Loss[];
}

export interface Explanation {
  code: string;
  severity: Severity;
  title: string;
  document: string;
  why: string;
  fix: string;
}

export interface FormatInfo {
  id: string;
  name: string;
  about: string;
  extensions: string[];
  mime: string;
  unit: string;
  holds: { aspect: string; how: "fully" | "partly" | "no"; remark: string }[];
  options: { name: string; values: string[]; help: string; reading: boolean }[];
}

export interface PrimitiveData {
  positions: Float32Array;
  normals: Float32Array;
  uvs: Float32Array[];
  color: Float32Array | null;
  joints: Uint16Array[];
  weights: Float32Array[];
  indices: Uint32Array;
  targets: { positions: Float32Array; normals: Float32Array }[];
}

export interface ChannelData {
  times: Float32Array;
  values: Float32Array;
}

export type ImageData8 =
  | { kind: "file"; bytes: Uint8Array; mime: string }
  | { kind: "texels"; width: number; height: number; texels: Uint8Array }
  | null;

export interface GivenFile {
  path: string;
  bytes: Uint8Array;
}
