// The lamp in the corner: how the camera is doing, in words. It is green only while the referee sees and keeps up.

import { counted, word } from "./words.js";

const MOVED_S = 10; // so long it is said that the camera was moved
const LATE_MS = 6000; // without a new picture for longer, the lamp is not green
const BACK_MS = 15000; // so long it is said that the phone is back

let newest = { frames: -1, since: 0 };
let phone = { isGone: false, backAt: -Infinity };

// `isBrief`: why no pictures come stands elsewhere on the page, with what helps.
function health(camera, isBrief) {
  if (camera.frames !== newest.frames) newest = { frames: camera.frames, since: performance.now() };
  const isGone = Boolean(camera.cause?.startsWith("phone_")) && camera.cause !== "phone_awaited";
  if (isGone !== phone.isGone) phone = { isGone, backAt: isGone ? -Infinity : performance.now() };
  if (camera.cause && !isBrief) return [camera.condition, word(`camera_${camera.cause}`)];
  if (camera.condition !== "watching") return [camera.condition, word(`camera_${camera.condition}`)];
  const age = performance.now() - newest.since;
  if (camera.frames > 0 && age > LATE_MS) return ["late", counted("health_late", Math.round(age / 1000))];
  const rate = Math.round(camera.frames_per_second);
  if (camera.pace) return ["slow", camera.pace === "few" ? counted("health_few", rate) : counted("health_slow", rate)];
  if (camera.moved_at !== null && camera.at - camera.moved_at < MOVED_S) return ["moved", word("camera_moved")];
  if (performance.now() - phone.backAt < BACK_MS) return ["watching", word("camera_phone_back")];
  return ["watching", word("camera_watching")];
}

export function renderBadge(badge, camera, isBrief = false) {
  const [condition, text] = health(camera, isBrief);
  badge.dataset.condition = condition;
  const place = badge.querySelector(".text");
  if (place.textContent !== text) place.textContent = text;
}
