// Keeps the screen on while the table is shown, where the browser lets a page do so: over https, or on the machine itself.

export const canStayOn = () => "wakeLock" in navigator;

export function keepScreenOn() {
  if (!canStayOn()) return;
  const hold = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(() => {}); // a low battery forbids it
  };
  document.addEventListener("visibilitychange", hold); // a page that was hidden has lost it
  hold();
}
