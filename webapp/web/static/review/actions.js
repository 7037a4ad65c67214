// What can be done with the chosen event: put it right, share it as a link, a picture or a file, and write something to it.

import { undoButton } from "../corrections.js";
import { button, element } from "../elements.js";
import { whyNot } from "../refusal.js";
import { word } from "../words.js";

const SHOWN_MS = 2500; // so long a button says that it has done its work

// Write to the clipboard; where the page may not (no https, or permission denied), copy from a field.
async function copy(text) {
  try {
    if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  } catch {
    // Permission denied.
  }
  const field = element("textarea", { class: "aloud", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  return undefined;
}

export class EventActions {
  // `base`: where the match is served; `onWrite`: one is being written; `onComment`: it was kept.
  constructor(place, { base, match, sheet, onWrite, onComment }) {
    Object.assign(this, { place, base, match, sheet, onWrite, onComment });
    this.mayChange = document.body.dataset.role === "referee";
  }

  // All actions at once, each once: they belong to this step; none before the first.
  show(step, corrections = []) {
    this.place.hidden = !step;
    if (!step) return;
    const { line } = step;
    const correction = corrections.find((each) => (each.about ?? each.line) === line);
    const change = this.mayChange ? [this.commentButton(step)] : [];
    if (this.sheet.mayCorrect) change.unshift(button(word("review_correct"), () => this.sheet.line(line), { class: "quiet" }));
    if (correction && this.sheet.mayCorrect) change.unshift(undoButton(correction, this.sheet));
    this.place.replaceChildren(
      ...change,
      this.linkButton(line),
      element("a", { class: "quiet button", href: `${this.base}/position.svg?line=${line}&language=${document.body.dataset.language}`, download: `${this.match}-${line}.svg` }, word("review_picture")),
      ...(this.mayChange ? [element("a", { class: "moment", href: `${this.base}/moment.zip?line=${line}`, download: "", title: word("moment_why") }, word("moment_send"))] : []),
    );
  }

  linkButton(line) {
    const address = `${location.origin}/matches/${encodeURIComponent(this.match)}#line=${line}`;
    const made = button(word("review_link"), async () => {
      await copy(address);
      made.textContent = word("review_link_copied");
      setTimeout(() => (made.textContent = word("review_link")), SHOWN_MS);
    }, { class: "quiet", title: address });
    return made;
  }

  commentButton({ line, comment = "" }) {
    return button(word(comment ? "comment_change" : "comment_write"), () => this.write(line, comment), { class: "quiet" });
  }

  // Pauses the film, so that its next event does not replace the text field.
  write(line, comment) {
    this.onWrite();
    const field = element("textarea", { rows: 2, dir: "auto", maxlength: 500, "aria-label": word("comment_label") });
    field.value = comment;
    const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
    const keep = async () => {
      const answer = await fetch(`${this.base}/comment`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ line, comment: field.value }) }).catch(() => null);
      if (answer?.ok) return this.onComment();
      trouble.hidden = false;
      trouble.textContent = answer ? await whyNot(answer) : word("disconnected");
      return undefined;
    };
    const cancel = () => this.onComment();
    this.place.replaceChildren(element("div", { class: "comment" }, field, trouble, element("span", { class: "buttons" }, button(word("comment_keep"), keep), button(word("cancel"), cancel, { class: "quiet" }))));
    field.focus();
  }
}
