// How a game ended, in a line.

import { listed, word } from "./words.js";

export function resultLine({ kind, seats }) {
  if (kind === "draw") return word("draw_result_line");
  const key = kind.endsWith("fool") ? "fool" : "winner";
  return word(seats.length > 1 ? `${key}s_line` : `${key}_line`, { who: listed(seats) });
}
