// Small plots as SVG, drawn here: lines, bars, dots. Each line bears its name at its end, and no two differ in colour alone.

import { element, svgElement } from "./elements.js";

const [WIDTH, HEIGHT] = [Math.min(640, innerWidth - 60), 260]; // on a phone a pixel stays a pixel: text has to be read
const EDGE = { left: 40, right: 150, top: 24, bottom: 34 };
const COLOURS = 7; // of plots.css, by theme
const DASHES = ["", "9 5", "2 5", "14 4 2 4", "5 3", "1 4", "18 6"];
const NAME_GAP = 17; // names that would lie closer than this are moved apart
const LONGEST_NAME = 13;

// Steps of an axis that people count in: 1, 2, 5, 10, ...
function steps(most, count = 5) {
  const rough = Math.max(most / count, 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * unit).find((each) => each >= rough - 1e-9);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, place) => place * step);
}

function frame(title, { xMost, yMost, xLabel }) {
  const x = (value) => EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * value) / Math.max(xMost, 1e-9);
  const y = (value) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * value) / Math.max(yMost, 1e-9);
  const picture = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const value of steps(yMost)) {
    picture.append(svgElement("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(value), y2: y(value) }));
    picture.append(svgElement("text", { class: "tick", x: EDGE.left - 8, y: y(value) + 5, "text-anchor": "end" }, value));
  }
  for (const value of steps(xMost)) picture.append(svgElement("text", { class: "tick", x: x(value), y: HEIGHT - 12, "text-anchor": "middle" }, value));
  if (xLabel) picture.append(svgElement("text", { class: "tick", x: WIDTH - EDGE.right + 10, y: HEIGHT - 12 }, xLabel));
  return { picture, x, y };
}

const shortened = (name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);
const figure = (title, picture) => element("figure", { class: "plot" }, element("figcaption", {}, title), picture);

// Lines that go on in steps: series = [{name, points: [[x, y], ...]}].
export function linePlot(title, series, { xMost, yMost, xLabel = "" }) {
  const { picture, x, y } = frame(title, { xMost, yMost, xLabel });
  const names = [];
  series.forEach(({ name, points }, place) => {
    const path = points.map(([at, value], step) => (step === 0 ? `M${x(at)} ${y(value)}` : `H${x(at)} V${y(value)}`)).join(" ");
    const colour = place % COLOURS;
    picture.append(svgElement("path", { class: "series", d: `${path} H${x(xMost)}`, "data-series": colour, "stroke-dasharray": DASHES[place % DASHES.length] }));
    names.push({ name, colour, at: y(points.at(-1)?.[1] ?? 0) });
  });
  names.sort((one, other) => one.at - other.at);
  names.forEach((each, place) => {
    if (place) each.at = Math.max(each.at, names[place - 1].at + NAME_GAP);
  });
  let lowest = HEIGHT - EDGE.bottom; // those that ran out below move up again, and no others
  for (const each of names.toReversed()) {
    each.at = Math.min(each.at, lowest);
    lowest = each.at - NAME_GAP;
  }
  for (const { name, colour, at } of names) {
    picture.append(svgElement("circle", { cx: WIDTH - EDGE.right + 8, cy: at, r: 4, class: "end", "data-series": colour }));
    picture.append(svgElement("text", { class: "name", x: WIDTH - EDGE.right + 17, y: at + 5, direction: "ltr" }, shortened(name)));
  }
  return figure(title, picture);
}

// Dots: points = [[x, y], ...].
export function dotPlot(title, points, { xMost, yMost, xLabel = "" }) {
  const { picture, x, y } = frame(title, { xMost, yMost, xLabel });
  for (const [at, value] of points) picture.append(svgElement("circle", { class: "dot", cx: x(at), cy: y(value), r: 4 }));
  return figure(title, picture);
}

// Bars with their names and numbers: a table that one sees at a glance.
export function barPlot(title, bars, none) {
  if (bars.every(({ value }) => value === 0)) return figure(title, element("p", {}, none));
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return figure(
    title,
    element(
      "ul",
      { class: "bars" },
      ...bars.map(({ name, value }) =>
        element("li", {}, element("bdi", {}, name), element("meter", { min: "0", max: String(most), value: String(value), "aria-hidden": "true" }), element("b", {}, String(value))),
      ),
    ),
  );
}
