/** A list of any length of which only what is seen exists. */

import { h } from "./dom";

/** Browsers make no element taller than about this. */
const TALLEST = 8_000_000;

export class VirtualList {
  readonly element: HTMLElement;
  #spacer = h("div.spacer");
  #window = h("div.window");
  #count = 0;
  #first = 0;
  #scheduled = false;

  /** `draw` makes the rows from one to before another. */
  constructor(readonly rowHeight: number, readonly draw: (first: number, end: number) => HTMLElement[], properties: Record<string, unknown> = {}) {
    this.element = h("div.virtual", { tabIndex: 0, ...properties }, this.#spacer, this.#window);
    this.element.addEventListener("scroll", () => this.schedule());
    this.element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    // A list that was taken away and put back has lost its place.
    let height = 0;
    new ResizeObserver(() => {
      const back = height === 0 && this.element.clientHeight > 0 && this.#first > 0;
      height = this.element.clientHeight;
      if (back) this.scrollTo(this.#first);
      this.schedule();
    }).observe(this.element);
  }

  get count(): number {
    return this.#count;
  }
  set count(count: number) {
    this.#count = count;
    this.#spacer.style.height = `${Math.min(count * this.rowHeight, TALLEST)}px`;
    this.schedule();
  }

  get #scaled(): boolean {
    return this.#count * this.rowHeight > TALLEST;
  }
  get visible(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight));
  }
  get first(): number {
    return this.#first;
  }

  /** In lists that are too tall for the browser, the wheel goes by rows and not by pixels. */
  #wheel(event: WheelEvent): void {
    if (!this.#scaled || event.ctrlKey) return;
    event.preventDefault();
    this.scrollTo(this.#first + Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / this.rowHeight)));
  }

  /** Makes a row the first that is seen. */
  scrollTo(row: number): void {
    const last = Math.max(0, this.#count - this.visible);
    const first = Math.max(0, Math.min(row, last));
    const top = this.#scaled ? (first / Math.max(1, last)) * (TALLEST - this.element.clientHeight) : first * this.rowHeight;
    this.#exact = this.#scaled ? { top, first } : null;
    this.element.scrollTop = top;
    this.schedule();
  }
  #exact: { top: number; first: number } | null = null;

  /** Scrolls only as far as needed. */
  reveal(row: number): void {
    if (row < this.#first || row >= this.#first + this.visible) this.scrollTo(row - Math.floor(this.visible / 3));
    else this.schedule();
  }

  schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#render();
    });
  }

  #render(): void {
    const { scrollTop, clientHeight } = this.element;
    if (clientHeight === 0) return;
    const last = Math.max(0, this.#count - this.visible);
    let offset = 0;
    if (this.#scaled) {
      const exact = this.#exact && Math.abs(this.#exact.top - scrollTop) < 2 ? this.#exact.first : null;
      this.#first = exact ?? Math.round((scrollTop / Math.max(1, TALLEST - clientHeight)) * last);
      offset = scrollTop;
    } else {
      this.#first = Math.floor(scrollTop / this.rowHeight);
      offset = this.#first * this.rowHeight;
    }
    const end = Math.min(this.#count, this.#first + this.visible + 2);
    this.#window.style.transform = `translateY(${offset}px)`;
    this.#window.replaceChildren(...this.draw(this.#first, end));
  }
}
