// What moves film and board: the film itself, or where there is none a clock that runs like one. Times are the match's.

// A film in a <video>; `frames`: when each of its frames is, in seconds of the match, ascending.
export class FilmClock {
  constructor(video, frames, onTime) {
    this.video = video;
    this.frames = frames;
    this.beganS = frames[0];
    this.endS = frames.at(-1);
    this.onTime = onTime;
    const shown = (_, { mediaTime }) => {
      this.shownS = this.beganS + mediaTime;
      onTime(this.shownS);
      video.requestVideoFrameCallback(shown);
    };
    video.requestVideoFrameCallback(shown);
    video.addEventListener("seeked", () => onTime(this.now));
    this.shownS = this.beganS;
  }

  // The time of the frame that is shown: what is sought lies up to a frame later.
  get now() {
    return this.frames[this.place(this.beganS + this.video.currentTime + 0.0005)];
  }

  get isPlaying() {
    return !this.video.paused && !this.video.ended;
  }

  // Whoever pauses before the film has begun to play has changed his mind, and that is no fault.
  async play() {
    try {
      await this.video.play();
    } catch (fault) {
      if (fault.name !== "AbortError") throw fault;
    }
  }

  pause() {
    this.video.pause();
  }

  set speed(times) {
    this.video.playbackRate = times;
  }

  seek(at) {
    const frame = this.frames[this.place(at + 0.0005)];
    this.video.currentTime = Math.max(0, frame - this.beganS) + 0.0002; // just within the frame, whatever is rounded
  }

  // The time of the first picture on which something of this time has happened; the last picture where none has.
  shows(at) {
    const place = this.place(at + 0.0005);
    return this.frames[this.frames[place] + 0.0005 < at ? Math.min(place + 1, this.frames.length - 1) : place];
  }

  frame(step) {
    this.pause();
    const place = this.place(this.now + 0.0005) + step;
    this.seek(this.frames[Math.min(Math.max(place, 0), this.frames.length - 1)]);
  }

  // The newest frame at a time.
  place(at) {
    let [low, high] = [0, this.frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const FRAME_S = 0.04; // what a frame is where nothing was filmed
const AT_LEAST_S = 1; // a play stays so long where it bears no time of its own, else a game written by hand would fly by

// The same for a record without a film.
export class RecordClock {
  constructor({ steps, seconds }, onTime) {
    [this.beganS, this.endS, this.onTime] = [0, Math.max(seconds, 0.1), onTime];
    this.pace = Math.min(1, this.endS / Math.max(steps.length, 1) / AT_LEAST_S);
    this.now = 0;
    this.speed = 1;
    this.isPlaying = false;
  }

  play() {
    if (this.isPlaying) return;
    this.isPlaying = true;
    let before = performance.now();
    const tick = (now) => {
      if (!this.isPlaying) return;
      this.seek(this.now + ((now - before) / 1000) * this.speed * this.pace);
      before = now;
      if (this.now >= this.endS) this.isPlaying = false;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.isPlaying = false;
  }

  seek(at) {
    this.now = Math.min(Math.max(at, this.beganS), this.endS);
    this.onTime(this.now);
  }

  shows(at) {
    return Math.min(at, this.endS);
  }

  frame(step) {
    this.pause();
    this.seek(this.now + step * FRAME_S);
  }
}
