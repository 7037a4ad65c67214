// What the phone says of itself: its battery and, where the browser measures it, whether it is too hot to keep up.

const REPORT_MS = 5000;
const HOT = new Set(["critical"]);

export const device = { battery: null, charging: null, pressure: null };

export function watchDevice(onReport) {
  navigator.getBattery?.().then((battery) => {
    const take = () => Object.assign(device, { battery: battery.level, charging: battery.charging });
    take();
    for (const change of ["levelchange", "chargingchange"]) battery.addEventListener(change, take);
  }, () => {});
  if (typeof PressureObserver !== "undefined") {
    const observer = new PressureObserver((records) => {
      device.pressure = records.at(-1)?.state ?? null;
    });
    observer.observe("cpu", { sampleInterval: 2000 }).catch(() => {});
  }
  setInterval(onReport, REPORT_MS);
}

export function isHot() {
  return HOT.has(device.pressure);
}

export function report(values) {
  const body = JSON.stringify({ battery: device.battery, charging: device.charging, ...values });
  fetch("/api/camera/report", { method: "POST", headers: { "Content-Type": "application/json" }, body, keepalive: true }).catch(() => {});
}
