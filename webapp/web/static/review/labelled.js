// The owner's box: are cards that people put right kept as pictures for training?

import { button, element } from "../elements.js";
import { ask, asJson } from "../refusal.js";
import { word } from "../words.js";

const place = document.getElementById("labelled");

async function load(how) {
  const found = await ask("/api/labelled", how);
  if (!found.error) draw(found);
}

function draw({ on, count }) {
  const box = element("input", { type: "checkbox", id: "labelled-box", checked: on });
  box.addEventListener("change", () => load(asJson({ on: box.checked })));
  place.replaceChildren(
    element("label", {}, box, element("span", {}, word("labelled_box"))),
    element("p", {}, word("labelled_where", { count })),
    count ? button(word("labelled_delete"), () => load({ method: "DELETE" }), { class: "quiet" }) : "",
  );
  document.dispatchEvent(new Event("labelled")); // for what else is made of these pictures
}

if (place) load();
