// Menus that open over the page: a second tap, a tap elsewhere and Escape close them, on every page alike.

const OPEN = 'details[name="menu"][open]';

function close(menu) {
  const hadFocus = menu.contains(document.activeElement);
  menu.open = false;
  if (hadFocus) menu.querySelector("summary").focus();
}

document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(OPEN)) if (!target.closest(".menu, summary")) close(menu);
});

document.addEventListener("keydown", (pressed) => {
  const menu = pressed.key === "Escape" && document.querySelector(OPEN);
  if (!menu) return;
  pressed.preventDefault(); // the same key leaves a full screen
  close(menu);
});
