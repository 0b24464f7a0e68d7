/** A document's Scene as objects of three.js. Numbers of nodes, meshes, primitives and triangles stay those of the Scene. */

import {
  AdditiveBlending, BufferAttribute, BufferGeometry, ClampToEdgeWrapping, Color, DataTexture, DoubleSide, FrontSide, Group, Line, LineBasicMaterial,
  LineLoop, LineSegments, Material, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, MirroredRepeatWrapping, MultiplyBlending, NearestFilter,
  Object3D, Points, PointsMaterial, RepeatWrapping, RGBAFormat, Skeleton, SkinnedMesh, SRGBColorSpace, Texture, Vector3,
} from "three";
import type { Engine } from "../engine";
import type { ChannelData, MaterialInfo, PrimitiveData, PrimitiveInfo, SceneInfo, TextureUse } from "../types";
import { pose } from "./animate";

/** A primitive where a node shows it. */
export interface Drawable {
  object: Mesh | SkinnedMesh | LineSegments | Points;
  node: number;
  mesh: number;
  primitive: number;
  info: PrimitiveInfo;
  /** The look that the model gives it. */
  material: Material;
  /** Joints beyond four a vertex, which the graphics card does not know. */
  many: ManyJoints | null;
}

interface ManyJoints {
  rest: Float32Array;
  joints: Uint16Array[];
  weights: Float32Array[];
  bones: Object3D[];
  inverses: Matrix4[];
}

/** A small file may show one mesh any number of times: what goes beyond this is left out, and said. */
const MOST_INSTANCES = 20_000;
const MOST_TRIANGLES = 5_000_000;

export class Model {
  readonly root = new Group();
  readonly objects: Object3D[] = [];
  readonly drawables: Drawable[] = [];
  readonly images = new Map<number, Texture>();
  /** Nodes that were left out, because they are too many. */
  leftOut = 0;
  /** How many levels of detail there are, the most detailed included. */
  readonly levels: number;
  level = 0;
  showHidden = false;
  animation = -1;
  time = 0;
  /** Morph weights that somebody set by hand, by node. */
  readonly morphs = new Map<number, number[]>();
  #channels = new Map<number, ChannelData[]>();
  #geometries = new Map<string, { geometry: BufferGeometry; data: PrimitiveData }>();
  #skeletons: { skeleton: Skeleton; extra: number }[] = [];

  private constructor(readonly scene: SceneInfo, readonly engine: Engine) {
    this.levels = 1 + Math.max(0, ...scene.nodes.map((node) => node.lods.length));
    scene.nodes.forEach((_, i) => {
      const object = new Object3D();
      object.name = `node ${i}`;
      this.objects.push(object);
    });
    scene.nodes.forEach((node, i) => (node.parent === null ? this.root : this.objects[node.parent]).add(this.objects[i]));
  }

  /** Fetches everything that is shown first and builds it; pictures follow. */
  static async build(scene: SceneInfo, engine: Engine, onPicture: () => void): Promise<Model> {
    const model = new Model(scene, engine);
    pose(scene, model.objects, null, [], 0);
    const materials = scene.materials.map((info) => makeMaterial(info));
    const standard = makeMaterial(null);
    let made = 0;
    let triangles = 0;
    const met = new Set<number>();
    for (const [index, node] of scene.nodes.entries()) {
      if (node.mesh === null) continue;
      const mesh = scene.meshes[node.mesh];
      // Each mesh is shown once in any case.
      triangles += met.has(node.mesh) ? mesh.primitives.reduce((sum, one) => sum + one.indices / 3, 0) : 0;
      if (++made > MOST_INSTANCES || (triangles > MOST_TRIANGLES && met.has(node.mesh))) {
        model.leftOut++;
        continue;
      }
      met.add(node.mesh);
      for (const [number, info] of mesh.primitives.entries()) {
        if (info.vertices === 0) continue;
        const { geometry, data } = await model.#geometry(node.mesh, number, info, mesh.targets);
        const own = info.material === null ? standard : materials[info.material];
        const material = variantFor(own, info, data);
        await model.#add(index, node.mesh, number, info, geometry, data, material);
      }
    }
    model.update();
    void model.#pictures(materials).then(onPicture);
    return model;
  }

