// Where handles stand on the picture, in shares of its width and height; pure arithmetic.

const RIM = 0.07; // of the picture's shorter side: so far from its edge a seat's handle stands
const SWAP_DEG = 25; // a seat dropped this near to another changes places with it

// Where the way from the picture's middle in a direction (degrees, y down) meets the rim.
export function rimPoint({ width, height }, turnDeg) {
  const inset = RIM * Math.min(width, height);
  const [x, y] = [Math.cos((turnDeg * Math.PI) / 180), Math.sin((turnDeg * Math.PI) / 180)];
  const far = Math.min((width / 2 - inset) / Math.max(Math.abs(x), 1e-9), (height / 2 - inset) / Math.max(Math.abs(y), 1e-9));
  return [0.5 + (x * far) / width, 0.5 + (y * far) / height];
}

// The direction of a place from the picture's middle.
export function turnAt({ width, height }, [x, y]) {
  const turn = (Math.atan2((y - 0.5) * height, (x - 0.5) * width) * 180) / Math.PI;
  return Math.round(((turn + 360) % 360) * 10) / 10;
}

export function middle(corners) {
  const sum = (k) => corners.reduce((total, corner) => total + corner[k], 0) / corners.length;
  return [sum(0), sum(1)];
}

// Where a pile waits that was not seen yet: a suggestion, of no effect until somebody drags it.
export function parked(name) {
  return name === "talon" ? [0.12, 0.5] : [0.88, 0.5];
}

function apart(one, other) {
  return Math.abs(((one - other + 540) % 360) - 180);
}

// The directions to say when a seat was dropped: its own, and that of a seat whose place it took (`before`: where all were).
export function swapped(seats, name, before) {
  const own = seats.find((each) => each.seat === name);
  const said = { [name]: own.turn_deg };
  const near = Math.min(SWAP_DEG, 120 / seats.length);
  const other = seats.find((each) => each !== own && apart(each.turn_deg, own.turn_deg) < near);
  const was = before?.find((each) => each.seat === name);
  if (other && was && apart(was.turn_deg, other.turn_deg) >= near) {
    said[name] = other.turn_deg;
    said[other.seat] = was.turn_deg;
  }
  return said;
}
