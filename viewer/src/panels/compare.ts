/** What differs between this model and another that is open. */

import { h, icon, plural } from "../dom";
import type { Doc } from "../doc";
import { lossRow } from "./convert";

export interface CompareHost {
  others(doc: Doc): Doc[];
  beside(other: Doc): Promise<void>;
  endCompare(): void;
}

export class Compare {
  readonly element = h("div.compare");
  #result = h("div.result", { "aria-live": "polite" });

  constructor(readonly doc: Doc, readonly host: CompareHost) {
    this.refresh();
  }

  /** The other files may have changed. */
  refresh(): void {
    const others = this.host.others(this.doc);
    if (others.length === 0) {
      this.element.replaceChildren(h("p.quiet", "Open a second model, and this compares the two by meaning, across formats: every difference with its measure."));
      return;
    }
    const choice = h("select", { "aria-label": "Compare with" }, others.map((other, i) => h("option", { value: i }, other.title)));
    const go = h("button.primary", { onclick: () => void this.#run(others[Number(choice.value)]) }, "Compare");
    this.element.replaceChildren(h("label.field", h("span", "With"), choice), h("div.actions", go), this.#result);
  }

  async #run(other: Doc): Promise<void> {
    this.#result.replaceChildren(h("p.quiet.busy", "Comparing…"));
    const report = await this.doc.engine.diff(other.name, other.bytes.slice(), other.beside);
    const differences = report.differences ?? [];
    const verdict = report.error
      ? h("div.banner.error", icon("error"), report.error)
      : report.equal
        ? h("div.banner.good", icon("check"), h("b", "The two models are equal."))
        : h("div.banner.warning", icon("warning"), h("b", plural(differences.length, "difference")));
    this.#result.replaceChildren(verdict, ...differences.map((difference) => lossRow(this.doc, difference)));
    await this.host.beside(other);
  }
}
