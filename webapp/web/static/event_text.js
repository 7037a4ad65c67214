// An event of the record in words.

import { cardName, word } from "./words.js";

export function eventText(event) {
  const who = event.by ?? word("sheet_somebody");
  const card = event.card ? cardName(event.card) : word("sheet_a_card");
  if (event.event === "placed" && event.on) return word("told_beat", { who, card, on: cardName(event.on) });
  if (event.event === "swept") return event.to === "heap" ? word("told_heap") : word("told_taken", { who: event.to });
  if (event.event === "drawn") return word("told_drawn", { who, n: event.count });
  if (event.event === "corrected") return word("review_said_by_people");
  if (event.event === "blocked") return word("camera_lost");
  if (event.event === "pressed" && event.button === "take" && event.by) return word("take_line", { defender: event.by });
  const key = `told_${event.event}`;
  if (["dealt", "pressed"].includes(event.event)) return word(key);
  return ["placed", "lifted", "swapped", "shown"].includes(event.event) ? word(key, { who, card }) : word("sheet_nothing");
}
