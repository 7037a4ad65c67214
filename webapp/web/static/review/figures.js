// A kept match in figures: talon and hands as they shrink, who took how often, how sure the vision pipeline was.

import { barPlot, dotPlot, linePlot } from "../plots.js";
import { word } from "../words.js";

const minutes = (seconds) => seconds / 60;

export function figuresOf({ seats, start, steps }, endS) {
  const states = [{ at: 0, state: start }, ...steps];
  const cards = (count) => states.map(({ at, state }) => [minutes(at), count(state)]).filter(([, value]) => value !== null && value !== undefined);
  const series = [{ name: word("talon"), points: cards(({ talon }) => talon) }, ...seats.map((seat) => ({ name: seat, points: cards(({ hands }) => hands[seat]) }))].filter(({ points }) => points.length);
  const yMost = Math.max(1, ...series.flatMap(({ points }) => points.map(([, value]) => value)));
  const axis = { xMost: minutes(Math.max(endS, 1)), xLabel: word("plots_minutes") };
  const takes = seats.map((seat) => ({ name: seat, value: steps.filter(({ event }) => event.event === "swept" && event.to === seat).length }));
  const seen = steps.filter(({ event }) => event.event === "placed" && event.confidence !== undefined);
  return [
    linePlot(word("plots_cards"), series, { ...axis, yMost }),
    barPlot(word("plots_takes"), takes, word("plots_none")),
    ...(seen.length ? [dotPlot(word("plots_sure"), seen.map(({ at, event }) => [minutes(at), 100 * event.confidence]), { ...axis, yMost: 100 })] : []),
  ];
}
