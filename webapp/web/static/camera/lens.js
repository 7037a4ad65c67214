// The phone's camera: opened, kept steady once the table is found, and what it can do.

const TROUBLES = { NotAllowedError: "refused", SecurityError: "refused", NotFoundError: "no-camera", OverconstrainedError: "no-camera", NotReadableError: "in-use", AbortError: "in-use" };

export class Lens {
  constructor(video) {
    this.video = video;
    this.track = null;
    this.isSteady = false;
  }

  // Opens the camera at the back; gives what hinders it, or null.
  async open(width) {
    this.close();
    if (!navigator.mediaDevices?.getUserMedia) return "old-browser";
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: {
          facingMode: { ideal: "environment" },
          width: { ideal: width },
          height: { ideal: Math.round((width * 9) / 16) },
          frameRate: { ideal: 30, max: 30 },
        },
      });
      [this.track] = stream.getVideoTracks();
      this.video.srcObject = stream;
      await this.video.play();
      return null;
    } catch (error) {
      return TROUBLES[error.name] ?? "no-camera";
    }
  }

  close() {
    this.track?.stop();
    this.track = null;
    this.isSteady = false;
  }

  // Did it end, by a call or another program?
  get isGone() {
    return this.track === null || this.track.readyState === "ended" || this.track.muted;
  }

  get abilities() {
    return this.track?.getCapabilities?.() ?? {};
  }

  // Keeps focus, exposure and colours as they are now, or lets the camera find them anew.
  async steady(isOn) {
    if (this.isSteady === isOn || !this.track) return;
    this.isSteady = isOn;
    const now = this.track.getSettings?.() ?? {};
    const wish = {};
    for (const [mode, value] of [["focusMode", "focusDistance"], ["exposureMode", "exposureTime"], ["whiteBalanceMode", "colorTemperature"]]) {
      const can = this.abilities[mode] ?? [];
      if (!isOn && can.includes("continuous")) wish[mode] = "continuous";
      if (isOn && can.includes("manual") && now[value] !== undefined) Object.assign(wish, { [mode]: "manual", [value]: now[value] });
    }
    await this.apply(wish);
  }

  async torch(isOn) {
    await this.apply({ torch: isOn });
  }

  async apply(wish) {
    if (!Object.keys(wish).length) return;
    await this.track.applyConstraints({ advanced: [wish] }).catch(() => {}); // a camera may promise what it can't do
  }
}
