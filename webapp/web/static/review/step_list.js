// The list of what happened in a match: searched by words, narrowed down by kind, and marked where the match is.

import { cardText } from "../cards.js";
import { beforeAndAfter } from "../corrections.js";
import { button, element } from "../elements.js";
import { eventText } from "../event_text.js";
import { word } from "../words.js";
import { boutsOf } from "./time_axis.js";

const SHOWN_ANYWAY = new Set(["talon", "limit", "score"]); // stands beside the board
const KINDS = { faults: "review_faults", questions: "review_questions", corrections: "review_corrections", notes: "review_notes" };
const SIGNS = { faults: "!", questions: "?", corrections: "◆" };
const COSTS = [[0.3, "??"], [0.2, "?"], [0.1, "?!"]]; // the chance that a decision lost, as chess players mark it
const AT_ONCE = 120; // entries: more than the list shows; the others follow while nothing else is to do
const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 30)); // Safari has none

function clockText(at) {
  return `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, "0")}.${Math.floor((at * 10) % 10)}`;
}

// When it happened; how long the table could not be seen.
function timeOf({ at, event }, next) {
  const from = clockText(Math.max(0, at));
  return event.event === "blocked" && next ? `${from}\u2013${clockText(next.at)}` : from;
}

// What an entry can be found by: its words, its kinds, and its cards as people write them.
function findable(step, calls, kinds) {
  const cards = [step.event.card, step.event.on, ...calls.flatMap((call) => call.cards ?? [])].filter((card) => card && card !== "back");
  const written = cards.flatMap((card) => [card, cardText(card)]);
  const named = [...kinds].map((kind) => word(KINDS[kind]));
  return [eventText(step.event), step.comment ?? "", ...calls.map(({ text }) => text), ...named, ...written].join(" ").toLowerCase();
}

function kindsOf(step, calls) {
  const kinds = new Set(step.said ? ["corrections"] : []);
  for (const call of calls) {
    if (call.ruling === "illegal" || call.ruling === "impossible") kinds.add("faults");
    if (call.ruling === "unclear") kinds.add(call.note ? "notes" : "questions");
  }
  return kinds;
}

export class StepList {
  // `onPick(place)` hears which step was tapped.
  constructor(list, search, kinds, onPick) {
    Object.assign(this, { list, search, kinds, onPick });
    this.kind = null;
    this.losses = new Map();
    this.listing = 0;
    search.addEventListener("input", () => this.draw());
  }

  // Marks what decisions cost: line -> the chance that was lost.
  cost(losses) {
    this.losses = losses;
    this.draw();
  }

  // What stands beside an entry at a glance: a fault, a question, a correction, or what the decision cost.
  signs(line, kinds) {
    const cost = COSTS.find(([least]) => (this.losses.get(line) ?? 0) >= least);
    const made = Object.entries(SIGNS).filter(([kind]) => kinds.has(kind)).map(([kind, sign]) => element("span", { class: "sign", "data-kind": kind, role: "img", "aria-label": word(KINDS[kind]) }, sign));
    return cost ? [...made, element("span", { class: "sign", "data-kind": "cost" }, cost[1])] : made;
  }

  open(match, callsAt) {
    Object.assign(this, { match, callsAt });
    this.drawKinds();
    this.draw();
  }

  // The kinds of which there are any, as buttons: a tap shows these alone, a second one all.
  drawKinds() {
    const there = new Set(this.match.steps.flatMap((step) => [...kindsOf(step, this.callsAt(step.line))]));
    const buttons = Object.entries(KINDS).filter(([kind]) => there.has(kind)).map(([kind, name]) =>
      button(word(name), () => this.choose(kind), { class: "quiet kind", "data-kind": kind, "aria-pressed": String(kind === this.kind) }),
    );
    this.kinds.replaceChildren(...buttons);
  }

  choose(kind) {
    this.kind = this.kind === kind ? null : kind;
    for (const each of this.kinds.children) each.setAttribute("aria-pressed", String(each.dataset.kind === this.kind));
    this.draw();
  }

  draw() {
    const asked = this.search.value.trim().toLowerCase();
    const bouts = new Map(boutsOf(this.match.steps).map((bout) => [bout.first, bout]));
    const own = (this.listing += 1);
    this.list.replaceChildren();
    const more = (from) => {
      if (own !== this.listing) return; // something else has been asked for meanwhile
      const upTo = Math.min(from + AT_ONCE, this.match.steps.length);
      for (let place = from; place < upTo; place += 1) this.list.append(...this.entries(place, asked, bouts.get(place)));
      if (upTo < this.match.steps.length) whenIdle(() => more(upTo));
      else if (!this.list.firstChild) this.list.append(element("li", { class: "none" }, word("review_search_none")));
    };
    more(0);
  }

  // One step's entry, with the head of its bout before it; nothing where it is not what is asked for.
  entries(place, asked, bout) {
    const step = this.match.steps[place];
    const all = this.callsAt(step.line).filter(({ ruling, announce }) => ruling !== "legal" && !SHOWN_ANYWAY.has(announce));
    const kinds = kindsOf(step, all);
    if (this.kind && !kinds.has(this.kind)) return [];
    const calls = this.kind === "notes" ? all : all.filter((call) => !call.note);
    if (asked && !findable(step, calls, kinds).includes(asked)) return [];
    const correction = step.said ? this.match.corrections?.find(({ about }) => about === step.line) : null;
    const head = bout && !asked && !this.kind ? [element("li", { class: "bout-head" }, word("review_bout", { n: bout.number }))] : [];
    const tone = calls.find(({ ruling }) => ruling)?.ruling ?? (calls.some(({ announce }) => announce === "result") ? "result" : "");
    return [
      ...head,
      element(
        "li",
        { "data-place": place, "data-tone": tone, "aria-current": place === this.place },
        element("time", {}, timeOf(step, this.match.steps[place + 1])),
        element(
          "button",
          { type: "button", class: "entry", onclick: () => this.onPick(place) },
          ...this.signs(step.line, kinds),
          element("span", {}, eventText(step.event) || step.event.event),
          step.said ? element("em", {}, word("review_said_by_people")) : null,
          correction ? element("span", { class: "change" }, ...beforeAndAfter(correction)) : null,
          step.comment ? element("i", { dir: "auto" }, step.comment) : null,
          ...calls.map(({ text }) => element("b", {}, text)),
        ),
      ),
    ];
  }

  // The list follows within itself, as far as it has to: the page stays where it is.
  mark(place) {
    this.place = place;
    for (const item of this.list.children) item.toggleAttribute("aria-current", item.dataset.place === String(place));
    const current = this.list.querySelector("[aria-current]");
    if (!current) return;
    const [item, list] = [current.getBoundingClientRect(), this.list.getBoundingClientRect()];
    if (item.top < list.top || item.bottom > list.bottom) this.list.scrollTop += item.top - list.top - list.height / 2;
  }
}
