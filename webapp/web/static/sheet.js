// The correction sheet: what happened on a line, what was missed there, and how the table stands. One sheet for the live
// table and for a kept match.

import { cardFace } from "./cards.js";
import { answer, certain, correct, taken, undoOf } from "./correct.js";
import { beforeAndAfter, undoButton } from "./corrections.js";
import { crop } from "./crop.js";
import { drawDialog, newDialog } from "./dialog.js";
import { filmSecond } from "./film_second.js";
import { button, element } from "./elements.js";
import { eventText } from "./event_text.js";
import { showMeanwhile } from "./jobs.js";
import "./plays.js";
import { toast } from "./toast.js";
import { reasons } from "./why.js";
import { cardName, named, word } from "./words.js";

const RANKS = { 24: "9TJQKA", 36: "6789TJQKA", 52: "23456789TJQKA" };

// `base`: where the match is served; `changed`: is the newest event still the correction of this line? `report` shows a
// sentence with a way to take the correction back.
export class Sheet {
  constructor(base, onDone = () => {}) {
    this.base = base;
    this.mayCorrect = document.body.dataset.role === "referee"; // who only watches sees why
    this.onDone = onDone;
    this.dialog = newDialog(word("sheet_title"));
  }

  // The newest lines, to choose one from.
  async lines() {
    if (!(await this.load())) return;
    const known = element("k-plays", { newest: true });
    this.draw(word("sheet_title"), known, this.otherWays(null));
    known.show({ steps: this.data.lines.slice(-40), corrections: this.data.corrections });
    known.onPick = (number) => this.drawLine(this.data.lines.find(({ line }) => line === number));
  }

  // One line, by its number; the newest that laid a card, by the card.
  async line(number, question = null) {
    if (!(await this.load())) return;
    const line = this.data.lines.findLast((each) => each.line === number);
    if (line) this.drawLine(line, question);
    else await this.lines();
  }

  async card(name) {
    if (!(await this.load())) return;
    const line = this.data.lines.findLast(({ event }) => event.event === "placed" && event.card === name);
    if (line) this.drawLine(line);
    else await this.lines();
  }

  async table() {
    if (await this.load()) this.drawTable();
  }

  async load() {
    this.data = await taken(this.base).catch(() => null);
    if (this.data === null) this.report(word("disconnected"));
    return this.data !== null;
  }

  draw(title, ...parts) {
    this.trouble = element("p", { class: "trouble", role: "alert", hidden: true });
    drawDialog(this.dialog, title, this.trouble, ...parts);
  }

  // --- one line ---

  drawLine(line, question = null) {
    const { event } = line;
    const say = (changes) => () => this.send({ line: line.line, to: certain(event, changes) });
    const parts = [];
    if (question) parts.push(element("p", { class: "why" }, question));
    parts.push(element("div", { class: "seen-then" }, "card" in event ? crop(this.base, line.line) : null, filmSecond(this.base, event.at)));
    parts.push(...this.judged(line), ...this.corrected(line));
    if (event.event === "tick") return this.draw(eventText(event), ...parts, this.otherWays(null)); // people said so
    if (!this.mayCorrect) return this.draw(eventText(event), ...parts);
    parts.push(group(null, choice(word("sheet_as_seen"), say({})), choice(word("sheet_nothing"), () => this.send({ line: line.line, to: null }))));
    if ("card" in event) parts.push(this.cards(event, (card) => say({ card })()));
    if ("by" in event || event.event === "placed") parts.push(this.who("by", event, say));
    if (event.event === "placed") parts.push(this.places(event, line.open_before, say));
    if (event.event === "swept") {
      const seats = this.data.seats.map((seat) => choice(word("sheet_took", { seat }), say({ to: seat }), event.to === seat));
      parts.push(group(word("sheet_where"), choice(word("sheet_beaten"), say({ to: "heap" }), event.to === "heap"), ...seats));
    }
    if (event.event === "drawn") parts.push(counts(event, say));
    parts.push(this.otherWays(line));
    return this.draw(eventText(event), ...parts);
  }

  // What was called on a line, and why.
  judged({ line }) {
    const calls = (this.data.calls ?? []).filter((call) => call.line === line);
    return calls.map((call) =>
      element("details", { class: "judged", "data-tone": call.ruling, open: !this.mayCorrect }, element("summary", {}, `${word("review_why")} ${call.text}`), ...reasons(call)),
    );
  }

