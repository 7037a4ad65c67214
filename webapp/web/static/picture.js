// The live picture: asks for the next one when the last is drawn, only while somebody looks.

const PAUSE_MS = 160; // six a second is plenty to recognise one's own table, and spares a tablet's battery
const PAUSE_WHEN_STILL_MS = 500;

// `onNumber` hears the number of the picture that is shown now; null: none is, as after another camera was chosen.
export function showPictures(canvas, onNumber) {
  let number = null;

  async function next() {
    let pause = PAUSE_WHEN_STILL_MS;
    if (!document.hidden) {
      try {
        const answer = await fetch(`/api/picture.jpg${number === null ? "" : `?after=${number}`}`);
        if (answer.status === 200) {
          const image = await createImageBitmap(await answer.blob());
          if (canvas.width !== image.width || canvas.height !== image.height) {
            canvas.width = image.width;
            canvas.height = image.height;
          }
          canvas.getContext("2d").drawImage(image, 0, 0);
          image.close();
          number = Number(answer.headers.get("X-Frame-Number"));
          onNumber(number);
          pause = PAUSE_MS;
        } else if (number !== null && answer.status === 204 && !answer.headers.has("X-Frame-Number")) {
          number = null;
          canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
          onNumber(null);
        }
      } catch {
        number = null; // the stream tells people that the connection is lost; here we only try again
      }
    }
    setTimeout(next, pause);
  }

  next();
}
