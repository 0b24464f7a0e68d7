/** The bar below: play, scrub, clips, speed. */

import type { App } from "./app";
import { h, icon } from "./dom";

/** The rate that frames are counted with where a clip has none. */
const FPS = 30;

export class Player {
  readonly element = h("div.player", { role: "group", "aria-label": "Animation" });
  #play = h("button.plain", { "aria-label": "Play (Space)", title: "Play (Space)", onclick: () => this.toggle() }, icon("play"));
  #slider = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time" });
  #frame = h("output.frame");
  #clips = h("select", { "aria-label": "Clip" });
  #speed = h("select", { "aria-label": "Speed" }, [0.1, 0.25, 0.5, 1, 2, 4].map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
  #loop = h("button.plain", { "aria-label": "Loop", title: "Loop", "aria-pressed": "true" }, icon("loop"));

  constructor(readonly app: App) {
    const { stage } = app;
    this.#slider.addEventListener("input", () => stage.seek(Number(this.#slider.value)));
    this.#clips.addEventListener("change", () => void this.choose(Number(this.#clips.value)));
    this.#speed.addEventListener("change", () => (stage.speed = Number(this.#speed.value)));
    this.#loop.addEventListener("click", () => {
      stage.loop = !stage.loop;
      this.#loop.setAttribute("aria-pressed", String(stage.loop));
    });
    stage.onTime = () => this.#draw();
  }

  update(): void {
    const model = this.app.current?.model;
    const clips = model?.scene.animations ?? [];
    this.element.hidden = clips.length === 0;
    if (!model || clips.length === 0) return;
    this.#clips.replaceChildren(h("option", { value: -1 }, "at rest"), ...clips.map((clip, i) => h("option", { value: i }, clip.name || `clip ${i + 1}`)));
    this.#clips.value = String(model.animation);
    const step = (by: number, name: "back" | "next", label: string) => h("button.plain", { "aria-label": label, title: label, onclick: () => this.step(by) }, icon(name));
    this.element.replaceChildren(this.#play, step(-1, "back", "A frame back (,)"), step(1, "next", "A frame forth (.)"), this.#loop, this.#slider, this.#frame, this.#clips, this.#speed);
    this.#draw();
  }

  get fps(): number {
    const model = this.app.current?.model;
    return model?.scene.animations[model.animation]?.fps ?? FPS;
  }

  #draw(): void {
    const model = this.app.current?.model;
    if (!model) return;
    const clip = model.scene.animations[model.animation];
    this.#slider.max = String(clip?.seconds ?? 1);
    this.#slider.value = String(model.time);
    this.#slider.disabled = !clip;
    this.#frame.textContent = clip ? `frame ${Math.round(model.time * this.fps)} / ${Math.round(clip.seconds * this.fps)} · ${model.time.toFixed(2)} s` : "at rest";
    const { playing } = this.app.stage;
    if (this.#play.getAttribute("aria-label") !== (playing ? "Pause (Space)" : "Play (Space)")) {
      this.#play.setAttribute("aria-label", playing ? "Pause (Space)" : "Play (Space)");
      this.#play.replaceChildren(icon(playing ? "pause" : "play"));
    }
  }

  /** Goes to a clip; minus one rests. */
  async choose(clip: number, time = 0): Promise<void> {
    const model = this.app.current?.model;
    if (!model) return;
    await model.load(clip);
    model.animation = clip;
    this.#clips.value = String(clip);
    if (clip < 0) this.app.stage.playing = false;
    this.app.stage.seek(time);
    this.app.stage.refresh();
  }

  clip(by: number): void {
    const model = this.app.current?.model;
    const clips = model?.scene.animations.length ?? 0;
    if (model && clips) void this.choose((((model.animation + 1 + by + clips + 1) % (clips + 1)) - 1));
  }

  toggle(): void {
    const model = this.app.current?.model;
    if (!model || model.scene.animations.length === 0) return;
    if (model.animation < 0) {
      void this.choose(0).then(() => {
        this.app.stage.playing = true;
        this.#draw();
      });
      return;
    }
    this.app.stage.playing = !this.app.stage.playing;
    const clip = model.scene.animations[model.animation];
    if (this.app.stage.playing && !this.app.stage.loop && model.time >= clip.seconds) this.app.stage.seek(0);
    this.#draw();
  }

  step(by: number): void {
    const model = this.app.current?.model;
    if (!model || model.scene.animations.length === 0) return;
    if (model.animation < 0) return void this.choose(0);
    this.app.stage.playing = false;
    const { seconds } = model.scene.animations[model.animation];
    this.app.stage.seek(Math.max(0, Math.min(seconds, (Math.round(model.time * this.fps) + by) / this.fps)));
  }
}
