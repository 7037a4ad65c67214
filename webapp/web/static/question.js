// The one question that is open, the same on every device; its answers put the line right.

import { answerButtons } from "./answers.js";
import { crop } from "./crop.js";
import { element, show } from "./elements.js";
import { word } from "./words.js";

// `called`: the line of which the call in large type speaks: where it asks itself, only the answers stand here.
export function renderQuestion(place, snapshot, sheet, called) {
  const question = snapshot.matters.find(({ aloud, question }) => aloud && question);
  place.hidden = !question;
  if (place.hidden) return;
  place.classList.toggle("called", called === question.line);
  const title = element("h2", {}, word("unclear"));
  const picture = crop(sheet.base, question.line, true);
  show(place, picture, title, element("p", {}, question.text), element("span", { class: "answers" }, ...answerButtons(question, sheet)));
}
