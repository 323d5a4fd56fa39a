// Comparing: an example with one click, Escape to stop.
(() => {
  document.addEventListener("click", (event) => {
    const example = event.target.closest?.("[data-compare]");
    if (!example) return;
    const box = document.querySelector("#v-compare-question textarea");
    box.value = example.textContent;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => document.querySelector("#v-compare-question button.submit-button")?.click(), 60);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" && event.key !== "/") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.querySelector("#v-compare-question textarea");
    if (!field?.checkVisibility()) return;
    if (event.key === "Escape") {
      const stop = document.querySelector("#v-compare-stop");
      if (stop && !stop.disabled) stop.click();
    } else if (!event.target.closest?.("input, textarea, select, [contenteditable]")) {
      event.preventDefault();
      field.focus();
    }
  });
})();
