// Small helpers to build what is shown. Text is always set as text, never as markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Replaces the children only where they changed, so that screen readers and animations are left in peace.
const shown = new WeakMap();

export function show(parent, ...children) {
  const next = element(parent.tagName, {}, ...children);
  const markup = next.innerHTML;
  if (shown.get(parent) === markup) return;
  shown.set(parent, markup);
  parent.replaceChildren(...next.childNodes);
}

export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", ...attributes, onclick }, label);
}
