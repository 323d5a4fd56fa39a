// Asking, in the tab that is open: examples with one click, keys to ask and to stop, a menu that closes.
(() => {
  const ASK = "#v-question, #v-compare-question";
  const STOP = "#v-stop, #v-compare-stop, #v-check-stop, #v-audit-stop";
  const seen = (selector) => [...document.querySelectorAll(selector)].find((node) => node.checkVisibility());
  const field = () => seen(ASK)?.querySelector("textarea");

  function ask(text) {
    const box = field();
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => seen(ASK)?.querySelector("button.submit-button")?.click(), 60);
  }

  // The time that was felt: from sending a question to its whole answer on the screen. A reload does not forget it.
  const felt = (() => { try { return JSON.parse(sessionStorage.getItem("vouch-felt")) ?? {}; } catch { return {}; } })();
  let sent = 0;
  document.addEventListener("click", (event) => { if (event.target.closest?.("#v-question .submit-button")) sent = performance.now(); }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && event.target.closest?.("#v-question")) sent = performance.now();
  }, true);
  new MutationObserver(() => {
    for (const took of document.querySelectorAll(".v-turn:not([aria-busy]) .v-took:not([data-told])")) {
      const id = took.closest(".v-turn").dataset.turn;
      if (sent && !(id in felt) && took.closest("#v-current")) {
        felt[id] = ((performance.now() - sent) / 1000).toFixed(1);
        sent = 0;
        try { sessionStorage.setItem("vouch-felt", JSON.stringify(felt)); } catch { /* private window: a reload forgets it */ }
      }
      took.dataset.told = "yes";
      if (id in felt) took.textContent = `${felt[id]} s from asking to reading, ${took.textContent.trim()}`;
    }
  }).observe(document.documentElement, { childList: true, subtree: true });

  // A menu that would open below the window opens upwards.
  document.addEventListener("toggle", (event) => {
    const menu = event.target;
    if (!menu.matches?.(".v-menu[open]")) return;
    menu.classList.remove("v-up");
    const list = menu.querySelector("ul").getBoundingClientRect();
    menu.classList.toggle("v-up", list.bottom > innerHeight && menu.getBoundingClientRect().top > list.height);
    menu.querySelector("ul").scrollIntoView({ block: "nearest" });
  }, true);

  document.addEventListener("click", (event) => {
    const tab = event.target.closest?.("[data-tab]")?.dataset.tab;
    if (tab) [...document.querySelectorAll('[role="tab"], #v-tabs .overflow-dropdown button')].find((one) => one.textContent.trim() === tab)?.click();
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
