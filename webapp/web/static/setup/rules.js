// The third step: the rule sets as cards that explain themselves, and what a house does otherwise, a line an option.

import { button, element, show } from "../elements.js";
import { optionField } from "../rule_fields.js";
import { counted, rulesName, word } from "../words.js";

let areAllOpen = false;

function fits({ players }, seats) {
  return seats.length < 2 || players.includes(seats.length);
}

function playersText({ players }) {
  const [least, most] = [players[0], players.at(-1)];
  return least === most ? counted("players_count", least) : word("players_from_to", { least, most });
}

export function rulesStep(place, setup, { choose, latest }) {
  const sets = setup.choices.rules.filter((each) => fits(each, setup.seats));
  const options = setup.choices.options;
  const shown = areAllOpen ? options : options.filter(({ common }) => common);
  const last = setup.choices.groups[0];
  const isAsLast = last && last.rules === setup.rules && JSON.stringify(last.options ?? {}) === JSON.stringify(setup.options);
  show(
    place,
    element("h1", {}, word("setup_rules_title")),
    last && !isAsLast && sets.some(({ rules }) => rules === last.rules)
      ? button(`${word("as_last_time")}: ${rulesName(last.rules)}`, () => choose({ rules: last.rules, options: last.options ?? {} }))
      : null,
    element(
      "div",
      { class: "rule-cards" },
      ...sets.map((each) =>
        element(
          "button",
          {
            type: "button",
            class: "rule-card",
            "aria-pressed": String(each.rules === setup.rules),
            onclick: () => choose({ rules: each.rules, options: {} }),
          },
          element("b", {}, rulesName(each.rules)),
          element("small", {}, playersText(each)),
          element("span", {}, each.differs.slice(0, 4).join(" ") || word("rules_usual")),
        ),
      ),
    ),
    options.length ? element("h2", {}, word("house_rules")) : null,
    element("div", { class: "options" }, ...shown.map((each) => optionField(each, (option, value) => choose({ options: { ...latest().options, [option]: value } })))),
    options.length && !areAllOpen
      ? button(word("all_options"), () => {
          areAllOpen = true;
          rulesStep(place, latest(), { choose, latest });
        }, { class: "quiet" })
      : null,
  );
}
