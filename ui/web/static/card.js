// A card for the number under the pointer or the focus: its place cut out of the page, with its box, where it stands and
// what was found of it. Esc dismisses it, the pointer may move onto it. A touch goes to the page at once, without a card.
(() => {
  const DELAY = 250; // milliseconds until the pointer is taken to rest; the way from a number onto its card takes as long
  const MARGIN = 0.02; // of the page, around the place
  const LEAST = 0.55; // of the page's width that a card shows, so that small boxes are not blown up
  const TALLEST = 0.5; // of the card's width
  let chip = null; // the number whose card is shown
  let card = null;
  let timer = 0;

  function make() {
    card = document.createElement("div");
    card.id = "v-card";
    card.setAttribute("role", "tooltip");
    card.hidden = true;
    (document.querySelector("main") ?? document.body).append(card);
    card.addEventListener("pointerenter", () => clearTimeout(timer));
    card.addEventListener("pointerleave", () => later(hide));
    card.addEventListener("click", () => { const to = chip; hide(); to?.click(); });
  }

  function later(step) {
    clearTimeout(timer);
    timer = setTimeout(step, DELAY);
  }

  function hide() {
    clearTimeout(timer);
    chip?.removeAttribute("aria-describedby");
    chip = null;
    if (card) card.hidden = true;
  }

  // The group of boxes that a number leads to; none before the answer is complete.
  function boxesOf(number) {
    const key = number.closest("[data-answer]")?.dataset.answer;
    const viewer = [...document.querySelectorAll(".v-viewer")].find((one) => one.dataset.answer === key);
    return viewer?.querySelector(`.v-page g[data-cite="${number.dataset.cite}"]`);
  }

  function show(number) {
    const boxes = number.isConnected && boxesOf(number);
    if (!boxes) return;
    hide();
    if (!card?.isConnected) make();
    chip = number;
    card.replaceChildren(place(boxes), words(boxes));
    card.hidden = false;
    chip.setAttribute("aria-describedby", card.id);
    cut(boxes);
    stand();
  }

  function place(boxes) {
    const frame = document.createElement("div");
    const sheet = boxes.closest(".v-sheet").cloneNode(false);
    const svg = boxes.ownerSVGElement.cloneNode(false);
    const image = boxes.closest(".v-sheet").querySelector("img").cloneNode(false);
    const copy = boxes.cloneNode(true);
    copy.removeAttribute("data-cite");
    svg.append(copy);
    image.loading = "eager";
    image.alt = "";
    frame.className = "v-card-place";
    sheet.append(image, svg);
    frame.append(sheet);
    return frame;
  }

  function words(boxes) {
    const page = boxes.closest(".v-page");
    const mark = chip.closest(".v-sentence")?.querySelector(".v-mark");
    const lines = [...page.querySelectorAll(".v-title > *")].map((one) => one.textContent.trim());
    const said = document.createElement("div");
    said.className = "v-card-words";
    for (const [name, text] of [["v-name", lines.join(", ")], ["v-where", chip.title], ["v-card-verdict", mark?.dataset.tip]]) {
      if (!text) continue;
      const line = document.createElement("p");
      line.className = name;
      line.textContent = text;
      said.append(line);
    }
    return said;
  }

  // The lines that are cited fill the width of the card; of a place higher than the card its beginning is shown.
  function cut(boxes) {
    const lines = boxes.querySelectorAll(".v-line").length ? boxes.querySelectorAll(".v-line, .v-context") : boxes.querySelectorAll("rect");
    const sides = [...lines].map((rect) => ["x", "y", "width", "height"].map((side) => +rect.getAttribute(side)));
    const [x0, y0] = [0, 1].map((side) => Math.min(...sides.map((one) => one[side])) - MARGIN);
    const [x1, y1] = [0, 1].map((side) => Math.max(...sides.map((one) => one[side] + one[side + 2])) + MARGIN);
    const page = boxes.closest(".v-page");
    const ratio = +page.style.getPropertyValue("--ratio");
    const frame = card.querySelector(".v-card-place");
    const across = Math.min(1, Math.max(x1 - x0, LEAST));
    const left = Math.max(0, Math.min(1 - across, (x0 + x1 - across) / 2));
    const width = frame.clientWidth / across; // of the page, in pixels
    const high = Math.min((y1 - y0) * width / ratio, frame.clientWidth * TALLEST);
    frame.style.height = `${high}px`;
    const sheet = frame.firstChild;
    Object.assign(sheet.style, { width: `${width}px`, aspectRatio: ratio, marginLeft: `${-left * width}px`, marginTop: `${-Math.max(0, y0) * width / ratio}px` });
    sheet.querySelector("img").sizes = `${Math.ceil(width)}px`;
  }

  // Below its number where there is room, else above it, and to the right, so that the numbers below stay free.
  function stand() {
    if (!chip) return;
    const at = chip.getBoundingClientRect();
    if (!chip.checkVisibility() || at.bottom < 0 || at.top > innerHeight) return void hide();
    const below = at.bottom + 6 + card.offsetHeight <= innerHeight || at.top < card.offsetHeight + 6;
    card.style.left = `${Math.max(8, Math.min(at.right + 4, innerWidth - card.offsetWidth - 8))}px`;
    card.style.top = `${below ? at.bottom + 6 : at.top - card.offsetHeight - 6}px`;
  }

  const numberOf = (event) => event.target.closest?.(".v-cite[data-cite]");
  document.addEventListener("pointerover", (event) => {
    const number = numberOf(event);
    if (!number || event.pointerType === "touch") return;
    if (number === chip) clearTimeout(timer);
    else later(() => show(number));
  });
  document.addEventListener("pointerout", (event) => {
    if (numberOf(event)) later(hide);
  });
  document.addEventListener("focusin", (event) => {
    const number = numberOf(event);
    if (number?.matches(":focus-visible")) show(number);
  });
  document.addEventListener("focusout", (event) => { if (numberOf(event) && numberOf(event) === chip) hide(); });
  document.addEventListener("click", (event) => { if (!event.target.closest?.("#v-card")) hide(); }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !chip) return;
    event.stopImmediatePropagation(); // it dismisses the card, and does not stop the answer
    hide();
  }, true);
  for (const kind of ["scroll", "resize"]) addEventListener(kind, stand, { capture: true, passive: true });
})();
