// Reviewing by keyboard: the sentences of an answer and of those above it, one after the other. Each is accepted, rejected,
// or its box is moved; all three are the judgements beside the sentence, which `vouch feedback export` makes a test set of.
(() => {
  const STEP = 0.005; // of the page, that an arrow moves or resizes a box
  const LEAST = 0.01; // of the page, that a box is wide and high
  const SIDES = ["x", "y", "width", "height"];
  const KEYS = { a: "right", x: "wrong", m: "move", n: "next", p: "previous", Escape: "end" };
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  let queue = []; // sentences that have a number and can be judged
  let at = 0;
  let bar = null;
  let frame = null; // the box that is moved

  const groupOf = (sentence) => sentence.querySelector("[data-judging]");
  const judged = (sentence) => groupOf(sentence)?.querySelector("[aria-pressed='true']")?.dataset.judge;
  const shown = () => document.querySelector(".v-viewer:not([hidden]) .v-page:not([hidden])");

  function begin(turn) {
    const all = [...document.querySelectorAll("#v-current .v-sentence, #v-past .v-sentence")];
    queue = all.filter((one) => groupOf(one) && one.querySelector(".v-cite"));
    at = queue.findIndex((one) => turn.contains(one) && !judged(one));
    if (at < 0) at = queue.findIndex((one) => turn.contains(one));
    if (at < 0) return;
    bar ??= make();
    (document.querySelector("main") ?? document.body).append(bar);
    bar.hidden = false;
    go(0);
    bar.querySelector("button").focus({ preventScroll: true });
  }

  function make() {
    const made = document.createElement("div");
    made.className = "v-review";
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", "Review");
    made.append(document.createElement("output"));
    const names = { right: "Accept (a)", wrong: "Reject (x)", move: "Move the box (m)", previous: "Previous (p)", next: "Next (n)", end: "End (Esc)" };
    for (const [name, text] of Object.entries(names)) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.review = name;
      button.textContent = text;
      made.append(button);
    }
    return made;
  }

  function say(text = "") {
    const reviewed = queue.filter(judged).length;
    bar.querySelector("output").textContent = text || `Sentence ${at + 1} of ${queue.length}${judged(queue[at]) ? `: ${judged(queue[at])}` : ""}; ${reviewed} reviewed`;
  }

  function go(by) {
    drop();
    at = Math.max(0, Math.min(queue.length - 1, at + by));
    const sentence = queue[at];
    const turn = sentence.closest("details.v-turn");
    if (turn) turn.open = true;
    sentence.querySelector(".v-cite").click();
    sentence.scrollIntoView({ block: "nearest" });
    const page = shown();
    const stored = groupOf(sentence).dataset.box?.split(":");
    if (page && stored && page.dataset.page === `${stored[0]}:${stored[1]}`) {
      const [x0, y0, x1, y1] = stored[2].split(",").map(Number);
      draw(page, [x0, y0, x1 - x0, y1 - y0]).classList.add("v-moved-done");
    }
    say();
  }

  function judge(name) {
    const group = groupOf(queue[at]);
    const button = group.querySelector(`[data-judge="${name}"]`);
    if (name !== "wrong place") delete group.dataset.box;
    if (button.getAttribute("aria-pressed") !== "true") button.click();
    else group.querySelector("input").dispatchEvent(new Event("change", { bubbles: true }));
    if (queue.every(judged)) say(`All ${queue.length} reviewed. vouch feedback export makes a test set of them.`);
    else go(1);
  }

  function draw(page, sides) {
    drop();
    frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    frame.setAttribute("class", "v-moved");
    frame.setAttribute("vector-effect", "non-scaling-stroke");
    SIDES.forEach((side, n) => frame.setAttribute(side, sides[n]));
    page.querySelector("svg").append(frame);
    return frame;
  }

  function drop() {
    frame?.remove();
    frame = null;
  }

  // The box begins where it was moved to before, else around the lines that are cited.
  function move() {
    const page = shown();
    if (frame?.isConnected) frame.classList.remove("v-moved-done");
    else {
      const boxes = page?.querySelector("g.v-on");
      if (!boxes) return;
      const rects = [...(boxes.querySelector(".v-line") ? boxes.querySelectorAll(".v-line") : boxes.querySelectorAll("rect"))];
      const sides = rects.map((rect) => SIDES.map((side) => +rect.getAttribute(side)));
      const [x, y] = [0, 1].map((n) => Math.min(...sides.map((one) => one[n])));
      const [right, bottom] = [0, 1].map((n) => Math.max(...sides.map((one) => one[n] + one[n + 2])));
      draw(page, [x, y, right - x, bottom - y]);
    }
    see();
    say("Arrows move the box, with Shift they resize it; Enter saves, Esc leaves it.");
  }

  const moving = () => frame?.isConnected && !frame.classList.contains("v-moved-done");

  function nudge([dx, dy], resize) {
    const [x, y, width, height] = SIDES.map((side) => +frame.getAttribute(side));
    const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
    const sides = resize
      ? [x, y, clamp(width + dx * STEP, LEAST, 1 - x), clamp(height + dy * STEP, LEAST, 1 - y)]
      : [clamp(x + dx * STEP, 0, 1 - width), clamp(y + dy * STEP, 0, 1 - height), width, height];
    SIDES.forEach((side, n) => frame.setAttribute(side, sides[n]));
    see();
  }

  // The box is seen in its page, and above the bar.
  function see() {
    frame.scrollIntoView({ block: "nearest" });
    const hidden = frame.getBoundingClientRect().bottom + 12 - bar.getBoundingClientRect().top;
    if (hidden > 0) scrollBy({ top: hidden });
  }

  function save() {
    const [x, y, width, height] = SIDES.map((side) => +frame.getAttribute(side));
    const sides = [x, y, x + width, y + height].map((side) => Math.min(1, side).toFixed(4));
    groupOf(queue[at]).dataset.box = `${frame.closest(".v-page").dataset.page}:${sides.join(",")}`;
    judge("wrong place");
  }

  function end() {
    if (moving()) return go(0);
    drop();
    bar.hidden = true;
    queue[at].closest(".v-turn").querySelector(".v-review-begin").focus({ preventScroll: true });
  }

  function act(name) {
    if (name === "move") move();
    else if (name === "end") end();
    else if (name === "next" || name === "previous") go(name === "next" ? 1 : -1);
    else judge(name);
  }

  // Another answer has come, or another conversation.
  new MutationObserver(() => { if (bar && !bar.hidden && !queue[at].isConnected) bar.hidden = true; })
    .observe(document.documentElement, { childList: true, subtree: true });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-review]");
    if (!button) return;
    const turn = button.closest(".v-turn");
    if (turn) begin(turn);
    else act(button.dataset.review);
  });

  document.addEventListener("keydown", (event) => {
    if (!bar || bar.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (moving() && event.key in ARROWS) nudge(ARROWS[event.key], event.shiftKey);
    else if (moving() && event.key === "Enter") save();
    else if (event.key in KEYS && !event.shiftKey) act(KEYS[event.key]);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
})();
