// The phone as the camera: shows its own picture with the table's outline and says in one sentence what is wrong.

import { keepScreenOn } from "../screen.js";
import { word } from "../words.js";
import { device, isBusy, report, watchDevice } from "./device.js";
import { Lens } from "./lens.js";
import { Pictures } from "./pictures.js";

const STEADY_AFTER_MS = 3000; // so long the view has to be good before the camera is kept as it is
const OPEN_AGAIN_MS = 2000;
const WIDTHS = { usual: 1280, sharp: 1920 };

const part = (id) => document.getElementById(id);
const lens = new Lens(part("lens"));
const pictures = new Pictures(part("lens"), onAnswer);
let trouble = null; // what hinders the camera itself
let answer = null; // the newest of the program
let status = 200;
let goodSinceMs = null;
let isTorchOn = false;
let isSharp = false;
let isOver = false; // another page is the camera, or this one may not be

function sentence() {
  if (trouble) return ["bad", word(`phone_trouble_${trouble.replace("-", "_")}`)];
  if (status === 409) return ["bad", word("phone_other")];
  if (status === 403) return ["bad", word("phone_viewer")];
  if (status === 0 || status >= 500) return ["bad", word("phone_no_answer")];
  if (!answer) return ["wait", word("phone_starting")];
  if (!answer.used) return ["bad", word("phone_unused")];
  if (answer.cause && answer.cause !== "phone_gone") return ["bad", word(`${answer.cause}_here`)];
  if (answer.problems.length) return ["bad", word(`view_${answer.problems[0].kind.replace("-", "_")}`)];
  if (answer.slow) return ["bad", word(isBusy() ? "phone_trouble_busy" : "phone_slow")];
  if (answer.ready) return ["good", word(answer.playing ? "phone_watching" : "phone_put_down")];
  if (!answer.playing) return ["wait", word("phone_looking")];
  if (answer.condition === "swaying") return ["bad", word("phone_swaying")];
  return answer.condition === "hidden" ? ["bad", word("phone_hidden")] : ["wait", word("phone_starting")];
}

function render() {
  const [kind, text] = sentence();
  const place = part("say");
  place.dataset.kind = kind;
  if (place.textContent !== text) place.textContent = text;
  part("again").hidden = !trouble || trouble === "old-browser";
  part("torch").hidden = !lens.abilities.torch;
  part("torch").setAttribute("aria-pressed", String(isTorchOn));
  part("sharp").setAttribute("aria-pressed", String(isSharp));
  const facts = [];
  if (lens.video.videoWidth) facts.push(`${lens.video.videoWidth} × ${lens.video.videoHeight}`);
  if (device.battery !== null) facts.push(word(device.charging ? "phone_charging" : "phone_battery", { n: Math.round(device.battery * 100) }));
  part("facts").textContent = facts.join(" · ");
  drawOutline();
}

function drawOutline() {
  const [canvas, video] = [part("outline"), lens.video];
  if (!video.videoWidth) return;
  if (canvas.width !== video.videoWidth || canvas.height !== video.videoHeight) Object.assign(canvas, { width: video.videoWidth, height: video.videoHeight });
  const draw = canvas.getContext("2d");
  draw.clearRect(0, 0, canvas.width, canvas.height);
  draw.lineWidth = Math.max(3, canvas.width / 160);
  const outline = answer?.outline ?? [];
  draw.strokeStyle = answer?.ready ? "#58d68d" : "#ffcc66";
  draw.beginPath();
  for (const [x, y] of outline) draw.lineTo(x * canvas.width, y * canvas.height);
  draw.closePath();
  draw.stroke();
  for (const { box } of answer?.problems ?? [])
    if (box) draw.strokeRect(box[0] * canvas.width, box[1] * canvas.height, box[2] * canvas.width, box[3] * canvas.height);
}

function onAnswer(got) {
  status = got.status;
  if (status === 401) return location.assign("/pair"); // its role was taken back
  if (status === 200) answer = got.answer;
  if (status === 409 || status === 403) {
    isOver = true;
    pictures.stop();
    lens.close();
  }
  const isGood = status === 200 && answer.ready;
  if (!isGood) goodSinceMs = null;
  else goodSinceMs ??= performance.now();
  if (goodSinceMs !== null && performance.now() - goodSinceMs > STEADY_AFTER_MS) lens.steady(true);
  else if (!answer?.playing) lens.steady(false);
  return render();
}

async function open() {
  const was = trouble;
  trouble = await lens.open(isSharp ? WIDTHS.sharp : WIDTHS.usual);
  pictures.widest = isSharp ? WIDTHS.sharp : WIDTHS.usual;
  pictures.stop();
  if (!trouble) {
    pictures.start();
    if (isTorchOn) lens.torch(true);
  }
  if (trouble !== was) tell();
  render();
}

function tell() {
  const here = document.hidden ? "hidden" : (trouble ?? (isBusy() ? "busy" : null));
  report({ trouble: here, torch: Boolean(lens.abilities.torch), torch_on: isTorchOn });
}

// After a call, a locked screen or another program's turn the camera is opened again by itself.
async function mend() {
  if (!isOver && !document.hidden && trouble !== "old-browser" && trouble !== "refused" && lens.isGone) await open();
  setTimeout(mend, OPEN_AGAIN_MS);
}

part("again").addEventListener("click", open);
part("torch").addEventListener("click", () => {
  isTorchOn = !isTorchOn;
  lens.torch(isTorchOn);
  render();
});
part("sharp").addEventListener("click", () => {
  isSharp = !isSharp;
  open();
});
document.addEventListener("visibilitychange", () => {
  tell();
  if (!document.hidden && !isOver && lens.isGone) open();
});
keepScreenOn();
watchDevice(tell);
open().then(mend);
