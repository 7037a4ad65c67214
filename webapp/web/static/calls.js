// What the referee says in large type.

import { cardFace } from "./cards.js";
import { changeText } from "./corrections.js";
import { crop } from "./crop.js";
import { element, show } from "./elements.js";
import { eventText } from "./event_text.js";
import { remedy } from "./matters.js";
import { callsOf } from "./plays.js";
import { breakable, word } from "./words.js";

// The more letters, the smaller: the largest type would push the table off the page.
const LONG = 34;
const LONGER = 62;
// Conditions of the camera in which it shows no table, and in which nothing that it shows is judged.
const BLIND = new Set(["hidden", "lost", "given_up", "stopped"]);
export const UNWELL = new Set([...BLIND, "swaying"]);

// `isTappable`: a button that opens what the referee knows of the play.
function sayings(title, words, more, isTappable = false) {
  return element(
    "div",
    { class: "said", ...(isTappable ? { role: "button", tabindex: "0" } : {}) },
    element("p", { class: "tone" }, title),
    element("p", { class: words.length > LONGER ? "words longer" : words.length > LONG ? "words long" : "words" }, words),
    element("p", { class: "more" }, more),
  );
}

// What is said of an event, in which a name that is one long word may break.
const textOf = (...calls) => breakable(calls.map((call) => call.text).join(" "));

// Of a correction among the calls, what was thought before and what holds now; null without one.
function changedBy(calls, { corrections }) {
  const line = calls.find(({ announce }) => announce === "corrected")?.line;
  const correction = corrections.find((each) => each.line === line);
  return correction ? changeText(correction) : null;
}

// Shows the headline (`sheet`: null on a page without answers); gives back the open matter it speaks of, if it speaks of one.
export function renderCall(place, snapshot, sheet) {
  const { headline } = snapshot.view;
  const [main, ...rest] = callsOf(headline);
  place.dataset.tone = headline.tone;
  if (!main) {
    delete place.dataset.line;
    const { event } = headline;
    show(place, event ? sayings("", breakable(happened(event, snapshot)), "") : sayings("", ...awaited(snapshot.camera)));
    return null;
  }
  const help = remedy(snapshot, main, sheet);
  place.dataset.line = main.line;
  const shown = (main.cards ?? []).slice(0, 3).map((card) => cardFace(card));
  show(
    place,
    sayings(word(headline.tone), textOf(main), changedBy([main, ...rest], snapshot) ?? textOf(...rest), Boolean(sheet)),
    help
      ? element("div", { class: "remedy" }, element("div", { class: "why" }, crop(sheet.base, help.matter.line, true), element("p", {}, help.hint)), element("span", { class: "answers" }, ...help.answers))
      : null,
    element("div", { class: "shown", "aria-hidden": "true" }, ...shown),
  );
  return help?.matter ?? null;
}

// Shows anew what the first card waits for, which changes with the camera and not with the game.
export function renderAwaited(place, snapshot, sheet) {
  if (!place.dataset.line) renderCall(place, snapshot, sheet);
}

// What the first card waits for. A camera that sways shows the table, but what is laid meanwhile is not refereed.
function awaited({ condition }) {
  if (condition === "swaying") return [word("waiting_swaying"), word("waiting_swaying_why")];
  return BLIND.has(condition) ? [word("waiting_unseen"), word("waiting_unseen_why")] : [word("waiting"), word("waiting_why")];
}

// An event that brought no call of its own.
function happened(event, { state }) {
  if (event.event === "swept") return event.to === "heap" ? word("swept_heap") : word("swept_seat", { who: event.to });
  if (event.event === "pressed" && event.button === "take") return word("take_button", { defender: state.defender });
  return eventText(event);
}
