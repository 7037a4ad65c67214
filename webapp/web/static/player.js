// A player's page: games, losses, takes and faults in figures and plots.

import { element } from "./elements.js";
import { matchRow } from "./match_row.js";
import { barPlot, linePlot } from "./plots.js";
import { ask } from "./refusal.js";
import { percent, word } from "./words.js";

const NEWEST = 12; // games listed here; the library has them all
const language = document.documentElement.lang;
const place = document.getElementById("player");
const name = document.querySelector("main").dataset.player;

function tiles({ games, lost, draws, takes, faults }) {
  const perGame = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const all = Object.values(faults).reduce((sum, each) => sum + each, 0);
  const shown = [
    ["scores_games", String(games)],
    ["player_fool", `${lost} (${percent(lost / games)})`],
    ["scores_draws", String(draws)],
    ["player_takes", perGame.format(takes / games)],
    ["player_faults", perGame.format(all / games)],
  ];
  return element("dl", { class: "tiles" }, ...shown.map(([key, value]) => element("div", {}, element("dt", {}, word(key)), element("dd", {}, value))));
}

const monthName = (month) => new Date(`${month}-01T12:00:00`).toLocaleString(language, { month: "short", year: "numeric" });

// What his decisions lost on average, match by match: it falls as he plays better.
function development(analysed) {
  const points = analysed.map(({ mean_loss }, place) => [place + 1, Math.round(1000 * mean_loss) / 10]);
  return linePlot(word("player_development"), [{ name, points }], { xMost: points.length, yMost: Math.max(5, ...points.map(([, value]) => value)), xLabel: word("player_matches") });
}

function plots({ opponents, months, faults, rules, analysed }) {
  const made = [barPlot(word("player_by_opponent"), opponents.map(({ name: who, lost }) => ({ name: who, value: lost })), word("player_lost_none"))];
  made.push(barPlot(word("player_by_month"), months.map(({ month, lost }) => ({ name: monthName(month), value: lost })), word("player_lost_none")));
  made.push(barPlot(word("player_which_faults"), Object.entries(faults).map(([fault, value]) => ({ name: rules[fault] ?? fault, value })), word("player_no_faults")));
  if (analysed.length > 1) made.push(development(analysed));
  return element("div", { class: "plots-list" }, ...made);
}

const stats = await ask(`/api/players/${encodeURIComponent(name)}?language=${document.body.dataset.language}`);
if (stats.error) place.replaceChildren(element("p", { class: "none" }, stats.error));
else
  place.replaceChildren(tiles(stats), plots(stats), element("section", { class: "evening" }, element("h2", {}, word("evenings_games")), element("ol", { class: "matches" }, ...stats.matches.slice(0, NEWEST).map((game) => matchRow(game)))));
document.body.dataset.ready = "yes";
