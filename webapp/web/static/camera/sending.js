// Encodes one picture and sends it. Runs in a worker where the browser has one for canvases, else on the page.

const QUALITIES = [0.85, 0.7, 0.5];
export const MOST_BYTES = 1 << 20; // what the program takes
const WAITS_MS = 4000; // a picture that takes longer to send is old

let quality = 0;

async function encoded(canvas) {
  for (;;) {
    const options = { type: "image/jpeg", quality: QUALITIES[quality] };
    const blob = canvas.convertToBlob
      ? await canvas.convertToBlob(options)
      : await new Promise((done) => canvas.toBlob(done, options.type, options.quality));
    if (blob.size < MOST_BYTES || quality === QUALITIES.length - 1) return blob;
    quality += 1;
  }
}

// image: a bitmap or a video; gives {status, answer, tookMs}, status 0 where nobody answered.
export async function send(canvas, image, { width, height, url }) {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.getContext("2d", { alpha: false }).drawImage(image, 0, 0, width, height);
  image.close?.();
  const body = await encoded(canvas);
  const began = performance.now();
  try {
    const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "image/jpeg" }, body, signal: AbortSignal.timeout?.(WAITS_MS) });
    return { status: answer.status, answer: await answer.json().catch(() => ({})), tookMs: performance.now() - began };
  } catch {
    return { status: 0, answer: {}, tookMs: performance.now() - began };
  }
}
