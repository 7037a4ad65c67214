// Whose turn it is, in a line.

import { word } from "./words.js";

export function turnLine({ seats, state }) {
  const { phase, attacker, defender, due, result } = state;
  if (phase === "still") return word("still_line");
  if (result || phase === "over") return word("over_line");
  if (phase === "draw" || (due.length && phase !== "take"))
    return word("draw_line", { who: due.map(([seat, count]) => `${seat} ${count}`).join(", ") });
  if (phase === "take") return word("take_line", { defender });
  if (seats.includes(attacker) && seats.includes(defender)) return word("turn_line", { attacker, defender });
  return word("lead_line");
}
