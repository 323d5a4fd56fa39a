// Asking: examples with one click, keys to ask and to stop, a menu that closes.
(() => {
  const field = () => document.querySelector("#v-question textarea");

  function ask(text) {
    const box = field();
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => document.querySelector("#v-question button.submit-button")?.click(), 60);
  }

  document.addEventListener("click", (event) => {
    const example = event.target.closest?.("[data-ask]");
    if (example) ask(example.textContent);
    for (const menu of document.querySelectorAll(".v-menu[open]")) {
      if (!menu.contains(event.target) || event.target.closest("a")) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      const menu = document.querySelector(".v-menu[open]");
      const stop = document.querySelector("#v-stop");
      if (menu) {
        menu.open = false;
        menu.querySelector("summary").focus();
      } else if (stop && !stop.disabled) stop.click();
      else event.target.blur?.();
    }
    if (event.key !== "/" || event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (!field()?.checkVisibility()) return;
    event.preventDefault();
    field().focus();
  });
})();
