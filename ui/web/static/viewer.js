// The reading habits: a number leads to its box, a box to its sentences. Nothing here asks the server but for images.
// An answer and its viewer bear the same key (data-answer); of the viewers in a pane one is shown at a time.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
  const MARGIN = 0.03; // of the page, around a crop
  const READABLE = 15; // pixels a cited line should be high on a narrow screen
  const MOST_AHEAD = 24; // pages that are fetched ahead of a click
  const WALK = { n: 1, j: 1, p: -1, k: -1 }; // keys that go to the next, and to the previous citation
  const narrow = matchMedia("(max-width: 860px)");
  const states = new Map(); // by key: what is chosen, kept when the server draws a viewer anew
  let active = null; // the key that n and p walk through

  const keyOf = (node) => node.closest("[data-answer]")?.dataset.answer;
  const viewerOf = (key) => all(".v-viewer").find((v) => v.dataset.answer === key && !v.classList.contains("v-empty"));
  const stateOf = (key) => states.get(key) ?? states.set(key, { number: 0, scale: 1, look: narrow.matches ? "crop" : "page" }).get(key);
  // Other places than those of the answer are drawn, and walked through, while their fold in the answer is open.
  const foldOf = (key) => all(".v-others").find((fold) => keyOf(fold) === key);
  const isShown = (box) => !box.classList.contains("v-is-other") || Boolean(foldOf(keyOf(box))?.open);
  const numbers = (viewer) => [...new Set(all("g[data-cite]", viewer).filter(isShown).map((g) => +g.dataset.cite))].sort((a, b) => a - b);
  const group = (viewer, n) => viewer.querySelector(`.v-page g[data-cite="${n}"]`);
  const seen = (node) => node.checkVisibility();
  const lineOf = (box) => box.querySelector(".v-line") || box;
  const behavior = (quietly) => (calm || quietly ? "auto" : "smooth");

  function show(viewer) {
    active = viewer.dataset.answer;
    for (const other of all(".v-viewer", viewer.closest(".v-pane") ?? document)) other.hidden = other !== viewer;
  }

  function openPage(viewer, key) {
    for (const page of all(".v-page", viewer)) page.hidden = page.dataset.page !== key;
    for (const thumb of all(".v-thumb", viewer)) thumb.setAttribute("aria-pressed", String(thumb.dataset.go === key));
    sharpen(viewer);
    again(viewer);
    offer(viewer);
    if (stateOf(viewer.dataset.answer).look === "heat" && !heat(viewer)) look(viewer, "page");
  }

  // Heat is offered for a page whose pixels were looked at; on another its button says why not.
  function offer(viewer) {
    const warm = viewer.querySelector(".v-page:not([hidden])")?.dataset.heat === "yes";
    viewer.querySelector('.v-looks [data-look="heat"]').setAttribute("aria-disabled", String(!warm));
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
    if (!isShown(box)) foldOf(key)?.setAttribute("open", "");
    show(viewer);
    stateOf(key).number = n;
    count(viewer);
    openPage(viewer, box.closest(".v-page").dataset.page);
    mark(key, n, "v-on");
    viewer.querySelector(".v-hint").textContent = "";
    for (const words of all("[data-words]", viewer)) words.hidden = +words.dataset.words !== n;
    crop(viewer, box);
    for (const one of all("g.v-flash", viewer)) one.classList.remove("v-flash");
    if (!quietly) {
      box.getBoundingClientRect(); // so that the animation starts anew
      box.classList.add("v-flash");
    }
    reveal(box, quietly);
    if (!quietly) bring(box);
  }

  // Draw the other places while their fold is open, and count what is drawn. Return the numbers.
  function count(viewer) {
    const key = viewer.dataset.answer;
    const known = numbers(viewer);
    viewer.toggleAttribute("data-others", Boolean(foldOf(key)?.open));
    viewer.querySelector(".v-count").textContent = `${known.indexOf(stateOf(key).number) + 1} of ${known.length}`;
    return known;
  }

  // The fold was opened or closed: what is chosen stays chosen where it is still drawn.
  function folded(viewer) {
    const key = viewer.dataset.answer;
    const known = count(viewer);
    if (viewer.hidden || known.includes(stateOf(key).number)) return;
    if (known.length) return void cite(key, known[0], true);
    for (const shown of all(".v-page, .v-words", viewer)) shown.hidden = true;
  }

  // The scroll position of a page's own scroller at which the box stands in it.
  function wanted(box, scroller) {
    const place = lineOf(box).getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    const clamp = (value, most) => Math.max(0, Math.min(value, most));
    return {
      top: clamp(scroller.scrollTop + place.top - frame.top - frame.height / 3, scroller.scrollHeight - scroller.clientHeight),
      left: clamp(scroller.scrollLeft + place.left - frame.left - frame.width / 8, scroller.scrollWidth - scroller.clientWidth),
    };
  }

  function reveal(box, quietly) {
    const scroller = box.closest(".v-scroll");
    if (stateOf(keyOf(box)).look === "crop") place(scroller);
    else scroller.scrollTo({ ...wanted(box, scroller), behavior: behavior(quietly) });
  }

  // The window moves only where the box would not be seen in it: on a phone, and under the columns of a comparison.
  function bring(box) {
    const viewer = box.closest(".v-viewer");
    const scroller = box.closest(".v-scroll");
    const at = lineOf(box).getBoundingClientRect();
    const top = at.top - (stateOf(keyOf(box)).look === "crop" ? 0 : wanted(box, scroller).top - scroller.scrollTop);
    const begin = viewer.getBoundingClientRect().top;
    if (top >= 0 && top + at.height <= innerHeight - 8 && scroller.getBoundingClientRect().top <= innerHeight - 80) return;
    const by = top - begin + at.height < innerHeight - 24 ? begin - 8 : top - innerHeight / 3;
    scrollBy({ top: by, behavior: behavior(false) });
    viewer.querySelector("[data-back]").hidden = false;
  }

  // Who has gone back alone needs no button.
  addEventListener("scroll", () => {
    for (const button of all("[data-back]:not([hidden])")) {
      button.hidden = button.closest(".v-viewer").getBoundingClientRect().top > innerHeight - 60;
    }
  }, { passive: true });

  // Back to the sentence, or the source, whose number was clicked.
  function back(viewer) {
    const key = viewer.dataset.answer;
    const own = all("[data-answer]").filter((part) => part.dataset.answer === key && part !== viewer);
    const chip = stateOf(key).from?.isConnected ? stateOf(key).from
      : own.flatMap((part) => all(`[data-cite="${stateOf(key).number}"]`, part)).find(seen);
    viewer.querySelector("[data-back]").hidden = true;
    chip?.scrollIntoView({ block: "center", behavior: behavior(false) });
    chip?.focus({ preventScroll: true });
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

  // The box that was seen stays in view; where it was not, the middle of the view stays the middle.
  function zoom(viewer, by) {
    const state = stateOf(viewer.dataset.answer);
    const scroller = viewer.querySelector(".v-page:not([hidden]) .v-scroll");
    const box = by && state.number ? group(viewer, state.number) : null;
    const held = box && scroller?.contains(box) && within(lineOf(box), scroller);
    const middle = scroller && [(scroller.scrollTop + scroller.clientHeight / 2) / scroller.scrollHeight,
      (scroller.scrollLeft + scroller.clientWidth / 2) / scroller.scrollWidth];
    if (by) state.scale = STEPS[Math.min(STEPS.length - 1, Math.max(0, STEPS.indexOf(state.scale) + by))];
    viewer.style.setProperty("--zoom", state.scale);
    viewer.querySelector(".v-zoom").textContent = `${Math.round(state.scale * 100)}%`;
    if (by && state.look === "crop" && box) crop(viewer, box);
    sharpen(viewer);
    if (held) reveal(box, true);
    else if (by && scroller) {
      scroller.scrollTo(middle[1] * scroller.scrollWidth - scroller.clientWidth / 2, middle[0] * scroller.scrollHeight - scroller.clientHeight / 2);
    }
  }

  function within(node, frame) {
    const [inner, outer] = [node, frame].map((one) => one.getBoundingClientRect());
    return inner.bottom > outer.top && inner.top < outer.bottom && inner.right > outer.left && inner.left < outer.right;
  }

  function look(viewer, name) {
    const key = viewer.dataset.answer;
    const n = stateOf(key).number || numbers(viewer)[0];
    const hint = viewer.querySelector(".v-hint");
    if (name === "heat" && !heat(viewer)) {
      hint.textContent = "No heat map: the image of this page was not indexed.";
      return;
    }
    stateOf(key).look = viewer.dataset.look = name;
    for (const button of all(".v-looks button", viewer)) button.setAttribute("aria-pressed", String(button.dataset.look === name));
    for (const shade of all(".v-heat", viewer)) shade.hidden = name !== "heat";
    if (n) cite(key, n, true);
  }

  // The place that is cited fills the frame; on a narrow screen it is as large as can be read, and can be moved about.
  function crop(viewer, box) {
    const page = box.closest(".v-page");
    const sides = (rects) => rects.map((r) => ["x", "y", "width", "height"].map((side) => +r.getAttribute(side)));
    const rects = sides(all("rect", box));
    const left = Math.max(0, Math.min(...rects.map((r) => r[0])) - MARGIN);
    const top = Math.max(0, Math.min(...rects.map((r) => r[1])) - MARGIN);
    const right = Math.min(1, Math.max(...rects.map((r) => r[0] + r[2])) + MARGIN);
    const bottom = Math.min(1, Math.max(...rects.map((r) => r[1] + r[3])) + MARGIN);
    const whole = 1 / (right - left);
    let scale = whole;
    const frame = page.querySelector(".v-scroll");
    if (narrow.matches && frame.clientWidth) {
      const ratio = +page.style.getPropertyValue("--ratio");
      const lines = sides(all(".v-line", box)).map((r) => r[3]);
      const high = Math.min(...lines, bottom - top) * frame.clientWidth / ratio; // pixels of a line, the page as wide as the frame
      scale = Math.max(whole, Math.min(4, READABLE / high));
    }
    scale *= stateOf(viewer.dataset.answer).scale;
    const values = { "--cx": left, "--cy": top, "--ch": (bottom - top) * scale / whole, "--cw": right - left, "--scale": scale };
    for (const [name, value] of Object.entries(values)) page.style.setProperty(name, value);
    frame.classList.toggle("v-roams", scale > whole * 1.001);
    if (stateOf(viewer.dataset.answer).look === "crop") sharpen(viewer);
    place(frame);
  }

  // A crop is the page scrolled to the place; one that is larger than its frame begins with the line that is cited.
  function place(scroller) {
    const viewer = scroller.closest(".v-viewer");
    const state = stateOf(viewer.dataset.answer);
    if (state.look !== "crop" || !scroller.clientWidth) return;
    const page = scroller.closest(".v-page");
    const sheet = scroller.querySelector(".v-sheet");
    const box = state.number && group(viewer, state.number);
    const at = (name) => +page.style.getPropertyValue(name) || 0;
    if (scroller.classList.contains("v-roams") && box && page.contains(box)) scroller.scrollTo(wanted(box, scroller));
    else scroller.scrollTo(at("--cx") * sheet.offsetWidth, at("--cy") * sheet.offsetHeight);
  }

  const sizes = new ResizeObserver((changed) => { for (const { target } of changed) if (target.isConnected) place(target); });

  // Where the page looks like the question; made by the server when it is first wanted. False where there is no such map.
  function heat(viewer) {
    const shown = viewer.querySelector(".v-page:not([hidden])");
    const sheet = shown?.querySelector(".v-sheet");
    if (!sheet || shown.dataset.heat !== "yes") return false;
    if (sheet.querySelector(".v-heat")) return true;
    const page = sheet.querySelector("img");
    const shade = new Image();
    shade.className = "v-heat";
    shade.alt = "";
    shade.addEventListener("error", () => {
      shade.remove();
      look(viewer, "page");
      viewer.querySelector(".v-hint").textContent = "The heat map could not be drawn: try again.";
    });
    shade.src = page.getAttribute("src").replace("vouch/page/", "vouch/heat/").replace(/webp\?.*/, `svg?q=${encodeURIComponent(viewer.dataset.question)}`);
    page.after(shade);
    return true;
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
    if ((hit = to("[data-cite]"))) {
      if (!viewer) stateOf(keyOf(hit)).from = hit;
      cite(keyOf(hit), +hit.dataset.cite);
    } else if (!viewer) return;
    else if (to("[data-back]")) back(viewer);
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
    if (!(event.key in WALK)) return;
    const viewer = (active && viewerOf(active)) || all(".v-viewer:not([hidden]):not(.v-empty)").find(seen);
    if (viewer && seen(viewer)) step(viewer.dataset.answer, WALK[event.key]);
  });

  document.addEventListener("toggle", (event) => {
    const viewer = event.target.matches?.(".v-others") && viewerOf(keyOf(event.target));
    if (viewer) folded(viewer);
  }, true);

  // A page that cannot be drawn, or whose document is gone, says so in its place.
  document.addEventListener("error", (event) => {
    if (event.target.closest?.(".v-thumb")) event.target.classList.add("v-missing");
    const sheet = event.target.closest?.(".v-sheet");
    if (!sheet || event.target.className === "v-heat" || sheet.querySelector(".v-gone")) return;
    const note = document.createElement("p");
    note.className = "v-gone";
    note.textContent = "This page can no longer be shown: its document was removed or cannot be drawn.";
    sheet.append(note);
    const address = event.target.currentSrc || event.target.src;
    if (address) fetch(address).then((reply) => reply.status === 423 && reply.text()).then((said) => {
      if (said) note.textContent = said;  // the document is locked: the server says what to do
    }).catch(() => {});
  }, true);

  document.addEventListener("load", (event) => {
    if (event.target.className !== "v-heat") event.target.closest?.(".v-sheet")?.querySelector(".v-gone")?.remove();
    event.target.classList?.remove("v-missing");
  }, true);

  // Pages of documents that were locked are asked for again.
  document.addEventListener("vouch-unlocked", () => {
    for (const img of all(".v-sheet > img, .v-thumb img")) if (img.complete && !img.naturalWidth) img.src = img.src;
  });

  addEventListener("resize", () => { for (const viewer of all(".v-viewer:not([hidden])")) sharpen(viewer); });

  // A viewer that has just come begins with its first citation, or with the one that was chosen before.
  new MutationObserver(() => {
    for (const viewer of all(".v-viewer[data-others]")) if (!foldOf(viewer.dataset.answer)?.open) folded(viewer); // the answer was drawn anew
    for (const viewer of all(".v-viewer:not(.v-empty):not([data-seen])")) {
      viewer.dataset.seen = "yes";
      const key = viewer.dataset.answer;
      const state = stateOf(key);
      zoom(viewer, 0);
      for (const scroller of all(".v-scroll", viewer)) sizes.observe(scroller);
      offer(viewer);
      if (viewer.hidden) continue;
      const known = numbers(viewer);
      if (state.look !== "page") look(viewer, state.look);
      if (known.length) cite(key, known.includes(state.number) ? state.number : known[0], true);
      const few = all(".v-page", viewer).length <= MOST_AHEAD;
      for (const img of few ? all(".v-sheet img, .v-thumb img", viewer) : []) img.loading = "eager"; // the rest of the pages, ahead of a click
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
