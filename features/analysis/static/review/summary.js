// How a game went, on one page: its fool and since when that was likely, where it turned, and how each player decided.

import { button, element } from "../elements.js";
import { filmSecond } from "../film_second.js";
import { askJudged, followJob, showJob } from "../jobs.js";
import { ask, asJson, whyNot } from "../refusal.js";
import { resultLine } from "../result.js";
import { capital, clockText, counted, percent, word } from "../words.js";
import { decided, whySentence } from "./decided.js";

const AGAIN_MS = 3000; // so often it is asked whether the next game has begun, or the analysis is there
const { match } = document.querySelector("main").dataset;
const base = `/api/matches/${encodeURIComponent(match)}`;
const page = `/matches/${encodeURIComponent(match)}`;
const place = document.getElementById("summary");
const GRADES = { excellent: "summary_excellent", good: "summary_good", fair: "summary_fair", weak: "summary_weak" };

const link = (href, text, kind = "button quiet") => element("a", { href, class: kind }, text);
const atLine = (line) => `${page}#line=${line}`;

// A decision in parts, each in its own direction: what was played, what was better, how much that was worth, and why.
function sentence({ by, played, best, loss, ahead, why }) {
  const parts = [`${by}: ${decided(played)}`];
  if (loss > 0) parts.push(`${word("analysis_better", { best: decided(best) })} (−${percent(loss)})`);
  else if (ahead) parts.push(word("summary_ahead", { share: percent(ahead) }));
  if (why) parts.push(whySentence(why));
  return parts.flatMap((part, number) => [number ? " · " : "", element("bdi", {}, part)]);
}

function turning(found) {
  if (!found.turning) return null;
  const { line, at } = found.turning;
  return element(
    "section",
    { class: "turning" },
    element("h2", {}, word("summary_turning")),
    element("p", {}, at === undefined ? "" : `${clockText(at)} · `, ...sentence(found.turning)),
    element(
      "div",
      { class: "shots" },
      element("a", { href: atLine(line) }, element("img", { src: `${base}/position.svg?line=${line}`, alt: word("summary_picture"), width: 480, height: 320 })),
      filmSecond(base, at),
    ),
  );
}

function about(key, decision) {
  if (!decision) return null;
  return element("p", {}, element("b", {}, `${word(key)} `), element("a", { href: atLine(decision.line) }, ...sentence(decision)));
}

function player({ seat, accuracy, grade, best, worst, takes, faults }) {
  return element(
    "li",
    {},
    element("h3", {}, element("a", { href: `/players/${encodeURIComponent(seat)}` }, element("bdi", {}, seat))),
    accuracy === null ? null : element("p", { class: "accuracy", "data-grade": grade }, element("b", {}, `${accuracy} %`), " ", capital(word(GRADES[grade]))),
    about("summary_best", best),
    about("summary_worst", worst),
    accuracy !== null && !worst ? element("p", {}, word("summary_flawless")) : null,
    element("p", { class: "counts" }, [counted("summary_takes", takes), counted("match_faults", faults)].join(" · ")),
  );
}

function likely({ result, since, analysed }) {
  if (!result || result.kind === "draw" || !analysed) return null;
  return element("p", { class: "since" }, since ? word("summary_since", { clock: clockText(since.at), n: since.bout }) : word("summary_open"));
}

function ways({ analysed, mistakes }) {
  return element(
    "p",
    { class: "ways" },
    analysed && mistakes ? link(`${page}/mistakes`, word("mistakes_button", { n: mistakes }), "button") : null,
    link(page, word("review_game")),
    link("/", word("back_to_table")),
  );
}

// Where it says that the match is being judged.
function judging() {
  const said = element("p", { role: "status", class: "rating", hidden: true });
  place.append(said);
  return said;
}

const status = element("p", { role: "status", class: "rating" });

async function draw() {
  const answer = await askJudged(`${base}/summary?language=${document.body.dataset.language}`, judging());
  const found = answer?.ok ? await answer.json() : { error: await whyNot(answer) };
  if (found.error) return place.replaceChildren(element("p", { class: "none" }, found.error));
  place.replaceChildren(
    element("p", { class: "result" }, found.result ? resultLine(found.result) : word("match_no_result")),
    ...[likely(found), found.analysed ? null : status, turning(found)].filter(Boolean),
    element("ul", { class: "players" }, ...found.players.map(player)),
    ways(found),
  );
  document.body.dataset.ready = "yes";
  return found;
}

// The plays are rated once, while people look on.
async function rate() {
  status.replaceChildren(); // the button is gone before a second tap
  const { job, error } = await ask(`${base}/analysis`, asJson({}));
  if (error) return status.replaceChildren(error);
  const done = await followJob(job, showJob(status, job, ({ share }) => word("summary_rating", { share: percent(share) })));
  if (done.state === "done") return draw();
  return status.replaceChildren(word(done.state === "stopped" ? "again_stopped" : "analysis_failed"), " ", button(word("analysis_begin"), rate, { class: "quiet" }));
}

// Who only watches sees it as soon as it is there.
async function awaitRating() {
  status.replaceChildren(word("summary_waiting"));
  while ((await fetch(`${base}/analysis`).catch(() => null))?.status !== 200) await new Promise((done) => setTimeout(done, AGAIN_MS));
  return draw();
}

// The page of the match that was at the table gives way to the next game.
async function leaveForNextGame() {
  const isOfTable = new URLSearchParams(location.search).has("table");
  for (; isOfTable; await new Promise((done) => setTimeout(done, AGAIN_MS))) {
    const answer = await fetch("/api/game").catch(() => null);
    const played = answer?.ok ? (await answer.json()).match : match;
    if (played && played !== match) return location.replace("/");
  }
  return undefined;
}

leaveForNextGame();
const found = await draw();
if (found && !found.analysed && found.result) await (document.body.dataset.role === "referee" ? rate() : awaitRating());
