// <k-plays>: the plays of a match, each with what was called on it, what it cost its player, and what people put right. The
// one list of plays of every page. `searchable`: narrowed down by words and by kind; `newest`: the newest play stands first.

import { cardText } from "./cards.js";
import { beforeAndAfter, takeBackButton, undoButton } from "./corrections.js";
import { button, element } from "./elements.js";
import { eventText } from "./event_text.js";
import { breakable, clockText, percent, word } from "./words.js";

const ASIDE = new Set(["talon", "limit", "score", "turn", "draw", "take", "corrected"]); // the board, or the play itself, says so
const KINDS = { faults: "review_faults", questions: "review_questions", corrections: "review_corrections", notes: "review_notes" };
const SIGNS = { faults: "!", questions: "?", corrections: "◆" };
const COSTS = [[0.3, "??"], [0.2, "?"], [0.1, "?!"]]; // the chance that a decision lost, as chess players mark it
const UNSEEN = new Set(["tick", "reread"]); // no plays
const STATES_NOTHING = new Set(["undo", "dismiss", "challenge"]);
const AT_ONCE = 120; // entries: more than the list shows; the others follow while nothing else is to do
const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 30)); // Safari has none

// The calls of a view, each with its content beside its line and its text.
export const callsOf = ({ calls = [] }) => calls.map(({ content, ...call }) => ({ ...content, ...call }));

class Plays extends HTMLElement {
  connectedCallback() {
    if (this.list) return;
    this.list = element("ol", { class: "calls" });
    this.made = new Map(); // by line: what an entry was made of, and the entry
    this.losses = new Map();
    if (this.hasAttribute("searchable")) {
      this.search = element("input", { type: "search", placeholder: word("review_search"), "aria-label": word("review_search") });
      this.search.addEventListener("input", () => this.draw());
      this.kinds = element("div", { class: "kinds", role: "group", "aria-label": word("review_kinds") });
      this.append(this.search, this.kinds);
    }
    this.append(this.list);
    this.list.addEventListener("click", ({ target }) => {
      const line = target.closest(".entry")?.parentElement.dataset.line;
      if (line) this.onPick(Number(line));
    });
  }

  onPick() {}

  // `steps` of the timeline, in order; `calls`: {line, text, ...content}; `sheet`: takes back what is put right here, null where
  // nothing is.
  show({ steps, calls = [], corrections = [], sheet = null }) {
    this.steps = steps.filter(({ event, said }) => said || !UNSEEN.has(event.event));
    this.sheet = sheet;
    this.corrections = new Map(corrections.map((each) => [each.about ?? each.line, each]));
    this.follows = new Map(calls.filter(({ announce }) => announce === "corrected").map(({ line, details }) => [line, details ?? []]));
    this.calls = new Map(this.steps.map(({ line }) => [line, []]));
    for (const call of calls.filter(({ ruling, announce, withdrawn }) => ruling !== "legal" && !withdrawn && !ASIDE.has(announce)))
      (this.calls.get(call.line) ?? this.callsAt(Math.max(...[...this.calls.keys()].filter((line) => line < call.line)))).push(call);
    if (this.kinds) this.drawKinds();
    this.draw();
  }

  // Marks what decisions cost: line -> the chance that was lost.
  cost(losses) {
    this.losses = losses;
    this.draw();
  }

  callsAt = (line) => this.calls.get(line) ?? [];

  kindsOf({ line, said }) {
    const kinds = new Set(said ? ["corrections"] : []);
    for (const call of this.callsAt(line)) {
      if (call.ruling === "illegal" || call.ruling === "impossible") kinds.add("faults");
      if (call.ruling === "unclear") kinds.add(call.note ? "notes" : "questions");
    }
    return kinds;
  }

  // The kinds of which there are any, as buttons: a tap shows these alone, a second one all.
  drawKinds() {
    const there = new Set(this.steps.flatMap((step) => [...this.kindsOf(step)]));
    const choose = (kind) => {
      this.kind = this.kind === kind ? null : kind;
      this.drawKinds();
      this.draw();
    };
    const shown = Object.entries(KINDS).filter(([kind]) => there.has(kind));
    this.kinds.replaceChildren(...shown.map(([kind, name]) => button(word(name), () => choose(kind), { class: "quiet kind", "data-kind": kind, "aria-pressed": String(kind === this.kind) })));
  }

  draw() {
    const asked = this.search?.value.trim().toLowerCase() ?? "";
    const steps = this.hasAttribute("newest") ? [...this.steps].reverse() : this.steps;
    const own = (this.drawing = {});
    const nodes = [];
    let bout;
    const more = (from) => {
      if (own !== this.drawing) return; // something else has been asked for meanwhile
      for (const step of steps.slice(from, from + AT_ONCE)) {
        const entry = this.entry(step, asked);
        if (!entry) continue;
        if (step.bout !== bout && !asked && !this.kind) nodes.push(this.once(`bout ${step.bout}`, "", () => element("li", { class: "bout-head" }, word("review_bout", { n: step.bout }))));
        bout = step.bout;
        nodes.push(entry);
      }
      const isWhole = from + AT_ONCE >= steps.length;
      if (isWhole && !nodes.length) nodes.push(element("li", { class: "none" }, word(asked || this.kind ? "review_search_none" : "nothing_earlier")));
      this.place(nodes, isWhole);
      if (!isWhole) whenIdle(() => more(from + AT_ONCE));
    };
    more(0);
  }

