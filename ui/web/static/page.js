// The whole page: light or dark, kept for the next visit; names that can be spoken.
(() => {
  function theme(dark) {
    document.documentElement.classList.toggle("dark", dark);
    document.body.classList.toggle("dark", dark);
    try { localStorage.setItem("vouch-theme", dark ? "dark" : "light"); } catch { /* private window: not remembered */ }
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-theme]")) theme(!document.body.classList.contains("dark"));
  });

  // A link may end no session, so that /logout is asked by POST.
  document.addEventListener("click", async (event) => {
    if (!event.target.closest?.("[data-logout]")) return;
    await fetch("logout", { method: "POST" });
    location.reload();
  });

  // Gradio names its upload areas otherwise than it reads: who says aloud what is written there must be understood.
  new MutationObserver(() => {
    for (const area of document.querySelectorAll('button[aria-label="Click to upload or drop files"]')) area.removeAttribute("aria-label");
  }).observe(document.documentElement, { childList: true, subtree: true });

  // Gradio sets its own light or dark when it has drawn the page.
  const wanted = (() => { try { return localStorage.getItem("vouch-theme"); } catch { return null; } })();
  if (wanted) {
    new MutationObserver((_, watcher) => {
      if (!document.querySelector("#v-top")) return;
      watcher.disconnect();
      theme(wanted === "dark");
    }).observe(document.documentElement, { childList: true, subtree: true });
  }
})();
