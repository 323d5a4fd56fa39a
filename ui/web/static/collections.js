// The Collections tab: kinds shown or hidden, a box and its text, pages by number. What changes anything asks the server.
(() => {
  const browserOf = (node) => node.closest?.(".v-browser");

  // An element: its box on the page, its text in the list; choosing it again lets go of it.
  function choose(browser, number) {
    const was = browser.querySelector(`.v-piece[data-piece="${number}"]`)?.getAttribute("aria-expanded") === "true";
    for (const one of browser.querySelectorAll("[data-piece]")) {
      const on = !was && one.dataset.piece === number;
      one.classList.toggle("v-on", on);
      if (one.matches("button")) one.setAttribute("aria-expanded", String(on));
    }
    for (const whole of browser.querySelectorAll("[data-whole]")) whole.hidden = was || whole.dataset.whole !== number;
    if (!was) browser.querySelector(`.v-piece[data-piece="${number}"]`)?.scrollIntoView({ block: "nearest" });
  }

  // Of the boxes under the pointer the smallest is meant; those of hidden kinds are not there.
  function smallest(sheet, event) {
    const frame = sheet.getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width;
    const y = (event.clientY - frame.top) / frame.height;
    const side = (box, name) => +box.getAttribute(name);
    const hit = [...sheet.querySelectorAll("rect[data-piece]")].filter((box) =>
      getComputedStyle(box).display !== "none" && x >= side(box, "x") && x <= side(box, "x") + side(box, "width")
      && y >= side(box, "y") && y <= side(box, "y") + side(box, "height"));
    return hit.sort((a, b) => side(a, "width") * side(a, "height") - side(b, "width") * side(b, "height"))[0];
  }

  document.addEventListener("click", (event) => {
    const browser = browserOf(event.target);
    if (!browser) return;
    const piece = event.target.closest("button[data-piece]");
    const sheet = event.target.closest(".v-sheet");
    const box = sheet && smallest(sheet, event);
    if (piece) choose(browser, piece.dataset.piece);
    else if (box) choose(browser, box.dataset.piece);
  });

  for (const [kind, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
    document.addEventListener(kind, (event) => {
      const piece = event.target.closest?.("button[data-piece]");
      const box = piece && browserOf(piece)?.querySelector(`rect[data-piece="${piece.dataset.piece}"]`);
      box?.classList.toggle("v-hover", on);
    });
  }

  // The outline stays where it was, and the heading that was clicked is chosen on its page: it is the nth of that page.
  let clicked = null; // the place of a heading in the outline, and among those of its page
  document.addEventListener("click", (event) => {
    const heading = event.target.closest?.(".v-outline [data-id]");
    if (!heading) return;
    const all = [...heading.closest("ol").querySelectorAll("[data-id]")];
    clicked = [all.indexOf(heading), all.filter((one) => one.dataset.id === heading.dataset.id).indexOf(heading)];
  });
  function shown() {
    const browser = document.querySelector(".v-browser");
    const list = browser?.querySelector(".v-outline ol");
    const heading = list?.querySelectorAll("[data-id]")[clicked ? clicked[0] : -1] ?? list?.querySelector("[aria-current]");
    if (heading) list.scrollTop = heading.offsetTop - list.clientHeight / 3;
    const piece = clicked && browser.querySelectorAll("li.v-kind-heading .v-piece")[clicked[1]];
    if (piece) choose(browser, piece.dataset.piece);
    if (clicked) {
      heading?.focus({ preventScroll: true });
      if (matchMedia("(max-width: 860px)").matches) browser.querySelector(".v-browser-page").scrollIntoView();
    }
    clicked = null;
  }

  // A document that was clicked is looked at further down: go there when it has come.
  let wanted = false;
  document.addEventListener("click", (event) => { wanted ||= !!event.target.closest?.(".v-documents [data-act='look']"); });
  document.addEventListener("vouch-browsed", () => {
    setTimeout(shown, 0);  // once the page stands there
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (wanted) document.querySelector(".v-browser")?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
    wanted = false;
  });

  // Files are not sent where the name of their collection cannot be had: as `collection_name` decides on the server.
  for (const kind of ["change", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.target.closest?.("#v-files")) return;
      const typed = document.querySelector("#v-into textarea, #v-into input").value.trim().replaceAll("ß", "ss");
      if (!typed || /[A-Za-z0-9]/.test(typed.normalize("NFKD"))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (kind === "change") event.target.value = "";
    }, true);
  }

  document.addEventListener("change", (event) => {
    const kind = event.target.dataset?.kind;
    if (kind) browserOf(event.target)?.classList.toggle(`v-off-${kind}`, !event.target.checked);
  });
})();
