// Find faults of a page automatically; scripts/screenshots.py and tests run this in the page.
() => {
  const how = { opacityProperty: true, visibilityProperty: true };
  const isShown = (e) => e.checkVisibility(how) && !e.closest(".aloud, [hidden], dialog:not([open])");
  const name = (e) => `${e.tagName.toLowerCase()}${e.id && `#${e.id}`} "${e.textContent.trim().slice(0, 40)}"`;
  const all = [...document.querySelectorAll("body *")].filter(isShown);
  const texts = all.filter((e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim()));
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push(`${document.documentElement.scrollWidth} px wide`);
  for (const e of texts) {
    const { overflowX, overflowY, fontSize } = getComputedStyle(e);
    const isClipped = (overflow) => overflow === "hidden" || overflow === "clip";
    if (isClipped(overflowX) && e.clientWidth && e.scrollWidth > e.clientWidth + 2) found.push(`cut off: ${name(e)}`);
    if (isClipped(overflowY) && e.clientHeight && e.scrollHeight > e.clientHeight + parseFloat(fontSize) / 2) found.push(`cut off: ${name(e)}`);
  }
  // A word that is broken where it has no hyphen, and is no name: its letters stand in more than one line.
  for (const e of texts.filter((each) => !each.closest(".name, textarea, .address")))
    for (const node of [...e.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE))
      for (const { 0: letters, index } of node.textContent.matchAll(/[\p{L}\p{M}\d:.]{2,}/gu)) {
        const lineOf = (place) => {
          const range = document.createRange();
          range.setStart(node, place);
          range.setEnd(node, place + 1);
          return Math.round([...range.getClientRects()].at(-1)?.top ?? 0); // a hyphen before it has a box of its own
        };
        const isBroken = lineOf(index) !== lineOf(index + letters.length - 1);
        if (isBroken) found.push(`broken: ${letters} in ${name(e)}`);
      }
  const plates = all.filter((e) => e.matches(".felt .plate, .chip")).map((e) => [e, e.getBoundingClientRect()]);
  const overlap = (one, two) =>
    one.left < two.right - 1 && two.left < one.right - 1 && one.top < two.bottom - 1 && two.top < one.bottom - 1;
  plates.forEach(([e, one], place) => {
    for (const [f, two] of plates.slice(place + 1)) if (overlap(one, two)) found.push(`overlap: ${name(e)}, ${name(f)}`);
    const around = e.closest(".felt, .round").getBoundingClientRect();
    const isIn = one.left > around.left - 2 && one.right < around.right + 2 && one.top > around.top - 2;
    if (!isIn || (e.matches(".plate") && one.bottom > around.bottom + 2)) found.push(`sticks out: ${name(e)}`);
  });
  for (const menu of document.querySelectorAll("details[open] .menu, dialog[open]")) {
    const { left, right } = menu.getBoundingClientRect();
    if (left < 0 || right > innerWidth) found.push(`out of the screen: ${name(menu)}`);
  }
  return found;
}
