// Decks that may learn from pictures of corrected cards: a button for each, and what came of it, before and after.

import { cardText } from "../cards.js";
import { button, element, show } from "../elements.js";
import { followJob, showJob } from "../jobs.js";
import { ask, asJson } from "../refusal.js";
import { percent, word } from "../words.js";

const ADDRESS = "/api/labelled/decks";
const place = document.getElementById("deck-corrections");
const outcomes = new Map(); // by deck: the nodes that say what came of it
let isWorking = false;
let known = { decks: [], others: 0 };

async function load(how, address = ADDRESS) {
  const found = await ask(address, how);
  if (!found.error) draw(found);
  return found;
}

function draw(found = known) {
  known = found;
  const { decks, others } = found;
  show(
    place,
    ...decks.flatMap(({ deck, pictures, learnt }) => [
      element("p", { class: "deck-pictures" }, element("b", {}, word("corrections_deck", { deck })), " · ", word("corrections_pictures", { count: pictures }), " · ", word("corrections_learned", { count: learnt })),
      element(
        "div",
        { class: "deck-buttons" },
        pictures ? button(word("corrections_learn"), () => learn(deck), { "data-deck": deck, disabled: isWorking }) : null,
        learnt ? button(word("corrections_forget"), () => forget(deck), { class: "quiet", disabled: isWorking }) : null,
      ),
      element("div", { class: "deck-outcome", role: "status", "data-of": deck }),
    ]),
    others ? element("p", {}, word("corrections_others", { count: others })) : null,
  );
  for (const [deck, nodes] of outcomes) tell(deck, ...nodes);
}

function tell(deck, ...nodes) {
  outcomes.set(deck, nodes);
  const at = [...place.querySelectorAll(".deck-outcome")].find((each) => each.dataset.of === deck);
  at?.replaceChildren(...nodes.filter(Boolean));
}

async function learn(deck) {
  if (isWorking) return; // a second tap
  isWorking = true;
  draw();
  tell(deck, word("corrections_working", { share: percent(0) }));
  const job = await ask(ADDRESS, asJson({ deck }));
  const done = job.error ? { state: "refused" } : await followed(deck, job.job);
  isWorking = false;
  if (done.state === "done") tell(deck, ...outcomeOf(done.result));
  else tell(deck, done.state === "stopped" ? word("again_stopped") : word("corrections_failed", { why: job.error ?? word("refused_500") }));
  if ((await load()).error) draw();
}

function followed(deck, job) {
  const working = element("p", {});
  tell(deck, working);
  return followJob(job, showJob(working, job, ({ share }) => word("corrections_working", { share: percent(share) })));
}

async function forget(deck) {
  outcomes.delete(deck);
  const found = await load({ method: "DELETE" }, `${ADDRESS}?${new URLSearchParams({ deck })}`);
  if (found.error) tell(deck, word("corrections_failed", { why: found.error }));
  else tell(deck, word("corrections_forgotten"));
}

const WHY = { none: "corrections_none", "no-better": "corrections_no_better", "own-worse": "corrections_own_worse" };

function outcomeOf({ learnt, dropped, reason, used, before, after, cards = [] }) {
  const verdict = [word(learnt ? "corrections_kept" : WHY[reason]), dropped ? word("corrections_dropped") : null].filter(Boolean).join(" ");
  if (!used) return [element("p", {}, verdict)];
  return [
    element("p", {}, element("b", {}, word("corrections_before_after", { before, after, used }))),
    element("p", {}, verdict),
    element("details", {}, element("summary", {}, word("corrections_cards")), element("ul", {}, ...cards.map(line))),
  ];
}

const read = ([name]) => (name === "none" ? word("corrections_nothing") : name === "back" ? word("face_down") : cardText(name));

function line({ card, before, after }) {
  const isRight = after[0] === card;
  return element("li", { "data-right": String(isRight) }, word("corrections_card", { which: cardText(card), before: read(before), after: read(after) }), isRight ? " ✓" : "");
}

if (place) {
  load();
  document.addEventListener("labelled", () => load());
}
