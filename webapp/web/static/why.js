// Why something was called: how sure it is, what spoke for it and against it, and the rule, on every page alike.

import { element } from "./elements.js";
import { hasWord, word } from "./words.js";

const CUES_SHOWN = 4;

// What spoke for a fault and against it, in words, each once: {text, weight}, the weightiest first.
function cuesOf(why, isFor) {
  const weights = new Map();
  for (const { cue, weight } of why.filter((each) => each.for === isFor)) {
    const name = cue.startsWith("unseen ") ? "unseen" : cue.replaceAll(" ", "_");
    const text = word(isFor && hasWord(`cue_for_${name}`) ? `cue_for_${name}` : `cue_${name}`);
    weights.set(text, (weights.get(text) ?? 0) + weight);
  }
  return [...weights].sort(([, one], [, other]) => other - one).slice(0, CUES_SHOWN).map(([text]) => text);
}

function cues(why = []) {
  const reasonsShown = [["cues_for", cuesOf(why, true)], ["cues_against", cuesOf(why, false)]];
  return reasonsShown.filter(([, texts]) => texts.length).map(([key, texts]) => element("p", { class: "cues" }, element("b", {}, `${word(key)} `), `${texts.join("; ")}.`));
}

// `call`: a ruling, with the `rule` that it names.
export function reasons(call) {
  const { rule, probability, why } = call;
  return [
    probability === undefined ? null : element("p", {}, word("review_probability", { share: `${Math.round(probability * 100)} %` })),
    ...cues(why),
    rule ? element("p", { class: "section" }, `${word("review_why")} ${word("review_rule", { section: rule.section })}`) : null,
    rule ? element("p", {}, rule.text) : null,
    rule?.source ? element("p", { class: "rule-source" }, rule.source) : null,
  ];
}
