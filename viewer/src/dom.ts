/** Elements without ceremony. */

type Child = Node | string | number | null | undefined | false;
type Properties = Record<string, unknown>;

/** An element: `h("button.primary", { onclick, title }, "Save")`. */
export function h<K extends keyof HTMLElementTagNameMap>(kind: K | `${K}.${string}`, ...rest: (Properties | Child | Child[])[]): HTMLElementTagNameMap[K] {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag as K);
  if (classes.length) element.className = classes.join(" ");
  for (const item of rest) {
    if (item && typeof item === "object" && !(item instanceof Node) && !Array.isArray(item)) set(element, item);
    else append(element, item as Child | Child[]);
  }
  return element;
}

function set(element: HTMLElement, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "style") element.style.cssText = String(value);
    else if (name.startsWith("on") || name in element) (element as unknown as Properties)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element: HTMLElement, child: Child | Child[]): void {
  if (Array.isArray(child)) child.forEach((one) => append(element, one));
  else if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
}

/** A picture from the sheet of icons, which say nothing that a label does not. */
export function icon(name: keyof typeof ICONS): HTMLElement {
  const holder = h("span.icon", { "aria-hidden": "true" });
  holder.innerHTML = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${ICONS[name]}</svg>`;
  return holder;
}

const ICONS = {
  home: '<path d="M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z"/>',
  frame: '<path d="M4 9V5a1 1 0 0 1 1-1h4M15 4h4a1 1 0 0 1 1 1v4M20 15v4a1 1 0 0 1-1 1h-4M9 20H5a1 1 0 0 1-1-1v-4"/><circle cx="12" cy="12" r="2.5"/>',
  wire: '<path d="M12 3l8 5v8l-8 5-8-5V8zM12 3v18M4 8l16 8M20 8L4 16"/>',
  normals: '<path d="M4 18c4-4 12-4 16 0M7 15.5L5 9M12 14.5V7M17 15.5L19 9"/>',
  bones: '<path d="M6 6l12 12"/><circle cx="5" cy="5" r="2"/><circle cx="19" cy="19" r="2"/><circle cx="12" cy="12" r="1.6"/>',
  box: '<path d="M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8"/>',
  hidden: '<path d="M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM4 20L20 4"/>',
  checker: '<path d="M4 4h16v16H4zM4 12h16M12 4v16"/><path d="M4 4h8v8H4zM12 12h8v8h-8z" fill="currentColor" stroke="none" opacity=".55"/>',
  light: '<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M18.4 5.6L17 7M7 17l-1.4 1.4"/>',
  grid: '<path d="M3 17l9-4 9 4-9 4zM7.5 15l9 4M16.5 15l-9 4M12 3v7"/>',
  camera: '<path d="M3 8h11v9H3zM14 11l6-3v9l-6-3"/>',
  shot: '<path d="M4 8h4l1.5-2h5L16 8h4v11H4z"/><circle cx="12" cy="13" r="3.2"/>',
  play: '<path d="M7 5l12 7-12 7z" fill="currentColor"/>',
  pause: '<path d="M8 5v14M16 5v14" stroke-width="3"/>',
  loop: '<path d="M5 9a7 7 0 0 1 12-2l2 2M19 5v4h-4M19 15a7 7 0 0 1-12 2l-2-2M5 19v-4h4"/>',
  back: '<path d="M15 6l-6 6 6 6"/>',
  next: '<path d="M9 6l6 6-6 6"/>',
  theme: '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>',
  help: '<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.8-.9 1.7M12 17h.01"/>',
  download: '<path d="M12 4v11M7 11l5 5 5-5M5 20h14"/>',
  open: '<path d="M12 19V8M7 12l5-5 5 5M5 4h14"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  error: '<path d="M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 8v5M12 16.5h.01"/>',
  warning: '<path d="M12 4l9 16H3zM12 10v4M12 17h.01"/>',
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v6M12 7.5h.01"/>',
  tree: '<path d="M5 4v14a2 2 0 0 0 2 2h4M5 9h6"/><path d="M13 7h6v4h-6zM13 17h6v4h-6z"/>',
  side: '<path d="M4 5h16v14H4zM12 5v14"/>',
  search: '<circle cx="11" cy="11" r="6"/><path d="M20 20l-4.5-4.5"/>',
  lod: '<path d="M4 18h4v-8H4zM10 18h4V6h-4zM16 18h4v-4h-4z"/>',
  check: '<path d="M5 12l5 5 9-10"/>',
} as const;

/** A number with thin spaces between thousands. */
export function count(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** A size in bytes for people. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Gives a file to the person. */
export function save(name: string, bytes: Uint8Array<ArrayBuffer>, type = "application/octet-stream"): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** What is remembered between visits; a page from a file may have no store. */
export const memory = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(`menagerie.${key}`);
    } catch {
      return null;
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(`menagerie.${key}`, value);
    } catch {
      /* Nothing is remembered then. */
    }
  },
};
