// How the table wants faults announced: at once, by a sound, or not before somebody challenges.

export function accuses(call) {
  return call.ruling === "illegal" || call.ruling === "impossible" || (call.ruling === "unclear" && call.question);
}

// What everybody may see: no ruling, nor that one is taken back, where the table only wants a hint, but for an answer to a
// challenge.
export const calledAloud = ({ calls }) => calls.filter(({ aloud }) => aloud);

// The open matters that are for everybody to see: all, or what somebody challenged, until it is settled.
export const shownMatters = ({ matters }) => matters.filter(({ aloud }) => aloud);
