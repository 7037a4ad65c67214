// The four ways to a picture: this computer's camera, a phone, a stream's address, the recording.

import { button, element } from "../elements.js";
import { post, whyNot } from "../refusal.js";
import { word } from "../words.js";

export const WAYS = ["computer", "phone", "stream", "recording"];

export function wayOf(source) {
  if (source === null) return "computer";
  if (source === "phone") return "phone";
  if (source.includes("://")) return "stream";
  return /^\d+$/.test(source) || source.startsWith("/dev/") ? "computer" : "recording";
}

// The recording brings its players and its position along: whoever chooses another source leaves them behind.
export function leftBehind({ source, seats, choices }) {
  const recording = choices.sources.find((each) => each.source === source)?.goes_with;
  const isItsGame = recording && JSON.stringify(recording.seats) === JSON.stringify(seats);
  return isItsGame ? { seats: [], start: null, dealer: null, options: {} } : {};
}

export function sourceName({ source, name }) {
  if (name === "demo") return word("source_demo");
  if (source === "phone") return word("way_phone");
  if (name && !/^\d+$/.test(name)) return name;
  return word("source_camera", { n: /^\d+$/.test(source) ? Number(source) + 1 : source });
}

// --- this computer's camera ---

export function computerWay(setup, { choose, again }) {
  const cameras = setup.choices.sources.filter(({ source }) => wayOf(source) === "computer");
  const isOther = setup.source !== null && wayOf(setup.source) === "computer" && !cameras.some(({ source }) => source === setup.source);
  if (isOther) cameras.unshift({ source: setup.source, name: setup.source });
  const trouble = setup.view.trouble && !setup.view.cause && wayOf(setup.source) === "computer";
  return [
    cameras.length
      ? element("div", { class: "cameras" }, ...cameras.map((camera) => cameraChoice(camera, setup, choose)))
      : element("p", { class: "bad" }, word("camera_none")),
    !cameras.length || trouble ? element("ul", { class: "checks" }, ...["plug", "other", "allow"].map((each) => element("li", {}, word(`camera_check_${each}`)))) : null,
    button(word("look_again"), again, { class: "quiet" }),
  ];
}

function cameraChoice(camera, setup, choose) {
  const isChosen = camera.source === setup.source;
  const picture = element("img", { src: "/static/setup/no_picture.svg", alt: "", width: 160, height: 90 });
  post("/api/setup/thumbnail", { source: camera.source }).then((answer) => {
    // Who has gone on to another kind of camera needs no picture of this one, which may be closed.
    if (answer?.ok && picture.isConnected) picture.src = `/api/setup/thumbnail?source=${encodeURIComponent(camera.source)}`;
  });
  return element(
    "button",
    { type: "button", class: "choice camera-choice", "aria-pressed": String(isChosen), onclick: () => choose({ ...leftBehind(setup), source: camera.source }) },
    picture,
    element("span", {}, sourceName(camera)),
  );
}

// --- a phone ---

let code = null; // as the program gave it last: {url, qr, trust}, or without url {text, let_in}
let asked = false;
const [OPENING_TRIES, OPENING_MS] = [20, 500];
let phone = null; // how it does

export async function askForCode(again) {
  if (asked) return;
  asked = true;
  const answer = await fetch("/api/camera/code", { method: "POST" }).catch(() => null);
  code = answer?.ok ? await answer.json() : { text: await whyNot(answer) };
  again();
}

// The table serves its page anew, to other devices, too; a code is asked for until there is one.
async function letIn(again) {
  code = null;
  again();
  await fetch("/pair/open", { method: "POST" }).catch(() => null);
  for (let tries = 0; tries < OPENING_TRIES && !code?.url; tries += 1) {
    [code, asked] = [null, true];
    await new Promise((done) => setTimeout(done, OPENING_MS));
    asked = false;
    await askForCode(() => {});
  }
  again();
}

