/** What is wrong with the file, what it means and where it is. */

import { h, icon, plural } from "../dom";
import type { Doc } from "../doc";
import type { Explanation, Issue, Severity } from "../types";

const MARK: Record<Severity, "error" | "warning" | "info"> = { error: "error", warning: "warning", info: "info" };

export class Issues {
  readonly element = h("div.issues");

  constructor(readonly doc: Doc) {
    const { info } = doc;
    if (info.damage.length) this.element.append(h("div.banner.error", icon("error"), h("div", h("b", "Damaged: "), `${info.damage.join(", ")}. What could be read is shown.`)));
    const missing = info.textures.filter((texture) => !texture.found);
    if (missing.length) {
      this.element.append(
        h("div.banner.warning", icon("warning"),
          h("div", h("b", `${plural(missing.length, "picture")} not found. `), "Drop ", missing.length === 1 ? "it" : "them", " onto the page: ", h("code", missing.map((texture) => texture.name).join(", "))))
      );
    }
    if (info.issues.length === 0) {
      this.element.append(h("div.banner.good", icon("check"), h("div", h("b", "Nothing is wrong with this file."), " It keeps every rule of its format's document, and its engine shows it as the document says.")));
      return;
    }
    const order: Severity[] = ["error", "warning", "info"];
    for (const severity of order) for (const issue of info.issues.filter((one) => one.severity === severity)) this.element.append(this.#card(issue));
  }

  #card(issue: Issue): HTMLElement {
    const more = h("div.more");
    const place = issue.offset === null ? null : h("span.place", `byte ${issue.offset}`);
    const card = h(
      "details.issue",
      { className: `issue ${issue.severity}`, "data-code": issue.code },
      h("summary", { onclick: () => void this.#go(issue) }, icon(MARK[issue.severity]), h("span.what", h("span.sr", `${issue.severity}: `), issue.message), h("span.meta", h("code", issue.code), issue.path && h("span.path", issue.path), place)),
      more,
    );
    card.addEventListener("toggle", () => {
      if (!card.open || more.childElementCount) return;
      void this.doc.engine.explain(issue.code).then((explanation) => more.replaceChildren(...explained(explanation)));
    });
    return card;
  }

  /** To the byte, and with it to the place in the picture. */
  async #go(issue: Issue): Promise<void> {
    if (issue.offset === null) return;
    const inside = /^body\./.test(issue.path);
    this.doc.selected.set({ start: issue.offset, end: issue.offset + Math.max(1, issue.length ?? 1), inside, path: issue.path, by: "issue" });
  }
}

export function explained(explanation: Explanation | null): HTMLElement[] {
  if (!explanation) return [];
  return [h("p.title", explanation.title), h("dl", h("dt", "The document"), h("dd", explanation.document), h("dt", "Why it matters"), h("dd", explanation.why), h("dt", "What to do"), h("dd", explanation.fix))];
}
