// Where a kept match that has not ended goes on: there it is corrected. One that no table plays any more is ended here.

import { button, element } from "../elements.js";
import { post, whyNot } from "../refusal.js";
import { word } from "../words.js";

// May this page change the match: has it ended, or is it played at this very table?
export const isChangedHere = (goesOn) => !goesOn || goesOn.here;

// `base`: where the match is served; `onEnd`: it was ended.
export function showGoesOn(place, goesOn, base, onEnd) {
  place.hidden = !goesOn;
  if (goesOn) place.replaceChildren(...(goesOn.here ? here() : goesOn.table === null ? brokenOff(place, base, onEnd) : elsewhere(goesOn)));
}

const here = () => [`${word("goes_on_here")} `, element("a", { href: "/" }, word("back_to_table"))];

function elsewhere({ table, address }) {
  const sentence = `${word("goes_on_at", { table })} `;
  return [sentence, address ? element("a", { href: address }, word("goes_on_open")) : ""];
}

function brokenOff(place, base, onEnd) {
  const end = async () => {
    const answer = await post(`${base}/end`);
    if (answer?.ok) return onEnd();
    place.append(element("span", { class: "trouble", role: "alert" }, await whyNot(answer)));
    return undefined;
  };
  const mayEnd = document.body.dataset.role === "referee";
  return [`${word("broken_off")} `, mayEnd ? button(word("match_end"), end, { class: "quiet" }) : ""];
}
