// The reading habits of `vouch serve`: a number leads to its box, a box to its sentences. Nothing here asks the server.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let current = 0;

  const numbers = () => [...new Set(all(".v-page g[data-cite]").map((g) => +g.dataset.cite))].sort((a, b) => a - b);

  function openPage(key) {
    for (const page of all(".v-page")) page.hidden = page.dataset.page !== key;
    for (const tab of all(".v-tab")) tab.setAttribute("aria-selected", String(tab.dataset.go === key));
  }

  function mark(n, name) {
    for (const one of all("[data-cite]")) one.classList.toggle(name, n > 0 && +one.dataset.cite === n);
    for (const one of all(".v-sentence")) {
      one.classList.toggle("v-marked", n > 0 && (one.dataset.cites || "").split(" ").includes(String(n)));
    }
  }

  function cite(n) {
    const group = document.querySelector(`.v-page g[data-cite="${n}"]`);
    if (!group) return;
    current = n;
    openPage(group.closest(".v-page").dataset.page);
    mark(n, "v-on");
    const known = numbers();
    const count = document.querySelector(".v-count");
    if (count) count.textContent = `${known.indexOf(n) + 1} of ${known.length}`;
    for (const one of all("g.v-flash")) one.classList.remove("v-flash");
    group.getBoundingClientRect(); // so that the animation starts anew
    group.classList.add("v-flash");
    reveal(group);
  }

  // Inside the page's own scroller; the window moves only when the page is off screen (on a phone it stands below).
  function reveal(group) {
    const scroller = group.closest(".v-scroll");
    const box = (group.querySelector(".v-line") || group).getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    const behavior = calm ? "auto" : "smooth";
    scroller.scrollBy({ top: box.top - frame.top - frame.height / 3, left: box.left - frame.left - frame.width / 4, behavior });
    const now = group.getBoundingClientRect();
    if (frame.top > innerHeight - 80 || frame.bottom < 80) scroller.closest(".v-viewer").scrollIntoView({ behavior, block: "start" });
    else if (scroller.scrollHeight <= scroller.clientHeight && (now.bottom > innerHeight || now.top < 0)) {
      scrollBy({ top: now.top - innerHeight / 3, behavior });
    }
  }

  function step(by) {
    const known = numbers();
    if (known.length) cite(known[(known.indexOf(current) + by + known.length) % known.length] ?? known[0]);
  }

  function zoom(by) {
    const steps = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
    const viewer = document.querySelector(".v-viewer");
    const at = steps.indexOf(+(viewer.dataset.scale || 1));
    const scale = steps[Math.min(steps.length - 1, Math.max(0, at + by))];
    viewer.dataset.scale = scale;
    viewer.style.setProperty("--zoom", scale);
    viewer.querySelector(".v-zoom").textContent = `${Math.round(scale * 100)}%`;
  }

  function ask(text) {
    const field = document.querySelector("#v-question textarea");
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => document.querySelector("#v-question button.submit-button")?.click(), 60);
  }

  function theme(dark) {
    document.documentElement.classList.toggle("dark", dark);
    document.body.classList.toggle("dark", dark);
    try { localStorage.setItem("vouch-theme", dark ? "dark" : "light"); } catch { /* private window: not remembered */ }
  }

  document.addEventListener("click", (event) => {
    const to = (selector) => event.target.closest?.(selector);
    let hit;
    if ((hit = to("[data-cite]"))) cite(+hit.dataset.cite);
    else if ((hit = to("[data-go]"))) openPage(hit.dataset.go);
    else if ((hit = to("[data-step]"))) step(+hit.dataset.step);
    else if ((hit = to("[data-zoom]"))) zoom(+hit.dataset.zoom);
    else if ((hit = to("[data-ask]"))) ask(hit.textContent);
    else if (to("[data-theme]")) theme(!document.body.classList.contains("dark"));
  });

  for (const [kind, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
    document.addEventListener(kind, (event) => {
      const chip = event.target.closest?.("[data-cite]");
      if (chip) for (const g of all(`.v-page g[data-cite="${chip.dataset.cite}"]`)) g.classList.toggle("v-hover", on);
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      const stop = document.querySelector("#v-stop");
      if (stop && !stop.disabled) stop.click();
      event.target.blur?.();
    }
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") {
      event.preventDefault();
      document.querySelector("#v-question textarea")?.focus();
    }
  });

  const wanted = (() => { try { return localStorage.getItem("vouch-theme"); } catch { return null; } })();
  let dressed = !wanted;

  // A new answer starts from its first citation again. Gradio sets its own light or dark when it has drawn the page.
  new MutationObserver(() => {
    if (!dressed && document.querySelector("#v-question")) {
      dressed = true;
      theme(wanted === "dark");
    }
    const viewer = document.querySelector(".v-viewer");
    if (viewer && !viewer.dataset.seen) {
      viewer.dataset.seen = "yes";
      current = 0;
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
