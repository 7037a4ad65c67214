// The lamp in the corner: how the camera is doing.

import { word } from "./words.js";

const MOVED_S = 10; // so long it is said that the camera was moved

export function renderBadge(badge, camera) {
  const isMoved = camera.condition === "watching" && camera.moved_at !== null && camera.at - camera.moved_at < MOVED_S;
  badge.dataset.condition = isMoved ? "moved" : camera.condition;
  const text = isMoved ? word("camera_moved") : word(`camera_${camera.condition}`);
  const place = badge.querySelector(".text");
  if (place.textContent !== text) place.textContent = text;
  badge.title = camera.trouble ?? "";
}
