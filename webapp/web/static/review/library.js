// The library: every kept match with its picture and result, and a search over all that is written there.

import { element } from "../elements.js";
import { matchRow } from "../match_row.js";
import { ask } from "../refusal.js";
import { word } from "../words.js";

const place = document.getElementById("matches");
const search = document.getElementById("search");

const AGAIN_MS = 10000; // so often it is asked whether a match has begun or ended
let [matches, facts, rules, error, entries, known] = [[], {}, {}, null, [], ""];

// Asks for the matches; says whether the list has changed.
async function load() {
  const [listed, found] = await Promise.all([ask("/api/matches"), ask(`/api/match-facts?language=${document.body.dataset.language}`)]);
  if (JSON.stringify([listed, found]) === known) return false;
  known = JSON.stringify([listed, found]);
  ({ matches = [], error = null } = listed);
  ({ matches: facts = {}, rules = {} } = found);
  const playing = new Set(found.playing);
  entries = matches.map((match) => {
    const faults = Object.values(facts[match.match]?.faults ?? {}).flatMap((each) => Object.values(each));
    const made = matchRow(match, match.match in facts ? faults.reduce((sum, each) => sum + each, 0) : null, playing.has(match.match));
    return { match, made, found: `${made.textContent} ${match.match}`.toLowerCase() };
  });
  return true;
}

// --- filters ---

const part = (id) => document.getElementById(id);
const ANY = "";

// Fills a list of choices; what was chosen stays chosen.
function options(select, pairs) {
  const { value } = select;
  select.replaceChildren(...pairs.map(([each, label]) => element("option", { value: each }, label)));
  if (pairs.some(([each]) => each === value)) select.value = value;
}

function drawChoices() {
  const names = [...new Set(matches.flatMap(({ seats }) => seats))].sort((one, other) => one.localeCompare(other));
  options(part("by-player"), [[ANY, word("library_any")], ...names.map((name) => [name, name])]);
  options(part("by-result"), [[ANY, word("library_any")], ["lost", word("library_lost")], ["spared", word("library_spared")], ["draw", word("scores_draws")], ["none", word("match_no_result")]]);
  options(part("by-fault"), [[ANY, word("library_any")], ["some", word("library_with_faults")], ["none", word("library_without_faults")], ...Object.entries(rules).map(([fault, text]) => [`fault ${fault}`, text])]);
}

// Who lost a match: of winners, everybody else did.
function losers({ result, seats }) {
  if (!result || result.kind === "draw") return [];
  return result.kind.endsWith("fool") ? result.seats : seats.filter((seat) => !result.seats.includes(seat));
}

function fitsResult(match, asked, player) {
  if (asked === ANY) return true;
  if (asked === "none") return !match.result;
  if (asked === "draw") return match.result?.kind === "draw";
  const lost = player ? losers(match).includes(player) : losers(match).length > 0;
  return Boolean(match.result) && (asked === "lost" ? lost : !lost);
}

// The faults of one player, or of all.
function fitsFault({ match }, asked, player) {
  if (asked === ANY) return true;
  const faults = facts[match]?.faults ?? {};
  const found = (player ? [faults[player] ?? {}] : Object.values(faults)).flatMap((each) => Object.keys(each));
  if (asked === "none") return found.length === 0;
  return asked === "some" ? found.length > 0 : found.includes(asked.slice("fault ".length));
}

function fits(match) {
  const player = part("by-player").value;
  const day = new Date(match.started).toLocaleDateString("sv"); // as date fields have it: 2026-11-25
  const [from, to] = [part("from").value, part("to").value];
  return (!player || match.seats.includes(player)) && (!from || day >= from) && (!to || day <= to) && fitsResult(match, part("by-result").value, player) && fitsFault(match, part("by-fault").value, player);
}

function filter() {
  const words = search.value.trim().toLowerCase().split(/\s+/);
  const fitting = entries.filter(({ match, found }) => fits(match) && words.every((each) => found.includes(each)));
  const none = error ?? word(matches.length ? "matches_found_none" : "matches_none");
  place.replaceChildren(...(fitting.length ? fitting.map(({ made }) => made) : [element("li", { class: "none" }, none)]));
}

for (const field of ["by-player", "by-result", "by-fault", "from", "to"]) part(field).addEventListener("change", filter);
part("all").addEventListener("click", () => {
  for (const field of ["by-player", "by-result", "by-fault", "from", "to"]) part(field).value = ANY;
  search.value = "";
  filter();
});
search.addEventListener("input", filter);

async function follow() {
  if (!document.hidden && (await load())) {
    drawChoices();
    filter();
  }
  setTimeout(follow, AGAIN_MS);
}

follow();
