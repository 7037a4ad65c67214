// Sends the referee what really happened, of the match that goes on (`/api`) or of a kept one (`/api/matches/ID`).

import { post, whyNot } from "./refusal.js";
import { word } from "./words.js";

// What can be put right: seats, pack, position, the lines as they are taken to have been, and what was called on them with
// its rule. Null where that fails.
export async function taken(base) {
  const answer = await fetch(`${base}/taken?language=${document.body.dataset.language}`);
  return answer.ok ? answer.json() : null;
}

// Sends a correction: {line, text, said}, or {error}; {error, contradicts}, a sentence, where it contradicts what is known:
// sent again with {anyway: true} it is applied.
export const correct = (base, statement) => send(`${base}/correct`, statement);

// Sends one of the answers to the open matter of a line; its result is like that of a correction.
export const answer = (base, line, chosen) => send(`${base}/answer`, { line, ...chosen });

async function send(address, statement) {
  const got = await post(address, statement);
  if (got?.ok) return got.json().catch(() => ({ error: word("disconnected") })); // the answer broke off
  const { contradicts } = (await got?.clone().json().catch(() => null)) ?? {};
  return { error: await whyNot(got), contradicts };
}

// An event as people say that it was: without the uncertainty of the vision pipeline.
export function certain(event, changes = {}) {
  const { confidence, alternatives, otherwise, at, ...rest } = event;
  const said = { ...rest, ...changes };
  for (const key of Object.keys(said)) if (said[key] === null) delete said[key];
  return said;
}

// Takes back the correction of this line, whatever the camera has reported since.
export const undoOf = (line) => ({ event: "pressed", button: "undo", of: line });
