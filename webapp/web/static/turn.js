// The line that says whose turn it is. Long names in it may break between syllables.

import { breakable, word } from "./words.js";

export function turnLine(snapshot) {
  return breakable(plainTurnLine(snapshot));
}

function plainTurnLine({ seats, state }) {
  const { phase, attacker, defender, due, result } = state;
  if (phase === "still") return word("still_line");
  if (result || phase === "over") return word("over_line");
  if (phase === "draw" || (due.length && phase !== "take"))
    return word("draw_line", { who: due.map(([seat, count]) => `${seat}\u00a0${count}`).join(", ") });
  if (phase === "take") return word("take_line", { defender });
  if (seats.includes(attacker) && seats.includes(defender)) return word("turn_line", { attacker, defender });
  return state.leads ? word("leads_line", { who: state.leads }) : word("lead_line");
}
