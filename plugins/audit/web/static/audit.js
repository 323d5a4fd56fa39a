// The entries of an audit: one opens what is known of it. What is open outlives what the server draws anew.
(() => {
  const open = new Set(); // "run:entry"
  const name = (button) => `${button.closest("[data-run]").dataset.run}:${button.dataset.entry}`;

  function apply(button) {
    const shown = open.has(name(button));
    button.setAttribute("aria-expanded", String(shown));
    button.nextElementSibling.hidden = !shown;
    button.dataset.seen = "yes";
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-entry]");
    if (!button) return;
    if (!open.delete(name(button))) open.add(name(button));
    apply(button);
  });

  new MutationObserver(() => {
    for (const button of document.querySelectorAll("[data-entry]:not([data-seen])")) apply(button);
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
