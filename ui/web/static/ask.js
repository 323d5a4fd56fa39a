// Asking, in the tab that is open: examples with one click, keys to ask and to stop, a menu that closes.
(() => {
  const ASK = "#v-question, #v-compare-question";
  const STOP = "#v-stop, #v-compare-stop";
  const seen = (selector) => [...document.querySelectorAll(selector)].find((node) => node.checkVisibility());
  const field = () => seen(ASK)?.querySelector("textarea");

  function ask(text) {
    const box = field();
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => seen(ASK)?.querySelector("button.submit-button")?.click(), 60);
  }

  document.addEventListener("click", (event) => {
    const example = event.target.closest?.("[data-ask]");
    if (example) ask(example.textContent);
    for (const menu of document.querySelectorAll(".v-menu[open]")) {
      if (!menu.contains(event.target) || event.target.closest("a, button")) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      const menu = document.querySelector(".v-menu[open]");
      const stop = seen(STOP);
      if (menu) {
        menu.open = false;
        menu.querySelector("summary").focus();
      } else if (stop && !stop.disabled) stop.click();
      else event.target.blur?.();
    }
    if (event.key !== "/" || event.target.closest?.("input, textarea, select, [contenteditable]") || !field()) return;
    event.preventDefault();
    field().focus();
  });
})();
