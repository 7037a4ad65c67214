// Finds room for the bout: the place on the felt, clear of all seats, where its pairs can be drawn largest.

const PAIR_WIDTH = 1.34; // a pair and the gap beside it, in widths of a card
const PAIR_HEIGHT = 1.72;
const MARGIN = 12;
const OFF_CENTRE = 0.12; // how much size is given up for lying in the middle of the table

function overlaps(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function edges(values, from, to) {
  return [...new Set(values.map((value) => Math.min(Math.max(Math.round(value), from), to)))];
}

function largestCards(width, height, pairs, widest) {
  let best = { card: 0, across: 1 };
  for (let across = 1; across <= pairs; across += 1) {
    const down = Math.ceil(pairs / across);
    const card = Math.min(widest, width / across / PAIR_WIDTH, height / down / PAIR_HEIGHT);
    if (card > best.card + 0.5) best = { card, across };
  }
  return best;
}

// felt: {width, height}; seats: rectangles {left, top, right, bottom}; gives such a rectangle, the
// `width` that a row of pairs takes in it, and `card`, how wide a card is.
export function roomForBout(felt, seats, pairs, widest) {
  const xs = edges([MARGIN, felt.width - MARGIN, ...seats.flatMap((s) => [s.left - MARGIN, s.right + MARGIN])], MARGIN, felt.width - MARGIN);
  const ys = edges([MARGIN, felt.height - MARGIN, ...seats.flatMap((s) => [s.top - MARGIN, s.bottom + MARGIN])], MARGIN, felt.height - MARGIN);
  let best = { left: 0, top: 0, right: felt.width, bottom: felt.height, card: 0, across: 1, worth: -Infinity };
  for (const left of xs)
    for (const right of xs)
      for (const top of ys)
        for (const bottom of ys) {
          const place = { left, right, top, bottom };
          if (right - left < 40 || bottom - top < 50 || seats.some((seat) => overlaps(place, seat))) continue;
          const fit = largestCards(right - left, bottom - top, Math.max(pairs, 1), widest);
          const aside = Math.abs((left + right) / 2 / felt.width - 0.5) + Math.abs((top + bottom) / 2 / felt.height - 0.5);
          const worth = fit.card * (1 - OFF_CENTRE * aside * 8);
          if (worth > best.worth) best = { ...place, ...fit, worth };
        }
  return { ...best, width: Math.ceil(best.card * PAIR_WIDTH * best.across) };
}
