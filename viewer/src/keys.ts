/** Keys, as F3D and Blender have them where they agree. */

import type { App } from "./app";

export const HELP: [string, string][] = [
  ["1 3 7", "front, right, top (with Ctrl the other side)"],
  ["F · Home", "frame the model"],
  ["← → ↑ ↓", "turn"],
  ["+ −", "nearer, farther"],
  ["W", "wireframe"],
  ["N", "normals"],
  ["B", "bones with names"],
  ["X", "boxes"],
  ["H", "hidden parts"],
  ["U", "next look: shaded, clay, normals, UV checker"],
  ["L", "the model's lights"],
  ["G", "ground"],
  ["Space", "play, pause"],
  [", .", "a frame back, forth"],
  ["[ ]", "clip before, after"],
  ["/", "search the structure"],
  ["I C D", "issues, convert, compare"],
  ["O", "open files"],
  ["P", "save a picture"],
  ["T", "light or dark"],
  ["Esc", "select nothing"],
  ["?", "this help"],
];

export function keys(event: KeyboardEvent, app: App): void {
  const target = event.target as HTMLElement;
  if (target.closest("input, select, textarea, dialog") || event.metaKey || event.altKey) return;
  const { stage, toolbar, player } = app;
  const other = event.ctrlKey;
  const acts: Record<string, () => void> = {
    "1": () => stage.frame(other ? "back" : "front"),
    "3": () => stage.frame(other ? "left" : "right"),
    "7": () => stage.frame(other ? "bottom" : "top"),
    f: () => stage.frame(),
    Home: () => stage.frame("corner"),
    ArrowLeft: () => stage.turn(-10, 0),
    ArrowRight: () => stage.turn(10, 0),
    ArrowUp: () => stage.turn(0, 10),
    ArrowDown: () => stage.turn(0, -10),
    "+": () => stage.zoom(0.85),
    "=": () => stage.zoom(0.85),
    "-": () => stage.zoom(1.18),
    w: () => toolbar.toggle("wire"),
    n: () => toolbar.toggle("normals"),
    b: () => toolbar.toggle("bones"),
    x: () => toolbar.toggle("boxes"),
    h: () => toolbar.toggle("hidden"),
    l: () => toolbar.toggle("lights"),
    g: () => toolbar.toggle("ground"),
    u: () => toolbar.nextMode(),
    " ": () => player.toggle(),
    ",": () => player.step(-1),
    ".": () => player.step(1),
    "[": () => player.clip(-1),
    "]": () => player.clip(1),
    "/": () => app.search(),
    i: () => app.tab("issues"),
    c: () => app.tab("convert"),
    d: () => app.tab("compare"),
    o: () => app.openPicker(),
    p: () => void app.shot(),
    t: () => app.toggleTheme(),
    Escape: () => app.current?.selected.set(null),
    "?": () => app.help(),
  };
  const key = event.code.startsWith("Numpad") && /\d/.test(event.code) ? event.code.slice(-1) : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = acts[key];
  if (!act || (other && !"137".includes(key))) return;
  // A button that has the focus takes the space for itself.
  if (key === " " && target.closest("button, summary")) return;
  event.preventDefault();
  act();
}