  // What people put right on a line, with the way back.
  corrected({ line }) {
    const found = (this.data.corrections ?? []).filter((each) => each.about === line);
    return found.map((each) => element("p", { class: "corrected" }, element("span", {}, ...beforeAndAfter(each)), undoButton(each, this)));
  }

  cards(event, chosen) {
    const likely = [...new Set([event.card, ...(event.alternatives ?? []).map(([card]) => card)])].filter(Boolean);
    const all = this.allFaces(chosen, event.card);
    all.hidden = true;
    const more = button(word("sheet_other_card"), () => {
      all.hidden = false;
      more.hidden = true;
    }, { class: "quiet" });
    return element(
      "section",
      {},
      element("h3", {}, word("which_card")),
      element("div", { class: "faces likely" }, ...likely.map((card) => face(card, () => chosen(card), card === event.card))),
      more,
      all,
    );
  }

  allFaces(chosen, current = null) {
    const ranks = RANKS[this.data.pack];
    const cards = ["s", "h", "d", "c"].flatMap((suit) => [...ranks].map((rank) => rank + suit));
    return element("div", { class: "faces all", "data-ranks": ranks.length }, ...cards.map((card) => face(card, () => chosen(card), card === current)));
  }

  // Whose play it was; `say(changes)`: what a tap on a choice says of the event.
  who(key, event, say) {
    return group(word("sheet_who"), ...this.data.seats.map((seat) => choice(seat, say({ [key]: seat }), event[key] === seat)));
  }

  // Beside the others, or across a card that lay there by then.
  places(event, open, say) {
    const on = [...new Set([event.on, ...open])].filter((card) => card && card !== event.card);
    if (!on.length) return null;
    return group(
      word("sheet_place"),
      choice(word("sheet_beside"), say({ on: null }), !event.on),
      ...on.map((card) => choice(word("sheet_on", { card: named(cardName, card) }), say({ on: card }), event.on === card)),
    );
  }

  otherWays(line) {
    if (!this.mayCorrect) return null;
    return group(
      null,
      line && button(word("sheet_missed"), () => this.drawMissed(line), { class: "quiet" }),
      line && button(word("sheet_lines"), () => this.lines(), { class: "quiet" }),
      button(word("sheet_table"), () => this.drawTable(), { class: "quiet" }),
    );
  }

  // --- what was missed after a line ---

  drawMissed(line, missed = { event: "placed", by: this.data.state.attacker ?? this.data.seats[0] }) {
    const { seats } = this.data;
    const by = [missed.by, missed.to].find((each) => seats.includes(each)) ?? seats[0];
    const kinds = {
      placed: ["sheet_laid", { event: "placed", by }],
      beaten: ["sheet_beaten", { event: "swept", to: "heap" }],
      taken: ["sheet_taken", { event: "swept", to: by }],
      drawn: ["sheet_drew", { event: "drawn", by, count: 1 }],
    };
    const kind = missed.event === "swept" ? (missed.to === "heap" ? "beaten" : "taken") : missed.event;
    const say = (changes) => () => this.drawMissed(line, certain(missed, changes));
    this.draw(
      word("sheet_missed_after", { what: eventText(line.event) }),
      group(word("sheet_what"), ...Object.entries(kinds).map(([name, [label, next]]) => choice(word(label), () => this.drawMissed(line, next), kind === name))),
      kind === "beaten" ? null : this.who(kind === "taken" ? "to" : "by", missed, say),
      kind === "drawn" ? counts(missed, say) : null,
      kind === "placed" ? this.places(missed, line.open_after, say) : null,
      kind === "placed" ? this.allFaces((card) => say({ card })(), missed.card) : null,
      confirm(word("sheet_put_in"), () => this.send({ after: line.line, insert: { at: this.moment(line), ...missed } }), kind === "placed" && !missed.card),
    );
  }

  // Between this line and the next one; a play of its own where there is room for it.
  moment(line) {
    const next = this.data.lines.find((each) => each.line > line.line && each.event.at !== undefined);
    const at = line.event.at + 0.001;
    return next && next.event.at < at ? line.event.at : at;
  }

  // --- the table as it stands ---

