// The list of conversations: a name is changed in its row. An answer's link is copied whole, as others need it.
(() => {
  document.addEventListener("vouch-rename", (event) => {
    const talk = event.detail;
    const field = talk.querySelector(".v-talk-rename");
    const name = talk.querySelector(".v-talk-open");
    field.hidden = false;
    name.hidden = true;
    field.focus();
    field.select();
  });

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest?.(".v-talk-rename");
    if (!field || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.stopPropagation();
    if (event.key === "Escape") field.value = field.defaultValue;
    field.blur();
  }, true);

  document.addEventListener("focusout", (event) => {
    const field = event.target.closest?.(".v-talk-rename");
    if (!field) return;
    field.hidden = true;
    field.parentNode.querySelector(".v-talk-open").hidden = false;
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const address = new URL(button.dataset.copy, document.baseURI).href;
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      prompt("The link", address); // no clipboard without TLS: it can be copied by hand
    }
  });
})();
