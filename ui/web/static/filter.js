// Counts that choose: one of them shows its statements or entries alone. The choice outlives what the server draws anew.
(() => {
  const chosen = new Map(); // by run: the kind that is shown

  function apply(run) {
    const only = chosen.get(run.dataset.run) ?? "";
    const buttons = [...run.querySelectorAll("[data-only]")];
    const kind = buttons.some((button) => button.dataset.only === only) ? only : "";
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.only === kind));
    for (const item of run.querySelectorAll("[data-kind]")) item.hidden = kind !== "" && item.dataset.kind !== kind;
    run.dataset.filtered = kind;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-only]");
    if (!button) return;
    const run = button.closest("[data-run]");
    const again = button.getAttribute("aria-pressed") === "true";
    chosen.set(run.dataset.run, again ? "" : button.dataset.only);
    apply(run);
  });

  new MutationObserver(() => {
    for (const run of document.querySelectorAll("[data-run]:not([data-filtered])")) apply(run);
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
