// The owner's box: are cards that people put right kept as pictures for training?

import { button, element } from "../elements.js";
import { word } from "../words.js";

const place = document.getElementById("labelled");

async function ask(how = {}) {
  const answer = await fetch("/api/labelled", how);
  if (answer.status === 200) draw(await answer.json());
}

function draw({ on, count, folder }) {
  const box = element("input", { type: "checkbox", id: "labelled-box", checked: on });
  box.addEventListener("change", () => ask({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ on: box.checked }) }));
  place.replaceChildren(
    element("label", {}, box, element("span", {}, word("labelled_box"))),
    element("p", {}, word("labelled_where", { folder, count })),
    count ? button(word("labelled_delete"), () => ask({ method: "DELETE" }), { class: "quiet" }) : "",
  );
}

if (place) ask();
