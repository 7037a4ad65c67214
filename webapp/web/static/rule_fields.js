// The rules as fields: a rule set by its name, and an option by the sentence that holds.

import { element } from "./elements.js";
import { optionSentence, rulesName } from "./words.js";

export function rulesField(sets, chosen, attributes) {
  return element("select", attributes, ...sets.map(({ rules }) => element("option", { value: rules, selected: rules === chosen }, rulesName(rules))));
}

export function optionField({ option, value, values }, onChoose) {
  const isChosen = (each) => JSON.stringify(each.value) === JSON.stringify(value);
  const choices = values.map((each, n) => element("option", { value: n, selected: isChosen(each) }, optionSentence(option, each)));
  const field = element("select", { "aria-label": optionSentence(option, values.find(isChosen)), "data-option": option }, ...choices);
  field.addEventListener("change", () => onChoose(option, values[field.value].value));
  return field;
}
