// What the phone says of itself: its battery and, where the browser measures it, whether its processor keeps up.

const REPORT_MS = 5000;
const BUSY_AFTER_MS = 20000; // a processor may be busy for a moment

export const device = { battery: null, charging: null, criticalSince: null };

export function watchDevice(onReport) {
  navigator.getBattery?.().then((battery) => {
    const take = () => Object.assign(device, { battery: battery.level, charging: battery.charging });
    take();
    for (const change of ["levelchange", "chargingchange"]) battery.addEventListener(change, take);
  }, () => {});
  if (typeof PressureObserver !== "undefined") {
    const observer = new PressureObserver((records) => {
      if (records.at(-1)?.state !== "critical") device.criticalSince = null;
      else device.criticalSince ??= performance.now();
    });
    observer.observe("cpu", { sampleInterval: 2000 }).catch(() => {});
  }
  setInterval(onReport, REPORT_MS);
}

export function isBusy() {
  return device.criticalSince !== null && performance.now() - device.criticalSince > BUSY_AFTER_MS;
}

export function report(values) {
  const body = JSON.stringify({ battery: device.battery, charging: device.charging, ...values });
  fetch("/api/camera/report", { method: "POST", headers: { "Content-Type": "application/json" }, body, keepalive: true }).catch(() => {});
}
