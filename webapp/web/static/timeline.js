// The timeline of the game that goes on: a block for each bout, in it a mark for each play, draw, fault, question and
// correction. Made of the steps of `/api/steps`, in the order in which they happened.

import { button, element } from "./elements.js";
import { eventText } from "./event_text.js";
import { word } from "./words.js";

const SHOWN = new Set(["placed", "lifted", "swept", "drawn", "swapped", "shown", "dealt", "corrected", "pressed", "blocked"]);
const FAR_PX = 1e7; // to the end, without asking how far that is
const ACCUSING = ["illegal", "impossible"];

// Bouts in order: {number, from, to, marks, isSwept}, a mark being {line, at, kind, text}.
export function boutsOf(steps) {
  const bouts = new Map();
  for (const { line, bout: number, event, said, call } of steps) {
    if (!SHOWN.has(event.event) && !said) continue;
    if (!bouts.has(number)) bouts.set(number, { number, from: event.at, to: event.at, marks: [], isSwept: false });
    const bout = bouts.get(number);
    bout.isSwept ||= event.event === "swept";
    bout.to = Math.max(bout.to, event.at);
    bout.marks.push({ line, at: event.at, kind: kindOf(event, said, call), text: wordsOf(event, call) });
  }
  return [...bouts.values()];
}

function kindOf(event, said, call) {
  if (ACCUSING.includes(call?.ruling)) return "fault";
  if (call?.question) return "question";
  if (said) return "corrected";
  return event.event === "swept" ? (event.to === "heap" ? "beaten" : "taken") : event.event;
}

// In the reader's language: what happened, and that it was called or asked about.
function wordsOf(event, call) {
  const what = eventText(event);
  if (!call) return what;
  return `${word(call.ruling)}: ${what}`;
}

export class Timeline {
  // `onPick` gets which mark was tapped: its line, and the second two before it.
  constructor(place, onPick) {
    this.place = place;
    this.onPick = onPick;
    this.list = element("ol", { class: "bouts", "aria-label": word("timeline_label") });
    this.drawn = new WeakMap(); // each block with the bout that it shows
  }

  draw(steps) {
    const bouts = boutsOf(steps);
    if (!this.list.isConnected) this.place.replaceChildren(this.list);
    while (this.list.children.length > bouts.length) this.list.lastChild.remove();
    bouts.forEach((bout, index) => {
      const content = JSON.stringify(bout);
      const there = this.list.children[index];
      if (there && this.drawn.get(there) === content) return;
      const block = this.block(bout);
      this.drawn.set(block, content);
      if (there) there.replaceWith(block);
      else this.list.append(block);
    });
    this.place.hidden = bouts.length === 0;
    requestAnimationFrame(() => (this.place.scrollLeft = document.dir === "rtl" ? -FAR_PX : FAR_PX)); // the page is laid out then anyway
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
