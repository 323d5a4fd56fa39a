// Pairs: a part is chosen here, without the server; what is decided goes to it by the buttons (`confirm/tab.py`).
(() => {
  const current = () => document.querySelector(".v-pair");

  function choose(pair, id) {
    pair.dataset.chosen = id;
    for (const choice of pair.querySelectorAll(".v-choice")) {
      const on = choice.dataset.choose === id;
      choice.setAttribute("aria-checked", on);
      if (on) for (const sheet of pair.querySelectorAll(".v-pair-sheet")) sheet.hidden = sheet.dataset.sheet !== choice.dataset.page;
    }
    for (const part of pair.querySelectorAll(".v-part")) part.dataset.on = part.dataset.choose === id ? "yes" : "";
    pair.querySelector(".v-decide-main").textContent = id === pair.dataset.tied ? "Confirm" : "Correct";
    reveal(pair);
  }

  // Beside the words the page may be longer than the window; below them, moving it would take the buttons away.
  function reveal(pair) {
    if (matchMedia("(min-width: 861px)").matches) {
      pair.querySelector('.v-pair-sheet:not([hidden]) .v-part[data-on="yes"]')?.scrollIntoView({ block: "nearest" });
    }
  }
  document.addEventListener("vouch-pair", () => setTimeout(() => { if (current()) reveal(current()); }, 100));

  document.addEventListener("click", (event) => {
    const pair = event.target.closest?.(".v-pair"), choice = event.target.closest?.("[data-choose]");
    if (pair && choice) choose(pair, choice.dataset.choose);
  });

  const KEYS = { Enter: "keep", d: "drop", j: "next", k: "previous" };
  document.addEventListener("keydown", (event) => {
    const pair = current();
    if (!pair || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (event.key === "Enter" && event.target.closest?.("button:not(.v-choice)")) return; // the button's own
    const digit = /^[1-9]$/.test(event.key) && pair.querySelectorAll(".v-choice")[event.key - 1];
    const button = event.key in KEYS && pair.querySelector(`[data-decide="${KEYS[event.key]}"]`);
    if (!digit && !button) return;
    event.preventDefault();
    if (digit) { choose(pair, digit.dataset.choose); digit.focus(); } else button.click();
  });
})();
