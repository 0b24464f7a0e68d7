/** What is selected: a range of bytes. Tree and picture follow from it. */

export interface Selection {
  start: number;
  end: number;
  /** Whether the bytes are those that were decoded, and not the file's. */
  inside: boolean;
  path: string;
  /** Who selected: that one need not be moved. */
  by: "tree" | "bytes" | "picture" | "issue" | "scene";
}

type Listener = (selection: Selection | null) => void;

export class Selected {
  #now: Selection | null = null;
  #listeners: Listener[] = [];

  get now(): Selection | null {
    return this.#now;
  }
  on(listener: Listener): void {
    this.#listeners.push(listener);
  }
  set(selection: Selection | null): void {
    this.#now = selection;
    for (const listener of this.#listeners) listener(selection);
  }
}
