// Reviewing by keyboard, one sentence after the other: those of an answer and the answers above it, or, in a queue
// (`review.html`), those of all conversations that were not reviewed. Each is accepted, rejected, or its box is moved; all
// three are the judgements beside the sentence, which `vouch feedback export` makes a test set of.
(() => {
  const STEP = 0.005; // of the page, that an arrow moves or resizes a box
  const LEAST = 0.01; // of the page, that a box is wide and high
  const SIDES = ["x", "y", "width", "height"];
  const KEYS = { a: "right", x: "wrong", m: "move", u: "undo", n: "next", p: "previous", Escape: "end" };
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  let queue = []; // sentences that have a number and can be judged
  let section = null; // of the queue of all conversations, where that is reviewed
  let done = []; // what was judged, with what was judged before, for undoing
  let at = 0;
  let bar = null;
  let frame = null; // the box that is moved

  const groupOf = (sentence) => sentence.querySelector("[data-judging]");
  const judged = (sentence) => groupOf(sentence)?.querySelector("[aria-pressed='true']")?.dataset.judge;
  const shown = () => document.querySelector(".v-viewer:not([hidden]) .v-page:not([hidden])");

  function begin(part) {
    section = part.closest(".v-queue");
    const all = [...document.querySelectorAll("#v-current .v-sentence, #v-past .v-sentence")];
    queue = all.filter((one) => groupOf(one) && one.querySelector(".v-cite") && !(section && judged(one)));
    at = queue.findIndex((one) => part.contains(one) && !judged(one));
    if (at < 0) at = queue.findIndex((one) => part.contains(one));
    if (at < 0) return;
    done = [];
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
    const names = { right: "Accept (a)", wrong: "Reject (x)", move: "Move the box (m)", undo: "Undo (u)", previous: "Previous (p)", next: "Next (n)", end: "End (Esc)", more: "Next answers" };
    for (const [name, text] of Object.entries(names)) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.review = name;
      button.textContent = text;
      made.append(button);
    }
    return made;
  }

  const total = () => +(section?.dataset.total ?? queue.length);
  const reviewed = () => +(section?.dataset.reviewed ?? 0) + queue.filter(judged).length;

  function say(text = "") {
    const judgement = judged(queue[at]);
    bar.querySelector("output").textContent = text || `Sentence ${at + 1} of ${queue.length}${judgement ? `: ${judgement}` : ""}; ${reviewed()} of ${total()} reviewed`;
    bar.querySelector("[data-review='more']").hidden = !(queue.every(judged) && reviewed() < total());
  }

  function go(by) {
    drop();
    at = Math.max(0, Math.min(queue.length - 1, at + by));
    const sentence = queue[at];
    const turn = sentence.closest("details.v-turn");
    if (turn) turn.open = true;
    for (const one of queue) one.toggleAttribute("data-reviewing", one === sentence);
    sentence.querySelector(".v-cite").click();
    sentence.scrollIntoView({ block: section && matchMedia("(max-width: 860px)").matches ? "start" : "nearest" });
    const page = shown();
    const stored = groupOf(sentence).dataset.box?.split(":");
    if (page && stored && page.dataset.page === `${stored[0]}:${stored[1]}`) {
      const [x0, y0, x1, y1] = stored[2].split(",").map(Number);
      draw(page, [x0, y0, x1 - x0, y1 - y0]).classList.add("v-moved-done");
    }
    say();
  }

  // Without a name the judgement is withdrawn.
  function set(name, box) {
    const group = groupOf(queue[at]);
    const pressed = group.querySelector("[aria-pressed='true']");
    const button = name ? group.querySelector(`[data-judge="${name}"]`) : pressed;
    if (box) group.dataset.box = box;
    else delete group.dataset.box;
    if (!name || button !== pressed) button?.click();
    else group.querySelector("input").dispatchEvent(new Event("change", { bubbles: true }));
  }

  function judge(name, box) {
    done.push([at, judged(queue[at]), groupOf(queue[at]).dataset.box]);
    set(name, box);
    if (!queue.every(judged)) go(1);
    else if (reviewed() < total()) say(`${reviewed()} of ${total()} reviewed.`);
    else say(`All ${total()} reviewed. vouch feedback export makes a test set of them.`);
  }

  function undo() {
    if (!done.length) return say("Nothing to undo.");
    const [last, name, box] = done.pop();
    at = last;
    set(name, box);
    go(0);
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
    judge("wrong place", `${frame.closest(".v-page").dataset.page}:${sides.join(",")}`);
  }

  function end() {
    if (moving()) return go(0);
    drop();
    if (bar) bar.hidden = true;
    const begun = queue[at]?.isConnected && queue[at].closest(".v-turn").querySelector(".v-review-begin");
    if (begun) return begun.focus({ preventScroll: true });
    (document.querySelector(".v-talk-open[aria-current]") ?? document.querySelector("#v-new")).click();
    document.querySelector("#v-review-all").focus({ preventScroll: true });
  }

  function act(name) {
    if (name === "move") move();
    else if (name === "end") end();
    else if (name === "undo") undo();
    else if (name === "more") document.querySelector("#v-review-all").click();
    else if (name === "next" || name === "previous") go(name === "next" ? 1 : -1);
    else judge(name);
  }

  // Another answer has come, or another conversation; or a queue, with the pages that it needs.
  new MutationObserver(() => {
    if (bar && !bar.hidden && !queue[at].isConnected) bar.hidden = true;
    const come = document.querySelector(".v-queue:not([data-begun])");
    if (!come || !document.querySelector("#v-past-evidence .v-viewer")) return;
    come.dataset.begun = "";
    begin(come);
  }).observe(document.documentElement, { childList: true, subtree: true });

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
