// An arrow across the felt, from whoever attacks to whoever defends.

const STEPS = 60; // of the arrow's curve: fine enough to find where it leaves one seat and meets the other
const HEAD = 26;
const CLEAR = 6; // px between a seat and the arrow

function isInside({ left, top, right, bottom }, [x, y]) {
  return x > left && x < right && y > top && y < bottom;
}

// `size`: of the felt; `from`, `to`: boxes of two seats on it.
export function drawArrow(svg, size, from, to) {
  const [start, end] = [from, to].map(({ left, top, right, bottom }) => ({ left: left - CLEAR, top: top - CLEAR, right: right + CLEAR, bottom: bottom + CLEAR }));
  const middle = ({ left, top, right, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const [[x1, y1], [x2, y2]] = [middle(start), middle(end)];
  // Bent towards the middle, so that it runs over the table and not along its edge.
  const [cx, cy] = [(x1 + x2) / 4 + size.width / 4, (y1 + y2) / 4 + size.height / 4];
  const curve = Array.from({ length: STEPS + 1 }, (_, step) => {
    const t = step / STEPS;
    return [x1, y1].map((_, axis) => (1 - t) ** 2 * [x1, y1][axis] + 2 * t * (1 - t) * [cx, cy][axis] + t * t * [x2, y2][axis]);
  }).filter((point) => !isInside(start, point) && !isInside(end, point));
  svg.replaceChildren();
  if (curve.length < 2) return;
  const [tail, tip] = [curve.at(Math.max(0, curve.length - 4)), curve.at(-1)];
  const angle = (Math.atan2(tip[1] - tail[1], tip[0] - tail[0]) * 180) / Math.PI;
  const shaft = curve.filter(([x, y]) => Math.hypot(x - tip[0], y - tip[1]) > HEAD * 0.8);
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  if (shaft.length > 1) svg.append(make("polyline", { class: "shaft", points: shaft.map((point) => point.join(",")).join(" ") }));
  svg.append(make("path", { class: "head", d: `M${-HEAD} -16 L0 0 L${-HEAD} 16 z`, transform: `translate(${tip[0]} ${tip[1]}) rotate(${angle})` }));
}

