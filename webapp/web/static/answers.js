// The answers to an open matter as buttons, on the table's page and on that of a kept match. The server says which there are.

import { button } from "./elements.js";
import { cardName, named, word } from "./words.js";

const LABELS = {
  as_seen: "sheet_as_seen",
  agreed: "was_agreed",
  not_agreed: "not_agreed",
  forgive: "forgive",
  was_right: "right_as_is",
  dismiss: "leave_it",
};

function label({ answer, card }) {
  return answer === "card" ? word("it_is", { card: named(cardName, card) }) : word(LABELS[answer]);
}

// These settle a matter as it is, so that "Leave it" beside them would say the same.
const SETTLES = new Set(["as_seen", "forgive", "was_right"]);

// Its answers, "The referee is wrong", and last "Leave it" where nothing else settles it; none for who only watches.
export function answerButtons({ line, text, answers }, sheet) {
  if (!sheet.mayCorrect) return [];
  const wrong = button(word("referee_wrong"), () => sheet.line(line, text), { class: "wrong" });
  const isSettled = answers.some((each) => SETTLES.has(each.answer));
  const offered = answers.filter((each) => !isSettled || each.answer !== "dismiss");
  const made = offered.map((each) => button(label(each), () => sheet.answer(line, each), each.answer === "dismiss" ? { class: "quiet leave" } : {}));
  return isSettled ? [...made, wrong] : [...made.slice(0, -1), wrong, ...made.slice(-1)];
}
