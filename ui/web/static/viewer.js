// The reading habits: a number leads to its box, a box to its sentences. Nothing here asks the server but for images.
// An answer and its viewer bear the same key (data-answer); of the viewers in a pane one is shown at a time.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
  const MARGIN = 0.03; // of the page, around a crop
  const states = new Map(); // by key: what is chosen, kept when the server draws a viewer anew
  let active = null; // the key that j and k walk through

  const keyOf = (node) => node.closest("[data-answer]")?.dataset.answer;
  const viewerOf = (key) => all(".v-viewer").find((v) => v.dataset.answer === key && !v.classList.contains("v-empty"));
  const stateOf = (key) => states.get(key) ?? states.set(key, { number: 0, scale: 1, look: "page" }).get(key);
  const numbers = (viewer) => [...new Set(all("g[data-cite]", viewer).map((g) => +g.dataset.cite))].sort((a, b) => a - b);
  const group = (viewer, n) => viewer.querySelector(`.v-page g[data-cite="${n}"]`);
  const seen = (node) => node.checkVisibility();

  function show(viewer) {
    active = viewer.dataset.answer;
    for (const other of all(".v-viewer", viewer.closest(".v-pane") ?? document)) other.hidden = other !== viewer;
  }

  function openPage(viewer, key) {
    for (const page of all(".v-page", viewer)) page.hidden = page.dataset.page !== key;
    for (const thumb of all(".v-thumb", viewer)) thumb.setAttribute("aria-pressed", String(thumb.dataset.go === key));
    sharpen(viewer);
    again(viewer);
    if (stateOf(viewer.dataset.answer).look === "heat") heat(viewer);
  }

  // An image that did not arrive (the server was busy, or away) is asked for once more when its page is opened.
  function again(viewer) {
    for (const img of all(".v-page:not([hidden]) .v-sheet > img:not(.v-heat)", viewer)) {
      if (!img.complete || img.naturalWidth || img.loading === "lazy") continue;
      img.srcset = img.srcset;
    }
  }

  function mark(key, n, name) {
    for (const part of all(`[data-answer]`).filter((p) => p.dataset.answer === key)) {
      for (const one of all("[data-cite]", part)) one.classList.toggle(name, n > 0 && +one.dataset.cite === n);
      if (name !== "v-on") continue;
      for (const one of all(".v-sentence", part)) {
        one.classList.toggle("v-marked", n > 0 && (one.dataset.cites || "").split(" ").includes(String(n)));
      }
    }
  }

  // Go to citation n: its page, its box, its sentences, its text. `quietly` neither flashes nor moves the window.
  function cite(key, n, quietly = false) {
    const viewer = viewerOf(key);
    const box = viewer && group(viewer, n);
    if (!box) return;
    show(viewer);
    stateOf(key).number = n;
    openPage(viewer, box.closest(".v-page").dataset.page);
    mark(key, n, "v-on");
    const known = numbers(viewer);
    viewer.querySelector(".v-count").textContent = `${known.indexOf(n) + 1} of ${known.length}`;
    viewer.querySelector(".v-hint").textContent = "";
    for (const words of all("[data-words]", viewer)) words.hidden = +words.dataset.words !== n;
    crop(viewer, box);
    for (const one of all("g.v-flash", viewer)) one.classList.remove("v-flash");
    if (!quietly) {
      box.getBoundingClientRect(); // so that the animation starts anew
      box.classList.add("v-flash");
    }
    reveal(box, quietly);
  }

  // Inside the page's own scroller; the window moves only when the page is off screen (on a phone it stands below).
  function reveal(box, quietly) {
    const scroller = box.closest(".v-scroll");
    const behavior = calm || quietly ? "auto" : "smooth";
    const place = (box.querySelector(".v-line") || box).getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    if (stateOf(keyOf(box)).look !== "crop") {
      scroller.scrollBy({ top: place.top - frame.top - frame.height / 3, left: place.left - frame.left - frame.width / 4, behavior });
    }
    if (quietly) return;
    if (frame.top > innerHeight - 80 || frame.bottom < 80) scroller.closest(".v-viewer").scrollIntoView({ behavior, block: "start" });
    else if (scroller.scrollHeight <= scroller.clientHeight && (place.bottom > innerHeight || place.top < 0)) {
      scrollBy({ top: place.top - innerHeight / 3, behavior });
    }
  }

  function step(key, by) {
    const viewer = viewerOf(key);
    const known = viewer ? numbers(viewer) : [];
    const at = known.indexOf(stateOf(key).number);
    if (known.length) cite(key, at < 0 ? known[0] : known[(at + by + known.length) % known.length]);
  }

  // The image that fits the width at hand: the browser takes it from the list, at the density of the screen.
  function sharpen(viewer) {
    for (const sheet of all(".v-page:not([hidden]) .v-sheet", viewer)) {
      const width = sheet.getBoundingClientRect().width;
      if (width) sheet.querySelector("img").sizes = `${Math.ceil(width)}px`;
    }
  }

  function zoom(viewer, by) {
    const state = stateOf(viewer.dataset.answer);
    if (by) state.scale = STEPS[Math.min(STEPS.length - 1, Math.max(0, STEPS.indexOf(state.scale) + by))];
    viewer.style.setProperty("--zoom", state.scale);
    viewer.querySelector(".v-zoom").textContent = `${Math.round(state.scale * 100)}%`;
    sharpen(viewer);
  }

  function look(viewer, name) {
    const key = viewer.dataset.answer;
    stateOf(key).look = viewer.dataset.look = name;
    for (const button of all(".v-looks button", viewer)) button.setAttribute("aria-pressed", String(button.dataset.look === name));
    for (const shade of all(".v-heat", viewer)) shade.hidden = name !== "heat";
    const n = stateOf(key).number || numbers(viewer)[0];
    if (name === "heat") heat(viewer);
    if (n) cite(key, n, true);
  }

  function crop(viewer, box) {
    const page = box.closest(".v-page");
    const rects = all("rect", box).map((r) => ["x", "y", "width", "height"].map((side) => +r.getAttribute(side)));
    const left = Math.max(0, Math.min(...rects.map((r) => r[0])) - MARGIN);
    const top = Math.max(0, Math.min(...rects.map((r) => r[1])) - MARGIN);
    const right = Math.min(1, Math.max(...rects.map((r) => r[0] + r[2])) + MARGIN);
    const bottom = Math.min(1, Math.max(...rects.map((r) => r[1] + r[3])) + MARGIN);
    const sides = { "--cx": left, "--cy": top, "--cw": right - left, "--ch": bottom - top };
    for (const [side, value] of Object.entries(sides)) page.style.setProperty(side, value);
    if (stateOf(viewer.dataset.answer).look === "crop") sharpen(viewer);
  }

  // Where the page looks like the question; made by the server when it is first wanted.
  function heat(viewer) {
    const sheet = viewer.querySelector(".v-page:not([hidden]) .v-sheet");
    if (!sheet || sheet.querySelector(".v-heat")) return;
    const page = sheet.querySelector("img");
    const shade = new Image();
    shade.className = "v-heat";
    shade.alt = "";
    shade.addEventListener("error", () => {
      shade.remove();
      look(viewer, "page");
      viewer.querySelector(".v-hint").textContent = "No heat map: the pixels of this page were not looked at when it was indexed.";
    });
    shade.src = page.getAttribute("src").replace("vouch/page/", "vouch/heat/").replace(/webp\?.*/, `svg?q=${encodeURIComponent(viewer.dataset.question)}`);
    page.after(shade);
  }

  async function copy(button) {
    const text = button.closest(".v-words").querySelector(".v-said").innerText;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      const range = document.createRange();
      range.selectNodeContents(button.closest(".v-words").querySelector(".v-said"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy text"; }, 2500);
  }

  document.addEventListener("click", (event) => {
    const to = (selector) => event.target.closest?.(selector);
    const viewer = to(".v-viewer");
    let hit;
    if ((hit = to("[data-cite]"))) cite(keyOf(hit), +hit.dataset.cite);
    else if (!viewer) return;
    else if ((hit = to("[data-go]"))) {
      const first = viewer.querySelector(`.v-page[data-page="${CSS.escape(hit.dataset.go)}"] g[data-cite]`);
      cite(viewer.dataset.answer, +first.dataset.cite);
    } else if ((hit = to("[data-step]"))) step(viewer.dataset.answer, +hit.dataset.step);
    else if ((hit = to("[data-zoom]"))) zoom(viewer, +hit.dataset.zoom);
    else if ((hit = to(".v-looks [data-look]"))) look(viewer, hit.dataset.look);
    else if ((hit = to("[data-copy]"))) copy(hit);
  });

  for (const [kind, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
    document.addEventListener(kind, (event) => {
      const chip = event.target.closest?.("[data-cite]");
      const viewer = chip && viewerOf(keyOf(chip));
      if (viewer) group(viewer, chip.dataset.cite)?.classList.toggle("v-hover", on);
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (event.key !== "j" && event.key !== "k") return;
    const viewer = (active && viewerOf(active)) || all(".v-viewer:not([hidden]):not(.v-empty)").find(seen);
    if (viewer && seen(viewer)) step(viewer.dataset.answer, event.key === "j" ? 1 : -1);
  });

  // A page that cannot be drawn, or whose document is gone, says so in its place.
  document.addEventListener("error", (event) => {
    const sheet = event.target.closest?.(".v-sheet");
    if (!sheet || event.target.className === "v-heat" || sheet.querySelector(".v-gone")) return;
    const note = document.createElement("p");
    note.className = "v-gone";
    note.textContent = "This page cannot be shown any more: its document was removed, or cannot be drawn.";
    sheet.append(note);
  }, true);

  document.addEventListener("load", (event) => {
    if (event.target.className !== "v-heat") event.target.closest?.(".v-sheet")?.querySelector(".v-gone")?.remove();
  }, true);

  addEventListener("resize", () => { for (const viewer of all(".v-viewer:not([hidden])")) sharpen(viewer); });

  // A viewer that has just come begins with its first citation, or with the one that was chosen before.
  new MutationObserver(() => {
    for (const viewer of all(".v-viewer:not(.v-empty):not([data-seen])")) {
      viewer.dataset.seen = "yes";
      const key = viewer.dataset.answer;
      const state = stateOf(key);
      zoom(viewer, 0);
      if (viewer.hidden) continue;
      const known = numbers(viewer);
      if (state.look !== "page") look(viewer, state.look);
      if (known.length) cite(key, known.includes(state.number) ? state.number : known[0], true);
      for (const img of all(".v-sheet img, .v-thumb img", viewer)) img.loading = "eager"; // the rest of the pages, ahead of a click
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
