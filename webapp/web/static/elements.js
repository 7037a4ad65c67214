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

export function svgElement(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(text);
  return made;
}

// Calls once a tap that goes on is over: it meets the page on which it began.
let isDown = false;
addEventListener("pointerdown", () => (isDown = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isDown = false), true);

export function afterTap(call) {
  if (isDown) addEventListener("pointerup", () => setTimeout(call), { once: true });
  else setTimeout(call);
}

// What acts as a button is pressed by Enter and Space like one.
addEventListener("keydown", (pressed) => {
  if (!["Enter", " "].includes(pressed.key) || !pressed.target.matches?.("[role=button][tabindex]")) return;
  pressed.preventDefault();
  pressed.target.click();
});

const CONTROLS = "a[href], button, input, select, summary, textarea, [tabindex='0']";
const nameOf = (control) => `${control.tagName} ${control.getAttribute("aria-label") ?? control.textContent}`;

// Replaces the children and keeps the focus on the control of the same name: whoever uses the keyboard stays there.
export function replaceChildren(parent, nodes) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.closest(CONTROLS) : null;
  const place = focused ? [...parent.querySelectorAll(CONTROLS)].indexOf(focused) : -1;
  parent.replaceChildren(...nodes);
  if (!focused) return;
  const alike = [...parent.querySelectorAll(CONTROLS)].map((each, index) => [each, index]).filter(([each]) => nameOf(each) === nameOf(focused));
  alike.sort(([, one], [, other]) => Math.abs(one - place) - Math.abs(other - place))[0]?.[0].focus({ preventScroll: true });
}

// Replaces the children only where they changed, so that screen readers and animations are left in peace; says whether.
const shown = new WeakMap();

export function show(parent, ...children) {
  const next = element(parent.tagName, {}, ...children);
  const markup = next.innerHTML;
  if (shown.get(parent) === markup) return false;
  shown.set(parent, markup);
  replaceChildren(parent, [...next.childNodes]);
  return true;
}

// The same for a list: of its items only those that changed, between the first that did and the last, are replaced.
const listed = new WeakMap();

export function showEach(parent, ...items) {
  const before = parent.children.length ? (listed.get(parent) ?? []) : [];
  const after = items.map((item) => item.outerHTML);
  listed.set(parent, after);
  let [from, kept] = [0, 0];
  const least = Math.min(before.length, after.length);
  while (from < least && before[from] === after[from]) from += 1;
  while (kept < least - from && before.at(-1 - kept) === after.at(-1 - kept)) kept += 1;
  for (const gone of [...parent.children].slice(from, parent.children.length - kept)) gone.remove();
  const next = parent.children[from] ?? null;
  for (const item of items.slice(from, items.length - kept)) parent.insertBefore(item, next);
}

export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", ...attributes, onclick }, label);
}
