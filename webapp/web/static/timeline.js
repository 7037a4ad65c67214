// The timeline of a match: a block for each bout, in it a mark for each play, draw, fault, question and correction. Made of
// the lines that `/api/lines` and `/api/matches/ID` tell; one module for the live table and for a kept match.

import { button, element } from "./elements.js";
import { told } from "./sheet.js";
import { word } from "./words.js";

const SHOWN = new Set(["placed", "lifted", "swept", "drawn", "swapped", "shown", "dealt", "corrected", "pressed", "blocked"]);
const ACCUSING = ["illegal", "impossible"];

// Bouts in order: {number, deal, from, to, marks}, a mark being {line, at, kind, text}.
export function boutsOf(lines) {
  const { events, calls } = numbered(lines);
  const bouts = [];
  let bout = null;
  for (const [line, event] of events) {
    if (event.event === "dealt" && bout?.marks.length) bout = null;
    if (!SHOWN.has(event.event)) continue;
    // A bout ends with its sweep; the draws after it are the end of it.
    if (bout === null || (bout.isSwept && event.event === "placed")) {
      bout = { number: bouts.length + 1, from: event.at, to: event.at, marks: [], isSwept: false };
      bouts.push(bout);
    }
    bout.isSwept ||= event.event === "swept";
    bout.to = Math.max(bout.to, event.at);
    const call = calls.get(line);
    bout.marks.push({ line, at: event.at, kind: kindOf(event, call), text: call?.text ?? told(event) });
  }
  return bouts;
}

// Lines of the record with their numbers, and what holds of each by now: what was said anew stands in for what was.
function numbered(lines) {
  const events = new Map();
  const calls = new Map();
  let line = 0;
  for (const each of lines) {
    if ("kozyr" in each || "event" in each) {
      line += 1;
      if ("event" in each) events.set(line, each);
    } else if ("withdrawn" in each) calls.delete(each.of);
    else if ("ruling" in each) {
      if (each.ruling === "legal") calls.delete(each.of ?? each.line);
      else calls.set(each.of ?? each.line, each);
    }
  }
  return { events, calls };
}

function kindOf(event, call) {
  if (ACCUSING.includes(call?.ruling)) return "fault";
  if (call?.question) return "question";
  return event.event === "swept" ? (event.to === "heap" ? "beaten" : "taken") : event.event;
}

export class Timeline {
  // `onPick` hears which mark was tapped: its line, and the second two before it.
  constructor(place, onPick) {
    this.place = place;
    this.onPick = onPick;
    this.count = -1;
  }

  draw(lines) {
    if (lines.length === this.count) return;
    this.count = lines.length;
    const blocks = boutsOf(lines).map((bout) => this.block(bout));
    this.place.replaceChildren(element("ol", { class: "bouts", "aria-label": word("timeline_label") }, ...blocks));
    this.place.hidden = blocks.length === 0;
    this.place.scrollLeft = this.place.scrollWidth;
    this.at(this.now);
  }

  block({ number, from, to, marks }) {
    const shown = marks.map((mark) => {
      const { line, at, kind, text } = mark;
      const pick = () => this.onPick({ line, at, from: Math.max(0, at - 2) });
      return button("", pick, { class: "mark", "data-kind": kind, "data-at": at, title: text, "aria-label": text });
    });
    const block = element("li", { class: "bout-block", "data-from": from, "data-to": to }, element("b", {}, String(number)), ...shown);
    return block;
  }

  // Marks where the game is: what lies before `seconds` is lit.
  at(seconds) {
    this.now = seconds;
    if (seconds === undefined) return;
    for (const mark of this.place.querySelectorAll(".mark")) mark.classList.toggle("past", Number(mark.dataset.at) <= seconds);
    for (const block of this.place.querySelectorAll(".bout-block")) {
      const isNow = Number(block.dataset.from) <= seconds && seconds <= Number(block.dataset.to);
      if (isNow) block.setAttribute("aria-current", "true");
      else block.removeAttribute("aria-current");
    }
  }
}
