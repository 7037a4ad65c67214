// The page for streaming programs: table and newest call, nothing to press.

import "./board.js";
import { renderAwaited, renderCall } from "./calls.js";
import { element } from "./elements.js";
import { renderRail } from "./rail.js";
import { follow } from "./stream.js";

const part = (id) => document.getElementById(id);
const board = document.querySelector("k-board");
const nothing = element("div");
let newest = null; // the snapshot of the game that is shown

function onMatch(snapshot) {
  newest = snapshot.state.phase ? snapshot : null;
  part("call").hidden = !newest;
  if (!newest) return board.clear();
  renderCall(part("call"), snapshot, null);
  board.show(snapshot);
  renderRail({ turn: part("turn"), stock: part("stock"), buttons: nothing }, snapshot, () => {});
  document.body.dataset.ready = "yes";
  return undefined;
}

function onCamera(camera) {
  if (newest) renderAwaited(part("call"), { ...newest, camera }, null);
}

follow(`/api/events?language=${document.body.dataset.language}`, { onMatch, onCamera, onConnection: () => {} });
