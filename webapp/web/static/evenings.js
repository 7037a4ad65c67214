// Evenings and scores: who was the fool how often, over all and evening by evening.

import { element } from "./elements.js";
import { matchRow, tableName } from "./match_row.js";
import { linePlot } from "./plots.js";
import { ask } from "./refusal.js";
import { scoreTables } from "./scores.js";
import { word } from "./words.js";

const WORTH_A_PLOT = 3; // games: fewer are seen at a glance in the table
const language = document.documentElement.lang;
const place = document.getElementById("evenings");

function lossesPlot({ games, players }) {
  const series = players.map(({ name }) => {
    let lost = 0;
    return { name, points: [[0, 0], ...games.map((game, number) => [number + 1, (lost += game.lost.includes(name) ? 1 : 0)])] };
  });
  return linePlot(word("scores_plot"), series, { xMost: games.length, yMost: Math.max(1, ...players.map(({ lost }) => lost)), xLabel: word("scores_games") });
}

function evening(each) {
  const began = new Date(each.began).toLocaleString(language, { dateStyle: "full", timeStyle: "short" });
  const title = [began, tableName(each.table)].filter(Boolean).join(" · ");
  return element(
    "section",
    { class: "evening" },
    element("h2", {}, title),
    ...scoreTables(each, title),
    each.games.length >= WORTH_A_PLOT ? lossesPlot(each) : null,
    element("details", {}, element("summary", {}, word("evenings_games")), element("ol", { class: "matches" }, ...each.games.map((game) => matchRow(game)))),
  );
}

const answered = await ask("/api/evenings");
if (!answered.evenings?.length) place.replaceChildren(element("p", { class: "none" }, answered.error ?? word("evenings_none")));
else {
  const all = answered.evenings.length > 1 ? [element("section", { class: "evening" }, element("h2", {}, word("evenings_all")), ...scoreTables(answered.all, word("evenings_all")))] : [];
  const files = element("p", { class: "files" }, `${word("evenings_files")} `, element("a", { href: "/api/evenings.csv" }, "CSV"), " ", element("a", { href: "/api/evenings" }, "JSON"));
  place.replaceChildren(...all, ...answered.evenings.map(evening), files);
}
document.body.dataset.ready = "yes";
