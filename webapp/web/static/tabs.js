// Tabs that share one place (ARIA's tab pattern): the arrow keys move between them, Home and End to the first and last.

// `onShow(id)` is called with the id of the panel that is shown now.
export function tabs(list, onShow) {
  const all = [...list.querySelectorAll("[role=tab]")];

  function choose(chosen) {
    for (const tab of all) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
    onShow(chosen.getAttribute("aria-controls"));
  }

  list.addEventListener("click", ({ target }) => target.closest("[role=tab]") && choose(target.closest("[role=tab]")));
  list.addEventListener("keydown", (pressed) => {
    const at = all.indexOf(document.activeElement);
    const on = document.dir === "rtl" ? -1 : 1;
    const to = { ArrowRight: at + on, ArrowLeft: at - on, Home: 0, End: all.length - 1 }[pressed.key];
    if (to === undefined || at < 0) return;
    pressed.preventDefault();
    pressed.stopPropagation(); // the arrows step through the match elsewhere on the page
    const next = all[(to + all.length) % all.length];
    next.focus();
    choose(next);
  });
}
