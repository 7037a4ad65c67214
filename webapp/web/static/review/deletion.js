// Deletes a kept match with its film, after a warning that says what is lost.

import { drawDialog, newDialog } from "../dialog.js";
import { button, element } from "../elements.js";
import { whyNot } from "../refusal.js";
import { word } from "../words.js";

// `base`: where the match is served.
export function offerDeletion(place, base) {
  const dialog = newDialog(word("match_delete"));
  const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
  async function remove() {
    const answer = await fetch(base, { method: "DELETE" }).catch(() => null);
    if (answer?.ok) return location.assign("/matches");
    trouble.hidden = false;
    trouble.textContent = await whyNot(answer);
    return undefined;
  }
  place.addEventListener("click", () => {
    trouble.hidden = true;
    const choices = [button(word("match_delete_yes"), remove, { class: "danger" }), button(word("cancel"), () => dialog.close(), { class: "quiet" })];
    drawDialog(dialog, word("match_delete"), element("p", {}, word("match_delete_warning")), trouble, element("div", { class: "choices" }, ...choices));
  });
}