  async #geometry(mesh: number, primitive: number, info: PrimitiveInfo, targets: number): Promise<{ geometry: BufferGeometry; data: PrimitiveData }> {
    const key = `${mesh}/${primitive}`;
    const known = this.#geometries.get(key);
    if (known) return known;
    const data = await this.engine.primitive(mesh, primitive, info, targets);
    const made = { geometry: makeGeometry(data, info), data };
    this.#geometries.set(key, made);
    return made;
  }

  async #add(node: number, mesh: number, primitive: number, info: PrimitiveInfo, geometry: BufferGeometry, data: PrimitiveData, material: Material): Promise<void> {
    const skin = this.scene.nodes[node].skin;
    let object: Drawable["object"];
    let many: ManyJoints | null = null;
    if (info.topology !== "triangles") {
      object = makeLines(info, geometry, material);
      this.objects[node].add(object);
    } else if (skin !== null && info.joints > 0) {
      const { bones, inverses, own } = await this.#bones(skin, node);
      if (info.joints === 1) {
        const skinned = new SkinnedMesh(skinGeometry(geometry, data, own), material);
        skinned.bindMode = "detached";
        const skeleton = new Skeleton(bones as never, inverses);
        this.#skeletons.push({ skeleton, extra: own });
        skinned.bind(skeleton, new Matrix4());
        object = skinned;
      } else {
        object = new Mesh(geometry.clone(), material);
        many = { rest: data.positions, joints: data.joints, weights: data.weights, bones, inverses };
      }
      // Skinned vertices are where the joints have them, whatever the node's own place.
      this.root.add(object);
    } else {
      object = new Mesh(geometry, material);
      this.objects[node].add(object);
    }
    object.frustumCulled = false;
    this.drawables.push({ object, node, mesh, primitive, info, material, many });
  }

  /** The joints of a skin, and after them the node itself for vertices that hang on nothing. */
  async #bones(skin: number, node: number): Promise<{ bones: Object3D[]; inverses: Matrix4[]; own: number }> {
    const { joints } = this.scene.skins[skin];
    const binds = await this.engine.inverseBinds(skin);
    const inverses = joints.map((_, i) => new Matrix4().fromArray(binds, i * 16));
    const bones = joints.map((joint) => this.objects[joint]);
    return { bones: [...bones, this.objects[node]], inverses: [...inverses, new Matrix4()], own: joints.length };
  }

  async #pictures(materials: MeshStandardMaterial[] | Material[]): Promise<void> {
    for (const [index, info] of this.scene.materials.entries()) {
      const uses = textureUses(info);
      for (const [slot, use, isColor] of uses) {
        const texture = await this.#texture(use, isColor);
        if (!texture) continue;
        for (const material of [materials[index], ...(variants.get(materials[index])?.values() ?? [])]) {
          if (slot in material) {
            (material as unknown as Record<string, Texture>)[slot] = texture;
            material.needsUpdate = true;
          }
        }
      }
    }
  }

  async #texture(use: TextureUse, isColor: boolean): Promise<Texture | null> {
    const info = this.scene.textures[use.texture];
    if (!info || info.image === null) return null;
    const picture = await this.picture(info.image);
    if (!picture) return null;
    const texture = picture.clone();
    texture.channel = Math.min(use.set, 3);
    texture.colorSpace = isColor ? SRGBColorSpace : "";
    const wrap = (how: string | undefined) => (how === "clamp" ? ClampToEdgeWrapping : how === "mirror" ? MirroredRepeatWrapping : RepeatWrapping);
    texture.wrapS = wrap(info.sampler?.u);
    texture.wrapT = wrap(info.sampler?.v);
    const { width, height } = picture.image as { width: number; height: number };
    if (info.sampler?.nearest || Math.max(width, height) <= 32) texture.magFilter = NearestFilter;
    texture.anisotropy = 8;
    if (use.transform) {
      const { offset, rotation, scale } = use.transform;
      texture.offset.fromArray(offset);
      texture.repeat.fromArray(scale);
      texture.rotation = rotation;
    }
    texture.needsUpdate = true;
    return texture;
  }

  /** A picture of the model, decoded once. */
  async picture(index: number): Promise<Texture | null> {
    const known = this.images.get(index);
    if (known) return known;
    const data = await this.engine.image(index).catch(() => null);
    if (!data) return null;
    let texture: Texture;
    if (data.kind === "texels") {
      texture = new DataTexture(data.texels, data.width, data.height, RGBAFormat);
      texture.generateMipmaps = true;
      texture.minFilter = 1008;
      texture.magFilter = 1006;
    } else {
      const blob = new Blob([data.bytes as Uint8Array<ArrayBuffer>], { type: data.mime });
      const bitmap = await createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" }).catch(() => null);
      if (!bitmap) return null;
      texture = new Texture(bitmap);
    }
    texture.flipY = false;
    this.images.set(index, texture);
    return texture;
  }

  /** The keys of an animation, fetched when it is first played. */
  async load(animation: number): Promise<void> {
    if (animation < 0 || this.#channels.has(animation)) return;
    this.#channels.set(animation, await this.engine.animation(animation, this.scene.animations[animation].channels.length));
  }

  /** Poses the model at its time. */
  update(): void {
    const { scene } = this;
    const info = scene.animations[this.animation] ?? null;
    const moved = pose(scene, this.objects, info, this.#channels.get(this.animation) ?? [], this.time);
    this.root.updateMatrixWorld(true);
    for (const { skeleton } of this.#skeletons) skeleton.update();
    const shown = this.#shown();
    for (const drawable of this.drawables) {
      drawable.object.visible = shown.has(drawable.node);
      const mesh = drawable.object as Mesh;
      if (mesh.morphTargetInfluences) {
        const node = scene.nodes[drawable.node];
        const weights = this.morphs.get(drawable.node) ?? moved.get(drawable.node) ?? (node.weights.length ? node.weights : scene.meshes[drawable.mesh].weights);
        mesh.morphTargetInfluences.forEach((_, i, list) => (list[i] = weights[i] ?? 0));
      }
      if (drawable.many && drawable.object.visible) skinByHand(drawable.object as Mesh, drawable.many);
    }
  }

  /** The nodes that are shown at the level of detail. */
  #shown(): Set<number> {
    const { scene } = this;
    const roots = scene.scenes[scene.shown]?.roots ?? scene.scenes[0]?.roots ?? [];
    const open = [...roots].reverse();
    const shown = new Set<number>();
    while (open.length) {
      let index = open.pop()!;
      const node = scene.nodes[index];
      if (!node || (!node.visible && !this.showHidden)) continue;
      const level = Math.min(this.level, node.lods.length);
      if (level > 0) index = node.lods[level - 1].node;
      if (shown.has(index)) continue;
      shown.add(index);
      open.push(...[...scene.nodes[index].children].reverse());
    }
    return shown;
  }

  /** Triangles and vertices that are shown now. */
  counts(): { vertices: number; triangles: number } {
    const all = { vertices: 0, triangles: 0 };
    for (const { object, info } of this.drawables) {
      if (!object.visible) continue;
      all.vertices += info.vertices;
      if (info.topology === "triangles") all.triangles += Math.floor(info.indices / 3);
    }
    return all;
  }

  /** Where a vertex is in the world now. */
  vertex(drawable: Drawable, index: number, out: Vector3): Vector3 {
    const { object } = drawable;
    if (object instanceof Mesh) object.getVertexPosition(index, out);
    else out.fromBufferAttribute((object as LineSegments).geometry.getAttribute("position"), index);
    return out.applyMatrix4(object.matrixWorld);
  }

  dispose(): void {
    for (const { geometry } of this.#geometries.values()) geometry.dispose();
    for (const texture of this.images.values()) texture.dispose();
    for (const { object, material } of this.drawables) {
      object.geometry.dispose();
      material.dispose();
    }
  }
}

/** Looks of the same material for primitives with colours, or without normals. */
const variants = new WeakMap<Material, Map<string, Material>>();

function variantFor(material: Material, info: PrimitiveInfo, data: PrimitiveData): Material {
  const key = `${data.color ? "c" : ""}${info.normals ? "" : "f"}`;
  if (!key) return material;
  const known = variants.get(material) ?? new Map<string, Material>();
  variants.set(material, known);
  let variant = known.get(key);
  if (!variant) {
    variant = material.clone();
    variant.vertexColors = data.color !== null;
    if (!info.normals && "flatShading" in variant) variant.flatShading = true;
    known.set(key, variant);
  }
  return variant;
}

function makeGeometry(data: PrimitiveData, info: PrimitiveInfo): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(data.positions, 3));
  if (data.normals.length) geometry.setAttribute("normal", new BufferAttribute(data.normals, 3));
  data.uvs.forEach((uv, set) => geometry.setAttribute(set === 0 ? "uv" : `uv${set}`, new BufferAttribute(uv, 2)));
  if (data.color) geometry.setAttribute("color", new BufferAttribute(data.color, 4));
  geometry.setIndex(new BufferAttribute(data.indices, 1));
  if (info.topology === "triangles" && data.targets.length) {
    const blank = (): Float32Array => new Float32Array(data.positions.length);
    const list = (part: "positions" | "normals") =>
      data.targets.map((target) => new BufferAttribute(target[part].length ? target[part] : blank(), 3));
    geometry.morphAttributes.position = list("positions");
    if (data.normals.length && data.targets.some((target) => target.normals.length)) geometry.morphAttributes.normal = list("normals");
    geometry.morphTargetsRelative = true;
  }
  return geometry;
}

