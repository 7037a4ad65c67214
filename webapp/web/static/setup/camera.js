// The first step: which camera, and whether it sees the table well enough.

import { button, element, show } from "../elements.js";
import { cardText } from "../cards.js";
import { word } from "../words.js";

export function sourceName({ source, name }) {
  if (name === "demo") return word("source_demo");
  return name || word("source_camera", { n: /^\d+$/.test(source) ? Number(source) + 1 : source });
}

export function cameraStep(place, setup, { choose }) {
  const { sources } = setup.choices;
  const known = sources.some(({ source }) => source === setup.source);
  const listed = known || !setup.source ? sources : [{ source: setup.source, name: setup.source }, ...sources];
  show(
    place,
    element("h1", {}, word("setup_camera_title")),
    element("p", { class: "how" }, word("setup_camera_how")),
    element(
      "div",
      { class: "choices" },
      ...listed.map((each) =>
        button(sourceName(each), () => choose({ source: each.source, ...(each.goes_with ?? {}) }), {
          "aria-pressed": String(each.source === setup.source),
          class: "choice",
        }),
      ),
    ),
  );
}

// What is seen, in plain words with what to do, beneath the picture; the spots are marked on it.
export function renderView(marks, place, view, step) {
  const boxes = view.problems.filter(({ box }) => box).map(({ box: [left, top, width, height] }) => {
    const mark = element("span", { class: "glare" });
    Object.assign(mark.style, { left: `${left * 100}%`, top: `${top * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` });
    return mark;
  });
  marks.replaceChildren(...boxes);
  const problem = view.problems[0];
  const [kind, text] = view.trouble
    ? ["bad", word("view_trouble", { why: view.trouble })]
    : problem
      ? ["bad", word(`view_${problem.kind.replace("-", "_")}`)]
      : view.cards.length
        ? ["good", step === "camera" ? word("view_good", { cards: view.cards.map(([card]) => cardText(card)).join("  ") }) : ""]
        : ["", ""];
  place.dataset.kind = kind;
  if (place.textContent !== text) place.textContent = text;
}
