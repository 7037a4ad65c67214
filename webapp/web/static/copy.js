// The clipboard.

import { element } from "./elements.js";

// Write to the clipboard; where the page may not (no https, or permission denied), copy from a field.
export async function copy(text) {
  try {
    if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  } catch {
    // Permission denied.
  }
  const field = element("textarea", { class: "aloud", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  return undefined;
}