/** Vertices without any weight hang on the joint `own`. */
function skinGeometry(geometry: BufferGeometry, data: PrimitiveData, own: number): BufferGeometry {
  if (geometry.hasAttribute("skinIndex")) return geometry;
  const joints = data.joints[0];
  const weights = data.weights[0];
  for (let i = 0; i < weights.length; i += 4) {
    if (weights[i] + weights[i + 1] + weights[i + 2] + weights[i + 3] === 0) {
      joints[i] = own;
      weights[i] = 1;
    }
  }
  geometry.setAttribute("skinIndex", new BufferAttribute(joints, 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(weights, 4));
  return geometry;
}

const blended = new Matrix4();
const term = new Matrix4();
const point = new Vector3();

function skinByHand(mesh: Mesh, many: ManyJoints): void {
  const matrices = many.bones.map((bone, i) => new Matrix4().multiplyMatrices(bone.matrixWorld, many.inverses[i]));
  const positions = mesh.geometry.getAttribute("position") as BufferAttribute;
  const own = matrices[matrices.length - 1];
  for (let vertex = 0; vertex < positions.count; vertex++) {
    blended.elements.fill(0);
    let sum = 0;
    many.weights.forEach((weights, set) => {
      for (let i = vertex * 4; i < vertex * 4 + 4; i++) {
        if (weights[i] === 0) continue;
        term.copy(matrices[many.joints[set][i]] ?? own).multiplyScalar(weights[i]);
        term.elements.forEach((x, at) => (blended.elements[at] += x));
        sum += weights[i];
      }
    });
    point.fromArray(many.rest, vertex * 3).applyMatrix4(sum > 0 ? blended : own);
    positions.setXYZ(vertex, point.x, point.y, point.z);
  }
  positions.needsUpdate = true;
  mesh.geometry.computeVertexNormals();
  mesh.geometry.boundingSphere = null;
}

function makeLines(info: PrimitiveInfo, geometry: BufferGeometry, look: Material): LineSegments | Points {
  const color = "color" in look ? (look.color as Color) : new Color(0xcccccc);
  const vertexColors = geometry.hasAttribute("color");
  if (info.topology === "points") return new Points(geometry, new PointsMaterial({ color, vertexColors, size: 3, sizeAttenuation: false }));
  const material = new LineBasicMaterial({ color, vertexColors });
  const made = info.topology === "lines" ? new LineSegments(geometry, material) : info.topology === "line-loop" ? new LineLoop(geometry, material) : new Line(geometry, material);
  return made as unknown as LineSegments;
}

/** Which pictures a material uses where. */
function textureUses(info: MaterialInfo): [string, TextureUse, boolean][] {
  const uses: [string, TextureUse | null | undefined, boolean][] = [
    ["map", info.texture, true],
    ["emissiveMap", info.emissive_texture, true],
    ["normalMap", info.normal_texture, false],
    ["aoMap", info.occlusion_texture, false],
    ["roughnessMap", info.shading.metallic_roughness_texture, false],
    ["metalnessMap", info.shading.metallic_roughness_texture, false],
    ["alphaMap", info.shading.opacity_texture, false],
  ];
  return uses.filter((use): use is [string, TextureUse, boolean] => !!use[1]);
}

function makeMaterial(info: MaterialInfo | null): MeshStandardMaterial | MeshBasicMaterial {
  if (!info) return new MeshStandardMaterial({ color: 0xc9ced6, roughness: 0.85, metalness: 0 });
  const [r, g, b, a] = info.color;
  const common = {
    // Names come from files, and three.js writes those of materials into its shaders: they stay out.
    color: new Color().setRGB(r, g, b),
    opacity: info.alpha === "opaque" ? 1 : a,
    transparent: info.alpha !== "opaque" && info.alpha !== "mask",
    alphaTest: info.alpha === "mask" ? (info.cutoff ?? 0.5) : 0,
    side: info.double_sided ? DoubleSide : FrontSide,
  };
  const material = info.unlit ? new MeshBasicMaterial(common) : new MeshStandardMaterial({ ...common, ...surface(info) });
  if (info.alpha === "add") material.blending = AdditiveBlending;
  if (info.alpha === "multiply") {
    material.blending = MultiplyBlending;
    material.premultipliedAlpha = true;
  }
  if (common.transparent) material.depthWrite = a > 0.95 && info.alpha === "blend";
  return material;
}

function surface(info: MaterialInfo): { roughness: number; metalness: number; emissive: Color } {
  const { shading } = info;
  const emissive = new Color().setRGB(...info.emissive);
  if (shading.kind === "pbr") return { roughness: shading.roughness ?? 1, metalness: shading.metallic ?? 0, emissive };
  const shines = Math.max(0, ...(shading.specular ?? [0]));
  const sharp = shading.kind === "phong" ? Math.sqrt(2 / ((shading.shininess ?? 0) + 2)) : 1 - (shading.glossiness ?? 0);
  return { roughness: 1 - shines * (1 - sharp), metalness: 0, emissive };
}
