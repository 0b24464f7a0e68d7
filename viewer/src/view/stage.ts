/** The picture: a canvas, a camera, light, a ground, one model or two beside each other. */

import {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, DoubleSide, GridHelper, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, Mesh, MeshNormalMaterial, MeshStandardMaterial, NeutralToneMapping, OrthographicCamera, PerspectiveCamera, PMREMGenerator, PointLight, Raycaster,
  RepeatWrapping, Scene, SkinnedMesh, SpotLight, SRGBColorSpace, Vector2, Vector3, WebGLRenderer, type Camera, type Material, type Texture,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import type { Info } from "../types";
import type { Drawable, Model } from "./model";
import { bounds, Overlays } from "./overlays";

export type Mode = "shaded" | "clay" | "normals" | "checker";
export type Side = "front" | "back" | "left" | "right" | "top" | "bottom" | "corner";

/** What a click met. */
export interface Hit {
  drawable: Drawable;
  triangle: number;
  /** The corner that is nearest to the click. */
  vertex: number;
}

interface Shown {
  model: Model;
  overlays: Overlays;
  info: Info;
  scene: Scene;
  box: Box3;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly labels: HTMLCanvasElement;
  readonly controls: OrbitControls;
  mode: Mode = "shaded";
  modelLights = false;
  ground = true;
  modelCamera = -1;
  playing = false;
  speed = 1;
  loop = true;
  onTime: (time: number) => void = () => undefined;
  #renderer: WebGLRenderer;
  #camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  #main: Shown | null = null;
  #second: Shown | null = null;
  #studio = new Group();
  #own = new Group();
  #ground = new Group();
  #last = 0;
  #dirty = true;
  #room: Texture | null = null;
  #clay = new MeshStandardMaterial({ color: 0xbfc5cf, roughness: 0.9, side: DoubleSide });
  #facing = new MeshNormalMaterial({ side: DoubleSide });
  #checker = new MeshStandardMaterial({ map: checkerTexture(), roughness: 0.9, side: DoubleSide });
  #plain = new MeshStandardMaterial({ color: 0x7a4b86, roughness: 0.9, side: DoubleSide });
  #background = new Color();
  #grid = new Color();

  constructor(readonly host: HTMLElement) {
    this.#renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true, alpha: true });
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.#renderer.toneMapping = NeutralToneMapping;
    this.canvas = this.#renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.labels = document.createElement("canvas");
    this.labels.className = "labels";
    this.labels.setAttribute("aria-hidden", "true");
    host.append(this.canvas, this.labels);
    this.controls = new OrbitControls(this.#camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.addEventListener("change", () => (this.#dirty = true));
    this.controls.addEventListener("start", () => this.useCamera(-1));
    this.#lightStudio();
    new ResizeObserver(() => this.#resize()).observe(host);
    this.#resize();
    requestAnimationFrame((now) => this.#tick(now));
  }

  #lightStudio(): void {
    const key = new DirectionalLight(0xfffaf2, 1.75);
    key.position.set(0.6, 1.1, 0.9);
    const fill = new DirectionalLight(0xdfe8ff, 0.35);
    fill.position.set(-1, 0.3, 0.4);
    const rim = new DirectionalLight(0xffffff, 0.55);
    rim.position.set(-0.3, 0.6, -1);
    this.#studio.add(new HemisphereLight(0xf4f7ff, 0x5c554c, 0.85), key, fill, rim);
  }

  /** A room for metal to mirror; made when the first metal is shown, for it takes its time. */
  #environment(): Texture {
    this.#room ??= new PMREMGenerator(this.#renderer).fromScene(new RoomEnvironment(), 0.04).texture;
    return this.#room;
  }

  get main(): Model | null {
    return this.#main?.model ?? null;
  }
  get overlays(): Overlays | null {
    return this.#main?.overlays ?? null;
  }

  /** Shows a model, or nothing. */
  show(model: Model | null, overlays: Overlays | null, info: Info | null, frame: boolean): void {
    this.#second = null;
    this.#main = model && overlays && info ? this.#put(model, overlays, info) : null;
    this.modelCamera = -1;
    if (frame) this.frame("corner");
    this.refresh();
  }

  /** Shows another model beside the first, from the same place. */
  beside(model: Model | null, overlays: Overlays | null, info: Info | null): void {
    this.#second = model && overlays && info ? this.#put(model, overlays, info) : null;
    this.refresh();
  }
  get isSplit(): boolean {
    return this.#second !== null;
  }

  #put(model: Model, overlays: Overlays, info: Info): Shown {
    const scene = new Scene();
    scene.environment = model.scene.materials.some(({ shading }) => (shading.metallic ?? 0) > 0.05) ? this.#environment() : null;
    scene.add(model.root, overlays.group);
    const shown = { model, overlays, info, scene, box: new Box3() };
    model.update();
    this.#measure(shown);
    return shown;
  }

  #measure(shown: Shown): void {
    shown.box.makeEmpty();
    for (const drawable of shown.model.drawables) {
      if (drawable.object.visible) shown.box.union(bounds(shown.model, drawable));
    }
    if (shown.box.isEmpty() || !Number.isFinite(shown.box.getSize(new Vector3()).length())) shown.box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
  }

  /** Draws everything again: the pose, the level, the mode or the overlays changed. */
  refresh(): void {
    for (const shown of [this.#main, this.#second]) {
      if (!shown) continue;
      shown.model.update();
      shown.overlays.update();
      for (const drawable of shown.model.drawables) {
        if (drawable.object instanceof Mesh) drawable.object.material = this.#look(drawable);
      }
    }
    this.#lights();
    this.#makeGround();
    this.#dirty = true;
  }

  #look(drawable: Drawable): Material {
    if (drawable.object.userData.heat) return drawable.object.userData.heat as Material;
    switch (this.mode) {
      case "clay":
        return this.#clay;
      case "normals":
        return this.#facing;
      case "checker":
        return drawable.info.uvs > 0 ? this.#checker : this.#plain;
      default:
        return drawable.material;
    }
  }

  #lights(): void {
    this.#own.clear();
    const model = this.#main?.model;
    if (model && this.modelLights) {
      const { scene } = model;
      const scale = this.#main!.box.getSize(new Vector3()).length();
      for (const [index, node] of scene.nodes.entries()) {
        if (node.light === null) continue;
        const info = scene.lights[node.light];
        const color = new Color().setRGB(...info.color);
        const at = new Vector3().setFromMatrixPosition(model.objects[index].matrixWorld);
        const aim = new Vector3(0, 0, -1).transformDirection(model.objects[index].matrixWorld);
        // Old engines know no candela; such lights reach as far as the model.
        const strength = Math.max(info.intensity, 0.001) * (info.attenuation ? Math.max(1, scale * scale * 0.4) : Math.max(1, scale * scale * 0.15));
        if (info.kind === "directional") {
          const light = new DirectionalLight(color, Math.min(info.intensity, 10));
          light.position.copy(aim).negate();
          this.#own.add(light);
        } else if (info.kind === "spot") {
          const light = new SpotLight(color, strength, 0, info.outer ?? 0.6, 1 - (info.inner ?? 0) / (info.outer ?? 1));
          light.position.copy(at);
          light.target.position.copy(at).add(aim);
          this.#own.add(light, light.target);
        } else {
          const light = new PointLight(color, strength);
          light.position.copy(at);
          this.#own.add(light);
        }
      }
      const [r, g, b] = scene.ambient ?? [0.15, 0.15, 0.15];
      this.#own.add(new AmbientLight(new Color().setRGB(r, g, b), 2));
    }
  }

  /** The ground in steps of one, ten, a tenth… of the file's unit, with the front marked. */
  #makeGround(): void {
    this.#ground.clear();
    if (!this.#main || !this.ground) return;
    const size = this.#main.box.getSize(new Vector3());
    const reach = Math.max(size.x, size.z, size.y * 0.4, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(reach / 2));
    const cells = Math.min(60, Math.max(4, 2 * Math.ceil((reach * 1.6) / cell / 2)));
    const grid = new GridHelper(cell * cells, cells, this.#grid, this.#grid);
    const centre = this.#main.box.getCenter(new Vector3());
    const snap = (x: number): number => Math.round(x / cell) * cell;
    grid.position.set(snap(centre.x), this.#main.box.min.y, snap(centre.z));
    (grid.material as LineBasicMaterial).transparent = true;
    (grid.material as LineBasicMaterial).opacity = 0.55;
    const half = (cell * cells) / 2;
    const arrow = new BufferGeometry();
    const [x, y, z] = [grid.position.x, grid.position.y, grid.position.z + half];
    const a = half * 0.06;
    arrow.setAttribute("position", new BufferAttribute(new Float32Array([x, y, z, x, y, z + 2.4 * a, x - a, y, z + 1.2 * a, x, y, z + 2.4 * a, x + a, y, z + 1.2 * a, x, y, z + 2.4 * a]), 3));
    this.#ground.add(grid, new LineSegments(arrow, new LineBasicMaterial({ color: "#ff8a3d" })));
    this.#ground.userData = { front: new Vector3(x, y, z + 4.6 * a), cell };
  }

  /** Puts the camera where the whole model is seen. */
  frame(side?: Side): void {
    const shown = this.#main;
    if (!shown) return;
    this.#measure(shown);
    const box = shown.box.clone();
    const centre = box.getCenter(new Vector3());
    const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-6);
    const sides: Record<Side, [number, number, number]> = {
      front: [0, 0, 1], back: [0, 0, -1], left: [1, 0, 0], right: [-1, 0, 0], top: [0, 1, 1e-4], bottom: [0, -1, 1e-4], corner: [0.62, 0.42, 0.85],
    };
    const direction = side ? new Vector3(...sides[side]) : this.#camera.position.clone().sub(this.controls.target);
    if (direction.lengthSq() < 1e-12) direction.set(...sides.corner);
    direction.normalize();
    const aspect = this.#aspect();
    const fov = (this.#camera.fov * Math.PI) / 360;
    const distance = (radius / Math.sin(Math.min(fov, Math.atan(Math.tan(fov) * aspect)))) * 1.04;
    // A little below the middle, for the buttons are there.
    centre.y -= radius * 0.07 * Math.sqrt(Math.max(0, 1 - direction.y * direction.y));
    this.controls.target.copy(centre);
    this.#camera.position.copy(centre).addScaledVector(direction, distance);
    this.#camera.near = distance / 1000;
    this.#camera.far = distance * 60;
    this.controls.minDistance = radius / 500;
    this.controls.maxDistance = distance * 30;
    this.#camera.updateProjectionMatrix();
    this.useCamera(-1);
    this.controls.update();
    this.#dirty = true;
  }

  /** Turns the camera by keys, in degrees. */
  turn(around: number, up: number): void {
    const offset = this.#camera.position.clone().sub(this.controls.target);
    const radius = offset.length();
    const angle = Math.atan2(offset.x, offset.z) + (around * Math.PI) / 180;
    const height = Math.max(-1.55, Math.min(1.55, Math.asin(offset.y / radius) + (up * Math.PI) / 180));
    offset.set(Math.sin(angle) * Math.cos(height), Math.sin(height), Math.cos(angle) * Math.cos(height)).multiplyScalar(radius);
    this.#camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.#dirty = true;
  }

  zoom(factor: number): void {
    this.#camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.#dirty = true;
  }

  onCamera: (camera: number) => void = () => undefined;

  /** Looks through a camera of the model; minus one for the free one. */
  useCamera(index: number): void {
    if (this.modelCamera === index) return;
    this.modelCamera = index;
    this.onCamera(index);
    this.#dirty = true;
  }

  #view(): Camera {
    const model = this.#main?.model;
    const info = model?.scene.cameras[this.modelCamera];
    const node = model?.scene.nodes.findIndex((node) => node.camera === this.modelCamera) ?? -1;
    if (!model || !info || node < 0) return this.#camera;
    const { projection } = info;
    const far = projection.far ?? this.#camera.far;
    const camera =
      projection.kind === "perspective"
        ? new PerspectiveCamera(((projection.yfov ?? 0.8) * 180) / Math.PI, this.#aspect(), Math.max(projection.near, 1e-4), far)
        : new OrthographicCamera(-(projection.ymag ?? 1) * this.#aspect(), (projection.ymag ?? 1) * this.#aspect(), projection.ymag, -(projection.ymag ?? 1), projection.near, far);
    const [position, quaternion, scale] = [new Vector3(), camera.quaternion, new Vector3()];
    model.objects[node].matrixWorld.decompose(position, quaternion, scale);
    camera.position.copy(position);
    camera.updateMatrixWorld(true);
    return camera;
  }

  #aspect(): number {
    const { clientWidth, clientHeight } = this.host;
    return Math.max(0.05, clientWidth / Math.max(1, clientHeight)) / (this.#second ? 2 : 1);
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.#renderer.setSize(width, height);
    const ratio = this.#renderer.getPixelRatio();
    this.labels.width = width * ratio;
    this.labels.height = height * ratio;
    this.labels.style.width = `${width}px`;
    this.labels.style.height = `${height}px`;
    this.#dirty = true;
  }

  /** Takes the colours of the page. */
  retheme(): void {
    const style = getComputedStyle(document.documentElement);
    this.#background.set(style.getPropertyValue("--stage").trim() || "#20252d");
    this.#grid.set(style.getPropertyValue("--grid").trim() || "#3b4450");
    this.#makeGround();
    this.#dirty = true;
  }

  #tick(now: number): void {
    const seconds = Math.min(0.1, (now - this.#last) / 1000);
    this.#last = now;
    const model = this.#main?.model;
    if (this.playing && model && model.animation >= 0) {
      const { seconds: length } = model.scene.animations[model.animation];
      let time = model.time + seconds * this.speed;
      if (time > length) {
        time = this.loop && length > 0 ? time % length : length;
        if (!this.loop) this.playing = false;
      }
      this.seek(time);
    }
    this.controls.update();
    if (this.#dirty) this.draw();
    requestAnimationFrame((next) => this.#tick(next));
  }

  /** Goes to a time of the animation. */
  seek(time: number): void {
    for (const shown of [this.#main, this.#second]) {
      if (!shown) continue;
      shown.model.time = time;
      shown.model.update();
      shown.overlays.update();
    }
    this.onTime(time);
    this.#dirty = true;
  }

  draw(): void {
    this.#dirty = false;
    const renderer = this.#renderer;
    renderer.setClearColor(this.#background, 1);
    renderer.setScissorTest(false);
    renderer.clear();
    const { clientWidth: width, clientHeight: height } = this.host;
    const all = [this.#main, this.#second].filter((shown) => shown !== null);
    this.#camera.aspect = this.#aspect();
    this.#camera.updateProjectionMatrix();
    const camera = this.#view();
    const pen = this.labels.getContext("2d")!;
    const ratio = renderer.getPixelRatio();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    all.forEach((shown, i) => {
      const wide = width / all.length;
      renderer.setViewport(i * wide, 0, wide, height);
      renderer.setScissor(i * wide, 0, wide, height);
      renderer.setScissorTest(true);
      shown.scene.add(this.modelLights ? this.#own : this.#studio, this.#ground);
      shown.scene.remove(this.modelLights ? this.#studio : this.#own);
      shown.scene.environmentIntensity = this.modelLights ? 0.1 : 0.45;
      renderer.render(shown.scene, camera);
      this.#write(pen, shown, camera, i * wide, wide, height);
    });
  }

  /** Names of bones, the front, and in a split picture which is which. */
  #write(pen: CanvasRenderingContext2D, shown: Shown, camera: Camera, left: number, width: number, height: number): void {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--label").trim();
    const at = new Vector3();
    const place = (world: Vector3): [number, number] | null => {
      at.copy(world).project(camera);
      return at.z > 1 || at.z < -1 ? null : [left + ((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
    };
    pen.font = "600 10px system-ui, sans-serif";
    pen.textAlign = "center";
    if (this.ground && this.#ground.userData.front) {
      const where = place(this.#ground.userData.front as Vector3);
      pen.fillStyle = "#ff8a3d";
      if (where) pen.fillText("FRONT", ...where);
    }
    pen.textAlign = "left";
    pen.font = "500 11px system-ui, sans-serif";
    const { overlays, model } = shown;
    const named = overlays.bones ? overlays.joints.slice(0, 120) : [];
    for (const node of new Set([...named, ...overlays.highlight.nodes])) {
      const where = place(new Vector3().setFromMatrixPosition(model.objects[node].matrixWorld));
      if (!where) continue;
      const text = model.scene.nodes[node].name || `node ${node}`;
      pen.lineWidth = 3;
      pen.strokeStyle = `#${this.#background.getHexString()}cc`;
      pen.strokeText(text, where[0] + 7, where[1] + 4);
      pen.fillStyle = overlays.highlight.nodes.includes(node) ? "#ff8a3d" : ink;
      pen.fillText(text, where[0] + 7, where[1] + 4);
    }
    if (this.#second) {
      pen.fillStyle = ink;
      pen.font = "600 12px system-ui, sans-serif";
      pen.fillText(shown.info.file.split("/").pop() ?? "", left + 12, 22);
      if (left > 0) pen.fillRect(left, 0, 1, height);
    }
  }

  /** What is under a point of the canvas. */
  pick(x: number, y: number): Hit | null {
    const model = this.#main?.model;
    if (!model) return null;
    const area = this.canvas.getBoundingClientRect();
    const width = area.width / (this.#second ? 2 : 1);
    const pointer = new Vector2(((x - area.left) / width) * 2 - 1, 1 - ((y - area.top) / area.height) * 2);
    if (pointer.x > 1) return null;
    // The picture that shows where the camera is may not have been drawn yet.
    this.#camera.aspect = this.#aspect();
    this.#camera.updateProjectionMatrix();
    this.#camera.updateMatrixWorld();
    const ray = new Raycaster();
    ray.setFromCamera(pointer, this.#view() as PerspectiveCamera);
    const meshes = model.drawables.filter(({ object }) => object.visible && object instanceof Mesh);
    for (const { object } of meshes) if (object instanceof SkinnedMesh) object.computeBoundingSphere();
    const [hit] = ray.intersectObjects(meshes.map(({ object }) => object), false);
    const drawable = meshes.find(({ object }) => object === hit?.object);
    if (!hit || !drawable || hit.faceIndex === undefined || hit.faceIndex === null) return null;
    const index = drawable.object.geometry.getIndex()!;
    const at = new Vector3();
    const corners = [0, 1, 2].map((corner) => index.getX(hit.faceIndex! * 3 + corner));
    const distances = corners.map((corner) => model.vertex(drawable, corner, at).distanceTo(hit.point));
    return { drawable, triangle: hit.faceIndex, vertex: corners[distances.indexOf(Math.min(...distances))] };
  }

  /** Looks at a place of the model without turning. */
  lookAt(point: Vector3): void {
    const offset = this.#camera.position.clone().sub(this.controls.target);
    this.controls.target.copy(point);
    this.#camera.position.copy(point).add(offset);
    this.controls.update();
    this.#dirty = true;
  }

  /** The picture as a PNG. */
  async shot(): Promise<Uint8Array<ArrayBuffer>> {
    this.draw();
    const blob = await new Promise<Blob | null>((resolve) => this.canvas.toBlob(resolve, "image/png"));
    return new Uint8Array(blob ? await blob.arrayBuffer() : new ArrayBuffer(0));
  }
}

/** A checkerboard with letters of direction by colour: red grows with u, green with v. */
function checkerTexture(): CanvasTexture {
  const sheet = document.createElement("canvas");
  sheet.width = sheet.height = 512;
  const pen = sheet.getContext("2d")!;
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) {
      pen.fillStyle = `hsl(${(x * 8 + y) * 5.6} 55% ${(x + y) % 2 ? 42 : 66}%)`;
      pen.fillRect(x * 64, y * 64, 64, 64);
      pen.fillStyle = "#0008";
      pen.font = "600 22px system-ui, sans-serif";
      pen.fillText(`${"ABCDEFGH"[y]}${x + 1}`, x * 64 + 16, y * 64 + 40);
    }
  }
  const texture = new CanvasTexture(sheet);
  texture.flipY = false;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}
