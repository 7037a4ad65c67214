// How the table wants faults announced: at once, by a sound, or not before somebody challenges.

export function accuses(call) {
  return call.ruling === "illegal" || call.ruling === "impossible" || (call.ruling === "unclear" && call.question);
}

// The answer to a challenge, with which the faults of the last bout come.
export function isAnswer(call) {
  return call.announce === "challenge";
}

// What may stand on a page that everybody sees: no ruling, nor that one is taken back, where the table only wants a hint,
// but for an answer.
export function calledAloud({ tone, calls }) {
  if (tone === "call") return calls;
  const asked = new Set(calls.filter(isAnswer).map((call) => call.line));
  return calls.filter((call) => !(call.ruling || call.withdrawn) || asked.has(call.line));
}

// The open matters that are for everybody to see: all, or what somebody challenged, until it is settled. A page that
// answers none (a kept match, a hall) has the open faults of the position.
export function shownMatters({ tone, calls, state, matters = state.open ?? [] }) {
  if (tone === "call") return matters;
  const challenged = calls.findLast(isAnswer)?.line ?? 0;
  return matters.filter(({ line }) => line < challenged);
}
