// A hall: every table that shares the store, as it stands now; the standings of the evening; the newest matches.

import "./board.js";
import { renderBadge } from "./badge.js";
import { symbol } from "./cards.js";
import { element, show } from "./elements.js";
import { matchRow, tableName } from "./match_row.js";
import { ask } from "./refusal.js";
import { resultLine } from "./result.js";
import { scoreTables } from "./scores.js";
import { turnLine } from "./turn.js";
import { counted, listed, rulesName, word } from "./words.js";

const TABLES_MS = 1000; // so often the tables are asked for
const SLOW_MS = 15000; // so often standings and matches are, which only change when a game is over
const NEWEST = 8; // matches shown here; the others stand in the library
const notice = document.getElementById("notice");
const places = { tables: document.getElementById("tables"), standings: document.getElementById("standings"), newest: document.getElementById("newest") };

// A table as on its own page: the board, whose turn it is, what was called last; each table keeps its tile.
class Tile {
  constructor() {
    this.title = element("h2", {});
    this.facts = element("p", { class: "facts" });
    this.board = element("k-board", { class: "small" });
    this.turn = element("p", { class: "whose-turn" });
    this.call = element("p", { class: "call-text" });
    this.camera = element("p", { class: "camera" }, element("span", { class: "lamp", "aria-hidden": "true" }), element("span", { class: "text" }));
    this.links = element("p", { class: "links" });
    this.item = element("li", { class: "one-table" }, this.title, this.facts, this.board, this.turn, this.call, this.camera, this.links);
  }

  show(table) {
    const { call, state, seats } = table;
    const isPlaying = Object.keys(state).length > 0;
    this.item.dataset.live = table.live ? "yes" : "no";
    show(this.title, tableName(table.table) ?? (seats.length ? listed(seats) : word("table_link")));
    show(this.facts, facts(table));
    this.board.hidden = !isPlaying;
    if (isPlaying) this.board.show({ seats, state, teams: [], tone: "call", calls: call ? [call] : [], matters: call?.ruling ? state.open : [] });
    show(this.turn, !isPlaying ? word("hall_choosing") : table.result ? resultLine(table.result) : turnLine(table));
    this.call.hidden = !call;
    this.call.dataset.tone = call?.ruling ?? "";
    show(this.call, call?.text ?? "");
    // The store gives its age; pictures that stand still here do so between two questions.
    if (table.live) renderBadge(this.camera, { ...table.camera, frames: 0 });
    else {
      this.camera.dataset.condition = "stopped";
      show(this.camera.querySelector(".text"), table.open ? counted("hall_silent", Math.max(1, Math.round(table.age_s / 60))) : word("hall_closed"));
    }
    show(
      this.links,
      ...table.warnings.map(({ about }) => element("span", { class: "facts" }, word(`warning_${about}`))),
      table.match ? element("a", { href: `/matches/${encodeURIComponent(table.match)}` }, word("hall_match")) : null,
      table.live && table.address ? element("a", { href: table.address }, word("hall_open")) : null,
    );
  }
}

function facts({ talon, trump, rules }) {
  const parts = [rules ? rulesName(rules) : null, trump ? `${word("trump")} ${symbol(trump)}` : null, talon === null ? null : `${word("talon")} ${talon}`];
  return parts.filter((each) => each !== null).join(" · ");
}

let playing = new Set(); // the matches at tables that report
const tiles = new Map();
const tileOf = ({ table, address }) => tiles.get(`${table} ${address}`) ?? tiles.set(`${table} ${address}`, new Tile()).get(`${table} ${address}`);

function showTables(tables) {
  const items = tables.map((table) => tileOf(table).item);
  if (items.some((item, place) => places.tables.children[place] !== item) || places.tables.children.length !== items.length)
    places.tables.replaceChildren(...(items.length ? items : [element("li", {}, word("hall_none"))]));
  for (const table of tables) tileOf(table).show(table);
}

// One question after the other: a store that hangs is not asked by a heap of them.
async function followTables() {
  const { tables, error } = await ask("/api/tables");
  notice.hidden = !error;
  notice.textContent = error ?? "";
  if (tables) {
    showTables(tables);
    playing = new Set(tables.filter(({ live }) => live).map(({ match }) => match));
  }
  document.body.dataset.ready = "yes";
  setTimeout(followTables, TABLES_MS);
}

async function followGames() {
  const [{ players, teams }, { matches }] = await Promise.all([ask("/api/standings"), ask("/api/matches")]);
  if (players) show(places.standings, ...(players.length ? scoreTables({ players, teams }) : [element("p", { class: "none" }, word("evenings_none"))]));
  if (matches) show(places.newest, ...(matches.length ? matches.slice(0, NEWEST).map((match) => matchRow(match, null, playing.has(match.match))) : [element("li", { class: "none" }, word("matches_none"))]));
  setTimeout(followGames, SLOW_MS);
}

followTables();
followGames();