export async function lookAtPhone() {
  const answer = await fetch("/api/camera").catch(() => null);
  if (answer?.ok) phone = await answer.json();
}

export function phoneWay(setup, { again }) {
  const isSending = phone?.sending && setup.source === "phone";
  const other = () => {
    asked = false;
    code = null;
    again();
  };
  if (isSending) {
    const battery = phone.battery === null ? null : word("phone_battery", { n: Math.round(phone.battery * 100) });
    return [
      element("p", { class: "good" }, word("phone_sends")),
      battery ? element("p", { class: "how" }, battery) : null,
      phone.trouble === "busy" ? element("p", { class: "how" }, word("phone_trouble_busy")) : null,
      button(word("phone_other_code"), () => {
        phone = null;
        other();
      }, { class: "quiet" }),
    ];
  }
  askForCode(again);
  if (!code) return [element("p", { class: "how" }, word("connecting"))];
  if (!code.url) {
    const way = code.let_in ? button(word("devices_let_in"), () => letIn(again)) : button(word("look_again"), other, { class: "quiet" });
    return [element("p", { class: "bad" }, code.text), way];
  }
  return [
    phone?.trouble && phone.trouble !== "hidden" ? element("p", { class: "bad" }, word(`phone_trouble_${phone.trouble.replace("-", "_")}`)) : null,
    element(
      "div",
      { class: "phone-way" },
      drawnCode(),
      element("ol", {}, ...[1, 2, 3].map((n) => element("li", {}, word(`phone_step_${n}`)))),
    ),
    element("p", { class: "how" }, word("phone_warns"), " ", element("bdi", { class: "address" }, code.trust)),
    button(word("phone_new_code"), other, { class: "quiet" }),
  ];
}

function drawnCode() {
  const drawing = document.importNode(new DOMParser().parseFromString(code.qr, "text/html").querySelector("svg"), true);
  const place = element("div", { class: "qr", role: "img", "aria-label": word("phone_qr") });
  place.append(drawing);
  return place;
}

// --- a stream's address ---

let address = "";
let isNone = false; // what was typed is no address

export function streamWay(setup, { choose, again }) {
  const field = element("input", {
    type: "url", inputmode: "url", autocomplete: "off", spellcheck: "false", maxlength: 1000, placeholder: "rtsp://192.168.1.5:8554/table", "aria-label": word("stream_address"), id: "address", dir: "ltr",
  });
  field.value = address || (wayOf(setup.source) === "stream" ? setup.source : "");
  field.addEventListener("input", () => {
    [address, isNone] = [field.value, false];
  });
  // The table itself opens the address, once: what it sees there stands beneath the picture.
  const tryIt = () => {
    address = field.value.trim();
    isNone = !/^(rtsps?|https?|rtmp):\/\/./.test(address);
    choose({ ...leftBehind(setup), source: isNone ? null : address }).then(again);
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && tryIt());
  return [
    element("p", { class: "how" }, word("stream_how")),
    element("label", { class: "line" }, element("span", {}, word("stream_address")), field),
    button(word("stream_try"), tryIt),
    isNone ? element("p", { class: "bad", role: "status" }, word("refused_stream")) : null,
  ];
}

// --- the recording ---

export function recordingWay(setup, { choose }) {
  const films = setup.choices.sources.filter(({ source }) => wayOf(source) === "recording");
  const isOther = setup.source !== null && wayOf(setup.source) === "recording" && !films.some(({ source }) => source === setup.source);
  if (isOther) films.unshift({ source: setup.source, name: setup.source });
  return [
    element("p", { class: "how" }, word("recording_how")),
    element(
      "div",
      { class: "choices" },
      ...films.map((film) => button(sourceName(film), () => choose({ source: film.source, ...(film.goes_with ?? {}) }), { class: "choice", "aria-pressed": String(film.source === setup.source) })),
    ),
  ];
}