  drawTable() {
    const { state, seats } = this.data;
    const hands = Object.fromEntries(seats.map((seat) => [seat, state.hands[seat] ?? 0]));
    const said = { hands, talon: state.talon, attacker: state.attacker };
    const send = () => {
      const table = { hands, talon: said.talon };
      if (said.attacker && said.attacker !== state.attacker) table.attacker = said.attacker;
      return this.send({ table });
    };
    const attackers = () =>
      seats.map((seat) =>
        choice(seat, ({ currentTarget }) => {
          said.attacker = seat;
          for (const each of currentTarget.parentElement.children) each.setAttribute("aria-pressed", String(each === currentTarget));
        }, said.attacker === seat),
      );
    this.draw(
      word("sheet_table"),
      element("p", { class: "why" }, word("sheet_table_why")),
      element(
        "div",
        { class: "counts" },
        ...seats.map((seat) => counter(seat, hands[seat], (n) => (hands[seat] = n))),
        counter(word("talon"), said.talon, (n) => (said.talon = n)),
      ),
      group(word("sheet_attacks"), ...attackers()),
      confirm(word("sheet_stands_so"), send),
    );
  }

  // --- sending ---

  // One of the answers that the server offers for an open matter.
  answer(line, chosen) {
    return this.applied(() => answer(this.base, line, chosen), chosen);
  }

  send(statement) {
    return this.applied(() => correct(this.base, statement), statement);
  }

  // Sends a statement. A second tap is ignored until the answer to the first has come.
  async applied(send, statement) {
    if (this.isSending) return undefined;
    this.isSending = true;
    this.showBusy(true);
    const isOver = this.showJudging();
    const done = await send();
    isOver();
    this.isSending = false;
    if (done.error) {
      this.showBusy(false);
      const insist = done.contradicts ? button(word("insist"), () => this.send({ ...statement, anyway: true })) : "";
      if (!this.dialog.open) return this.report(done.contradicts ?? done.error);
      this.trouble.replaceChildren(element("span", {}, done.contradicts ?? done.error), insist);
      this.trouble.hidden = false;
      this.dialog.scrollTop = 0;
      return undefined;
    }
    this.dialog.close();
    if (done.stated) this.report(done.stated, { statement, line: done.line });
    try {
      return await this.onDone(done);
    } finally {
      this.showBusy(false);
    }
  }

  // A long match that was kept is judged with the correction by a job, which a person can stop. Gives back what ends that.
  showJudging() {
    if (this.base === "/api") return () => {}; // the game at the table is judged there
    const judging = element("p", { role: "status" });
    const place = () => {
      if (!this.dialog.open) this.draw(word("sheet_title"));
      this.trouble.before(judging);
      this.trouble.hidden = true;
      this.dialog.scrollTop = 0;
      return judging;
    };
    const match = decodeURIComponent(this.base.split("/").at(-1));
    const end = showMeanwhile({ kind: "correction", about: match }, "correcting", place);
    return () => {
      end();
      judging.remove();
    };
  }

  // Shows that the program is judging the match again, which takes seconds for a long one.
  showBusy(isBusy) {
    this.dialog.dataset.working = document.body.dataset.working = word("sheet_working");
    this.dialog.setAttribute("aria-busy", String(isBusy));
    document.body.classList.toggle("busy", isBusy);
  }

  // What changed, in one line, with a way back.
  report(text, done = null) {
    const isUndo = done?.statement.button === "undo";
    toast(text, done && !isUndo ? () => this.send(undoOf(done.line)) : null);
  }
}

function group(title, ...choices) {
  const shown = choices.filter(Boolean);
  if (!shown.length) return null;
  return element("section", {}, title && element("h3", {}, title), element("div", { class: "choices" }, ...shown));
}

// What sends the sheet: it stays in sight however much there is to choose from.
function confirm(label, onclick, isDisabled = false) {
  return element("p", { class: "confirm" }, button(label, onclick, { disabled: isDisabled }));
}

const counts = (event, say) => group(word("sheet_count"), ...[1, 2, 3, 4, 5, 6].map((count) => choice(String(count), say({ count }), event.count === count)));

function choice(label, onclick, isNow = null) {
  return button(label, onclick, { class: "plain-choice", ...(isNow === null ? {} : { "aria-pressed": String(isNow) }) });
}

function face(card, onclick, isNow) {
  const attributes = { type: "button", onclick, "aria-pressed": String(isNow), "aria-label": cardName(card) };
  return element("button", attributes, cardFace(card));
}

function counter(name, begin, set) {
  let n = begin;
  const shown = element("output", {}, String(n));
  const by = (step) => () => {
    n = Math.max(0, n + step);
    shown.textContent = String(n);
    set(n);
  };
  const less = button("−", by(-1), { class: "plain-choice", "aria-label": word("sheet_less", { name }) });
  const more = button("+", by(1), { class: "plain-choice", "aria-label": word("sheet_more", { name }) });
  return element("div", { class: "counter" }, element("span", { class: "name" }, name), less, shown, more);
}
