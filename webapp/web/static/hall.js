// A hall: every table that shares the store, as it stands now; the standings of the evening; the newest matches.

import { renderBadge } from "./badge.js";
import { symbol } from "./cards.js";
import { element, show, showEach } from "./elements.js";
import { whyNot } from "./refusal.js";
import { resultLine } from "./result.js";
import { scoreTables } from "./scores.js";
import { turnLine } from "./turn.js";
import { cardsCounted, counted, listed, rulesName, word } from "./words.js";

const TABLES_MS = 1000; // so often the tables are asked for
const SLOW_MS = 15000; // so often standings and matches are, which only change when a game is over
const NEWEST = 8; // matches shown here; the others stand in the library
const language = document.documentElement.lang;
const notice = document.getElementById("notice");
const places = { tables: document.getElementById("tables"), standings: document.getElementById("standings"), newest: document.getElementById("newest") };

function lamp(table) {
  const made = element("p", { class: "camera" }, element("span", { class: "lamp", "aria-hidden": "true" }), element("span", { class: "text" }));
  // The store gives its age; pictures that stand still here do so between two questions.
  if (table.live) renderBadge(made, { ...table.camera, frames: 0 });
  else {
    made.dataset.condition = "stopped";
    made.querySelector(".text").textContent = silence(table);
  }
  return made;
}

function silence({ open, age_s: age }) {
  return open ? counted("hall_silent", Math.max(1, Math.round(age / 60))) : word("hall_closed");
}

function seat(name, { attacker, defender, state }) {
  const part = name === attacker ? "attacker" : name === defender ? "defender" : null;
  const cards = state.hands?.[name];
  return element("span", { "data-part": part }, element("b", {}, element("bdi", {}, name)), cards === undefined || cards === null ? "" : ` ${cards} ${cardsCounted(cards)}`);
}

function facts({ talon, trump, rules }) {
  const parts = [rules ? rulesName(rules) : null, trump ? `${word("trump")} ${symbol(trump)}` : null, talon === null ? null : `${word("talon")} ${talon}`];
  return parts.filter((each) => each !== null).join(" · ");
}

function turn(table) {
  if (!Object.keys(table.state).length) return word("hall_choosing");
  return table.result ? resultLine(table.result) : turnLine(table);
}

function card(table) {
  const { call } = table;
  return element(
    "li",
    { class: "one-table", "data-live": table.live ? "yes" : "no" },
    element("h3", {}, element("bdi", {}, table.table)),
    element("p", { class: "whose-turn" }, turn(table)),
    element("p", { class: "seats" }, ...table.seats.map((name) => seat(name, table))),
    element("p", { class: "facts" }, facts(table)),
    call ? element("p", { class: "call-text", "data-tone": call.ruling }, call.text) : null,
    lamp(table),
    ...table.warnings.map(({ about }) => element("p", { class: "facts" }, word(`warning_${about}`))),
    element(
      "p",
      { class: "links" },
      table.match ? element("a", { href: `/matches/${encodeURIComponent(table.match)}` }, word("hall_match")) : null,
      table.live && table.address ? element("a", { href: table.address }, word("hall_open")) : null,
    ),
  );
}

async function ask(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : { error: await whyNot(answer) };
  } catch {
    return { error: word("disconnected") };
  }
}

// One question after the other: a store that hangs is not asked by a heap of them.
async function followTables() {
  const { tables, error } = await ask("/api/tables");
  notice.hidden = !error;
  notice.textContent = error ?? "";
  if (tables?.length) showEach(places.tables, ...tables.map(card));
  else if (tables) show(places.tables, element("li", {}, word("hall_none")));
  document.body.dataset.ready = "yes";
  setTimeout(followTables, TABLES_MS);
}

function matchLine({ match, seats, result, ended, started, table }) {
  const when = new Date(started).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const outcome = result ? resultLine(result) : word(ended ? "match_no_result" : "match_goes_on");
  return element("li", {}, element("a", { href: `/matches/${encodeURIComponent(match)}` }, `${table} · ${listed(seats)} · ${outcome} · ${when}`));
}

async function followGames() {
  const [{ players, teams }, { matches }] = await Promise.all([ask("/api/standings"), ask("/api/matches")]);
  if (players) show(places.standings, ...(players.length ? scoreTables({ players, teams }) : [element("p", { class: "none" }, word("evenings_none"))]));
  if (matches) show(places.newest, ...(matches.length ? matches.slice(0, NEWEST).map(matchLine) : [element("li", { class: "none" }, word("matches_none"))]));
  setTimeout(followGames, SLOW_MS);
}

followTables();
followGames();
