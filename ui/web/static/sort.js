// A click on the head of a column sorts the rows of its table, a second click the other way round.
(() => {
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  document.addEventListener("click", (event) => {
    const head = event.target.closest?.(".v-sortable th");
    if (!head) return;
    const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const one of head.parentNode.children) one.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    const body = head.closest("table").tBodies[0];
    const text = (row) => row.cells[head.cellIndex].textContent.trim();
    body.append(...[...body.rows].sort((a, b) => way * order.compare(text(a), text(b))));
  });
})();
