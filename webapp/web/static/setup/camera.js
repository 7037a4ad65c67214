// The first step: which camera, and whether it sees the table well enough.

import { button, element, show } from "../elements.js";
import { cardText } from "../cards.js";
import { word } from "../words.js";
import { computerWay, leftBehind, lookAtPhone, phoneWay, recordingWay, streamWay, wayOf, WAYS } from "./sources.js";

const DRAWN = { computer: computerWay, phone: phoneWay, stream: streamWay, recording: recordingWay };

let way = null; // as it was tapped; null: that of the camera which is chosen

export function cameraStep(place, setup, { choose, reload }, isGlance = false) {
  const now = way ?? (setup.source === null && !setup.choices.sources.length ? "computer" : wayOf(setup.source));
  const again = () => cameraStep(place, setup, { choose, reload });
  if (isGlance) {
    if (now !== "phone") return;
    lookAtPhone().then(again);
    return;
  }
  const take = (each) => {
    way = each;
    again();
    // Nothing is chosen on another way until somebody chooses it there.
    const isOther = setup.source === null ? each === "phone" : each !== wayOf(setup.source);
    if (isOther) choose({ ...leftBehind(setup), source: each === "phone" ? "phone" : null });
  };
  show(
    place,
    element("h1", {}, word("setup_camera_title")),
    element(
      "div",
      { class: "ways" },
      ...WAYS.map((each) =>
        element(
          "button",
          { type: "button", class: "choice way", "data-way": each, "aria-pressed": String(each === now), onclick: () => take(each) },
          element("img", { src: `/static/setup/${each}.svg`, alt: "", width: 56, height: 56 }),
          element("span", {}, word(`way_${each}`)),
        ),
      ),
    ),
    ...DRAWN[now](setup, { choose, again: now === "computer" ? reload : again }),
    now === "recording" ? null : element("p", { class: "how" }, word("setup_camera_how")),
    now === "recording" || setup.source === null ? null : mirroring(setup, choose),
  );
}

// A picture that is recognised as mirrored is turned back; people can do so, too.
function mirroring({ mirrored }, choose) {
  return element("p", {}, button(word("camera_mirror"), () => choose({ mirrored: !mirrored }), { class: "choice", "aria-pressed": String(mirrored) }), mirrored ? ` ${word("camera_mirrored")}` : "");
}

// The one place that tells how the picture is: in plain words with what to do; the spots are marked on it.
export function renderView(marks, place, { view, source }, step, condition) {
  const boxes = view.problems.filter(({ box }) => box).map(({ box: [left, top, width, height] }) => {
    const mark = element("span", { class: "glare" });
    Object.assign(mark.style, { left: `${left * 100}%`, top: `${top * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` });
    return mark;
  });
  marks.replaceChildren(...boxes);
  const problem = view.problems[0];
  const [kind, text] = view.trouble
    ? ["bad", word(view.cause ? `refused_${view.cause}` : wayOf(source) === "stream" ? "refused_stream" : wayOf(source) === "recording" ? "refused_film" : "view_trouble")]
    : problem
      ? ["bad", word(`view_${problem.kind.replace("-", "_")}`)]
      : view.cards.length
        ? ["good", step === "camera" ? word("view_good", { cards: view.cards.map(([card]) => cardText(card)).join("  ") }) : ""]
        : step === "camera" && source !== null && wayOf(source) === "stream"
          ? condition === "watching" ? ["good", word("stream_good")] : ["", word("stream_trying")]
          : ["", ""];
  place.dataset.kind = kind;
  if (place.textContent !== text) place.textContent = text;
}
