// Deletes a kept match with its film, after a warning that says what is lost.

import { button, element } from "../elements.js";
import { whyNot } from "../refusal.js";
import { word } from "../words.js";

// `base`: where the match is served.
export function offerDeletion(place, base) {
  const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
  const dialog = element(
    "dialog",
    { class: "sheet", "aria-label": word("match_delete") },
    element(
      "div",
      {},
      element("h2", {}, word("match_delete")),
      element("p", {}, word("match_delete_warning")),
      trouble,
      element("div", { class: "choices" }, button(word("match_delete_yes"), () => remove(), { class: "danger" }), button(word("cancel"), () => dialog.close(), { class: "quiet" })),
    ),
  );
  async function remove() {
    const answer = await fetch(base, { method: "DELETE" }).catch(() => null);
    if (answer?.ok) return location.assign("/matches");
    trouble.hidden = false;
    trouble.textContent = answer ? await whyNot(answer) : word("disconnected");
    return undefined;
  }
  dialog.addEventListener("close", () => dialog.remove());
  place.addEventListener("click", () => {
    trouble.hidden = true;
    document.body.append(dialog);
    dialog.showModal();
  });
}