  // Puts the entries in their order; those that stand right are not touched. `isWhole`: no others follow.
  place(nodes, isWhole) {
    let next = this.list.firstChild;
    for (const node of nodes) {
      if (node === next) next = node.nextSibling;
      else this.list.insertBefore(node, next);
    }
    while (isWhole && next) {
      const gone = next;
      next = next.nextSibling;
      gone.remove();
    }
  }

  // An entry is made again only where something else stands in it.
  once(name, content, make) {
    const there = this.made.get(name);
    if (there?.content === content) return there.node;
    const node = make();
    there?.node.remove();
    this.made.set(name, { content, node });
    return node;
  }

  // The entry of a step; null where it is not what is asked for.
  entry(step, asked) {
    const { line, event, comment } = step;
    const kinds = this.kindsOf(step);
    if (this.kind && !kinds.has(this.kind)) return null;
    const calls = this.callsAt(line).filter((call) => this.kind === "notes" || !call.note);
    if (asked && !this.words(step, calls, kinds).includes(asked)) return null;
    const correction = this.corrections.get(line);
    const cost = COSTS.find(([least]) => (this.losses.get(line) ?? 0) >= least)?.[1];
    const follows = (correction && this.follows.get(correction.line)) ?? [];
    const isCurrent = line === this.current;
    const content = JSON.stringify([event, comment, step.said, correction, follows, cost, isCurrent, calls.map(({ text, ruling }) => [text, ruling])]);
    return this.once(line, content, () => {
      const signs = Object.entries(SIGNS).filter(([kind]) => kinds.has(kind)).map(([kind, sign]) => element("span", { class: "sign", "data-kind": kind, role: "img", "aria-label": word(KINDS[kind]) }, sign));
      const isPress = event.event === "pressed" && !STATES_NOTHING.has(event.button);
      const tone = calls.find(({ ruling }) => ruling)?.ruling ?? (calls.some(({ announce }) => announce === "result") ? "result" : correction ? "corrected" : isPress ? "pressed" : "");
      return element(
        "li",
        { "data-line": line, "data-tone": tone, "aria-current": isCurrent },
        element("time", {}, clockText(event.at)),
        element(
          "button",
          { type: "button", class: "entry" },
          ...signs,
          cost ? element("span", { class: "sign", "data-kind": "cost", role: "img", "aria-label": word("analysis_mark", { who: event.by ?? word("sheet_somebody"), loss: percent(this.losses.get(line)) }) }, cost) : null,
          ...(correction ? [element("span", { class: "change" }, ...beforeAndAfter(correction))] : [element("span", {}, breakable(eventText(event)))]),
          step.said && !correction ? element("em", {}, word("review_said_by_people")) : null,
          comment ? element("i", { dir: "auto" }, comment) : null,
          ...calls.map(({ text }) => element("b", {}, breakable(text))),
        ),
        follows.length ? element("details", { class: "follows" }, element("summary", {}, word("changed_more")), element("ul", {}, ...follows.map((text) => element("li", {}, breakable(text))))) : null,
        correction ? undoButton(correction, this.sheet) : isPress ? takeBackButton(line, this.sheet) : null,
      );
    });
  }

  // What an entry can be found by: its words, its kinds, and its cards as people write them.
  words({ event, comment }, calls, kinds) {
    const cards = [event.card, event.on, ...calls.flatMap((call) => call.cards ?? [])].filter((card) => card && card !== "back");
    const named = [...kinds].map((kind) => word(KINDS[kind]));
    return [eventText(event), comment ?? "", ...calls.map(({ text }) => text), ...named, ...cards, ...cards.map(cardText)].join(" ").toLowerCase();
  }

  // Shows the newest plays again, wherever the list was scrolled to.
  follow() {
    this.list.scrollTop = this.hasAttribute("newest") ? 0 : this.list.scrollHeight;
  }

  // Marks a play. The list follows within itself, as far as it has to: the page stays where it is.
  mark(line) {
    this.current = line;
    for (const item of this.list.children) item.toggleAttribute("aria-current", item.dataset.line === String(line));
    const item = this.list.querySelector("[aria-current]");
    if (!item) return;
    const [its, list] = [item.getBoundingClientRect(), this.list.getBoundingClientRect()];
    if (its.top < list.top || its.bottom > list.bottom) this.list.scrollTop += its.top - list.top - list.height / 2;
  }
}

customElements.define("k-plays", Plays);
