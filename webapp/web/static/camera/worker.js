// Sends pictures beside the page, so that neither waits for the other. It holds two canvases: while one picture is on
// its way the next is encoded.

import { send } from "./sending.js";

const canvases = [new OffscreenCanvas(2, 2), new OffscreenCanvas(2, 2)];

onmessage = async ({ data: { lane, bitmap, ...about } }) => {
  postMessage({ lane, ...(await send(canvases[lane], bitmap, about)) });
};
