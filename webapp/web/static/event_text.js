// An event of the record in words.

import { capital, cardName, inForm, named, word } from "./words.js";

const BUTTONS = { done: "done_button", forgive: "forgive", dismiss: "leave_it", challenge: "challenge_button", resign: "resign" };

const SAID = { pass: "told_pass", wait: "told_wait", allow: "told_allow", claim: "told_claim" };

// A statement: who said what, else which button it was.
function statementText({ button, by, card, for: other }) {
  if (button === "take" && by) return word("take_button", { defender: by });
  if (button in SAID && by) return word(button === "claim" && !card ? "told_no_trump" : SAID[button], { who: by, other, card: card ? named(cardName, card) : "" });
  const what = button in BUTTONS ? `: ${word(BUTTONS[button])}` : "";
  return `${word("told_pressed")}${what}${by ? ` (${by})` : ""}`;
}

export function eventText(event) {
  const who = event.by ?? capital(word("sheet_somebody"));
  const card = event.card ? named(cardName, event.card) : (form) => inForm("sheet_a_card", form);
  if (event.event === "placed" && event.on) return word("told_beat", { who, card, on: named(cardName, event.on) });
  if (event.event === "swept") return event.to === "heap" ? word("told_heap") : word("told_taken", { who: event.to });
  if (event.event === "drawn") return word("told_drawn", { who, n: event.count });
  if (event.event === "corrected") return word("review_said_by_people");
  if (event.event === "blocked") return word("camera_lost");
  if (event.event === "pressed") return statementText(event);
  const key = `told_${event.event}`;
  if (event.event === "dealt") return word(key);
  return ["placed", "lifted", "swapped", "shown"].includes(event.event) ? word(key, { who, card }) : word("sheet_nothing");
}
