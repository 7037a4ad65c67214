// Tables of scores: who played how often and lost, players and teams.

import { element } from "./elements.js";
import { listed, percent, word } from "./words.js";

const COLUMNS = [
  ["scores_games", ({ games }) => games],
  ["scores_lost", ({ games, lost }) => (games > 1 ? `${lost} (${percent(lost / games)})` : lost)],
  ["scores_draws", ({ draws }) => draws],
  ["scores_spared", ({ longest_spared: longest }) => longest],
  ["scores_row", ({ longest_lost: longest }) => longest],
];

const playerLink = ({ name }) => element("a", { href: `/players/${encodeURIComponent(name)}` }, name);

function table(about, heading, rows, nameOf) {
  const byLosses = [...rows].sort((one, other) => one.lost / one.games - other.lost / other.games);
  return element(
    "div",
    { class: "scores", tabindex: "0", role: "region", "aria-label": [about, heading].filter(Boolean).join(": ") },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, heading), ...COLUMNS.map(([key]) => element("th", { scope: "col" }, word(key))))),
      element(
        "tbody",
        {},
        ...byLosses.map((row) => element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, nameOf(row))), ...COLUMNS.map(([, value]) => element("td", {}, element("bdi", { dir: "ltr" }, String(value(row))))))),
      ),
    ),
  );
}

// `about`: of what they are the scores, for those who listen.
export function scoreTables({ players, teams }, about = "") {
  const made = [table(about, word("scores_player"), players, playerLink)];
  if (teams.length) made.push(table(about, word("scores_team"), teams, ({ seats }) => listed(seats)));
  return made;
}
