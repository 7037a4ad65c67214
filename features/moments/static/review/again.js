// A kept match judged again: by its film or by other rules; what came out differently, ruling by ruling.

import { button, element, show } from "../elements.js";
import { followJob, minutesLeft, showJob } from "../jobs.js";
import { ask, asJson } from "../refusal.js";
import { resultLine } from "../result.js";
import { optionField, rulesField } from "../rule_fields.js";
import { clockText, counted, percent, word } from "../words.js";

const part = (id) => document.getElementById(id);
const match = document.querySelector("main").dataset.match;
const base = `/api/matches/${encodeURIComponent(match)}`;
const language = document.body.dataset.language;
let asked = null;
let isWorking = false;
let options = {};

async function load(rules) {
  const found = await ask(`${base}/again?language=${language}${rules ? `&rules=${rules}` : ""}`);
  if (found.error) return tell(word("review_failed", { why: found.error }));
  asked = found;
  options = { ...found.options };
  drawAsk();
}

function tell(text, ...more) {
  part("work").hidden = false;
  part("work").replaceChildren(element("span", {}, text), ...more);
}

function drawAsk() {
  const isReferee = document.body.dataset.role === "referee";
  part("ask").hidden = !isReferee;
  part("ask").replaceChildren(
    element(
      "div",
      {},
      button(word("again_by_film"), () => begin({ from: "film" }), { id: "by-film", disabled: !asked.film }),
      element("p", {}, asked.film ? word("again_film_takes", { length: clockText(asked.seconds) }) : word("review_no_film")),
    ),
    element(
      "div",
      {},
      element("label", { for: "rules" }, word("again_rules")),
      rulesField(asked.sets, asked.rules, { id: "rules", onchange: ({ target }) => load(target.value) }),
      asked.choices.length ? element("details", {}, element("summary", {}, word("house_rules")), ...asked.choices.map((each) => optionField(each, (option, value) => (options[option] = value)))) : null,
      button(word("again_by_record"), () => begin({ from: "record", rules: asked.rules, options }), { id: "by-record" }),
    ),
  );
}

function timeLeft(share, workedMs) {
  const minutes = minutesLeft(share, workedMs);
  return minutes === null ? "" : counted("again_left", minutes);
}

async function begin(how) {
  if (isWorking) return; // a second tap
  isWorking = true;
  part("outcome").hidden = true;
  await judge(how);
  isWorking = false;
}

async function judge(how) {
  const job = await ask(`${base}/again?language=${language}`, asJson(how));
  if (job.error) return tell(word("again_failed", { why: job.error }));
  const began = performance.now();
  part("work").hidden = false;
  const sentence = ({ share }) => word("again_running", { share: percent(share) });
  const done = await followJob(job.job, showJob(part("work"), job.job, sentence, ({ share }) => timeLeft(share, performance.now() - began)));
  if (done.state === "failed") return tell(word("again_failed", { why: word("refused_500") }));
  if (done.state === "stopped") return tell(word("again_stopped"));
  part("work").hidden = true;
  drawOutcome(done.result);
}

function ended(result) {
  return result ? resultLine(result) : word("match_no_result");
}

const saidOf = (ruling) => (ruling ? ruling.text : word("again_nothing_said"));

// One row a change: what was said, an arrow, what is said now.
function line({ change, at, was, now }) {
  const words =
    change === "same"
      ? [now.text]
      : [element("s", { "aria-label": `${word("again_was")}: ${saidOf(was)}` }, saidOf(was)), element("i", { class: "arrow-on", "aria-hidden": "true" }, "→"), element("b", { "aria-label": `${word("again_now")}: ${saidOf(now)}` }, saidOf(now))];
  const address = was ? `line=${was.line}` : `at=${Math.max(0, at - 2)}`;
  return element("li", { "data-change": change }, element("a", { href: `/matches/${encodeURIComponent(match)}#${address}` }, element("time", {}, clockText(at)), element("span", {}, ...words)));
}

function drawOutcome({ changes, summary }) {
  const list = element("ol", { class: "changes" });
  const box = element("input", { type: "checkbox", id: "same" });
  const draw = () => list.replaceChildren(...changes.filter(({ change }) => box.checked || change !== "same").map(line));
  box.addEventListener("change", draw);
  draw();
  const isSame = summary.same === changes.length;
  part("outcome").hidden = false;
  show(
    part("outcome"),
    element("p", { class: "counts" }, isSame ? word("again_all_same") : word("again_counts", summary)),
    summary.unfilmed ? element("p", {}, counted("again_unfilmed", summary.unfilmed)) : null,
    element("p", {}, word("again_result", { was: ended(summary.result.was), now: ended(summary.result.now) })),
    element("label", {}, box, word("again_show_same")),
    list,
  );
  part("outcome").scrollIntoView({ block: "nearest" });
}

load();
