// The one question that is open, the same on every device; its answers put the line right.

import { certain, taken } from "./correct.js";
import { crop } from "./crop.js";
import { button, element, show } from "./elements.js";
import { cardName, word } from "./words.js";

// `called`: the line of which the call in large type speaks: where it asks itself, only the answers stand here.
export function renderQuestion(place, snapshot, sheet, press, called) {
  const { question } = snapshot;
  place.hidden = question === null || snapshot.tone !== "call" || left.has(keyOf(snapshot));
  if (question === null) return;
  place.classList.toggle("called", called === (question.of ?? question.line));
  const title = element("h2", {}, word("unclear"));
  const picture = crop(sheet.base, question.of ?? question.line, true);
  show(place, picture, title, element("p", {}, question.text), element("span", { class: "answers" }, ...answers(question, snapshot, sheet, press), leaveIt(place, snapshot)));
}

// Questions that somebody at this device has left open on purpose.
const left = new Set();

const keyOf = ({ game, question }) => `${game}|${question?.of ?? question?.line}`;

function leaveIt(place, snapshot) {
  return button(
    word("leave_it"),
    () => {
      left.add(keyOf(snapshot));
      place.hidden = true;
    },
    { class: "quiet leave" },
  );
}

function answers(call, snapshot, sheet, press) {
  const line = call.of ?? call.line;
  const say = (changes) => async () => {
    const data = await taken(sheet.base).catch(() => null);
    const event = data?.lines.findLast((each) => each.line === line)?.event;
    if (event) await sheet.send({ line, to: certain(event, changes) });
    else await sheet.line(line);
  };
  const other = button(word("referee_wrong"), () => sheet.line(line, call.text), { class: "wrong" });
  const { question } = call;
  if (question.ask === "leave") return [...leave(call, press), other];
  if (question.ask === "card") {
    const cards = [...new Set(question.cards ?? [question.card])];
    return [...cards.map((card) => button(word("it_is", { card: cardName(card) }), say({ card }))), other];
  }
  if (question.ask === "who") {
    const seats = (question.seats ?? snapshot.seats).filter((seat) => !snapshot.state.out.includes(seat));
    return [...seats.map((by) => button(by, say({ by }))), other];
  }
  return [button(word("sheet_as_seen"), say({})), other];
}

// What was said at the table: that the attack was over, or that somebody might come first; or that it was not.
function leave(call, press) {
  const { question } = call;
  const asked = question.seats ?? [question.seat];
  const agreed =
    call.play === "sweep" ? [{ button: "done" }] : asked.map((by) => (call.by ? { button: "allow", by, for: call.by } : { button: "pass", by }));
  const send = (statements) => async () => {
    for (const statement of statements) await press(statement);
  };
  return [button(word("was_agreed"), send(agreed)), button(word("not_agreed"), send(asked.map((by) => ({ button: "wait", by }))))];
}
