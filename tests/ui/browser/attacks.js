// What a page of somebody else tries on the page at `target`, in the browser of a person who is logged in there.
// Returns, by the name of each attempt, what it could read; "" where that is nothing.
async ({ target, places, forms }) => {
  const PATIENCE = 4000;
  const found = {};
  const late = (value) => new Promise((resolve) => setTimeout(() => resolve(value), PATIENCE));

  async function fetched(name, place, options) {
    const controller = new AbortController();
    found[name] = await Promise.race([
      fetch(target + place, { credentials: "include", signal: controller.signal, ...options })
        .then(async (answer) => {
          const chunk = answer.body ? await answer.body.getReader().read() : {};
          return answer.type === "opaque" ? "" : `${answer.status} ${new TextDecoder().decode(chunk.value)}`;
        })
        .catch(() => ""),
      late(""),
    ]);
    controller.abort();
  }

  // An element that loads something tells that it did by `load`, and by its size.
  async function shown(name, tag, attribute, place, more = {}) {
    const element = Object.assign(document.createElement(tag), more);
    const loaded = new Promise((resolve) => {
      element.onload = element.onloadeddata = () => resolve("loaded");
      element.onerror = () => resolve("");
    });
    element[attribute] = target + place;
    document.body.append(element);
    found[name] = await Promise.race([loaded, late("")]);
    if (tag === "iframe" || tag === "object") {
      let inside = null; // a refusal "loads" too: what counts is what can be read of it
      try { inside = element.contentDocument; } catch { /* of another origin */ }
      found[name] = inside && inside.body ? inside.body.innerText : "";
    }
    element.remove();
  }

  async function opened(name, make, channel) {
    const stream = make();
    found[name] = await Promise.race([
      new Promise((resolve) => {
        stream.onopen = () => resolve("open");
        stream.onmessage = (event) => resolve(event.data);
        stream.onerror = () => resolve("");
      }),
      late(""),
    ]);
    stream.close();
  }

  const asForm = (fields) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      form.append(name, name === "files" ? new File([value], "planted.pdf") : value);
    }
    return form;
  };
  await Promise.all([
    ...places.flatMap((place) => [
      fetched(`cors ${place}`, place, {}),
      fetched(`no-cors ${place}`, place, { mode: "no-cors" }),
      fetched(`preflight ${place}`, place, { headers: { "x-asked": "yes" } }),
    ]),
    ...forms.flatMap(([place, fields, json]) => [
      fetched(`post ${place}`, place, { method: "POST", mode: "no-cors", body: asForm(fields) }),
      fetched(`post to read ${place}`, place, { method: "POST", body: asForm(fields) }),
      fetched(`json ${place}`, place, {
        method: "POST", body: JSON.stringify(json), headers: { "content-type": "application/json" },
      }),
      fetched(`json as text ${place}`, place, { method: "POST", mode: "no-cors", body: JSON.stringify(json) }),
    ]),
    ...places.flatMap((place) => [
      shown(`img ${place}`, "img", "src", place),
      shown(`img with cors ${place}`, "img", "src", place, { crossOrigin: "use-credentials" }),
      shown(`script ${place}`, "script", "src", place),
      shown(`style ${place}`, "link", "href", place, { rel: "stylesheet" }),
      shown(`iframe ${place}`, "iframe", "src", place),
      shown(`object ${place}`, "object", "data", place),
      shown(`video ${place}`, "video", "src", place),
    ]),
    opened("event source", () => new EventSource(`${target}${places[0]}`, { withCredentials: true })),
    opened("web socket", () => new WebSocket(`${target.replace("https", "wss")}gradio_api/queue/join`)),
  ]);
  found.beacon = navigator.sendBeacon(`${target}logout`, new FormData()) ? "" : "not sent";
  await new Promise((resolve) => setTimeout(resolve, 300));
  return found;
}
