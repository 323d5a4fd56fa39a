// The reader of a rendered page. It runs in a world of its own, where the scripts of the page cannot reach it, and takes
// the getters of the DOM from their prototypes: a form with a field named "childNodes" has no say here.
// All lengths are CSS pixels; all places are from the top left of the document.
globalThis.vouch = (() => {
  "use strict";
  const MAX_NODES = 400000, MAX_WORDS = 300000, MAX_SPAN = 100, MAX_CELLS = 100000, MAX_WORD = 500;
  const TINY = 4, FAINT = 0.1, SMALL_PICTURE = 24;
  const SKIPPED = new Set(["script", "style", "template", "head", "title", "iframe", "frame", "object", "embed", "audio",
    "select", "option", "datalist", "textarea", "meter", "progress"]);
  const PICTURES = new Set(["img", "svg", "canvas", "video"]);
  const OUTSIDE = new Set(["iframe", "frame", "object", "embed"]);
  const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;
  const get = (proto, name) => {
    const own = Object.getOwnPropertyDescriptor(proto, name).get;
    return (node) => own.call(node);
  };
  const type = get(Node.prototype, "nodeType"), first = get(Node.prototype, "firstChild");
  const next = get(Node.prototype, "nextSibling"), text = get(Node.prototype, "textContent");
  const parent = get(Node.prototype, "parentNode"), name = get(Element.prototype, "localName");
  const shadow = get(Element.prototype, "shadowRoot"), inline = get(HTMLElement.prototype, "style");
  const high = get(Element.prototype, "scrollHeight"), wide = get(Element.prototype, "scrollWidth");
  const clientHigh = get(Element.prototype, "clientHeight"), clientWide = get(Element.prototype, "clientWidth");
  const rows = get(HTMLTableElement.prototype, "rows"), cells = get(HTMLTableRowElement.prototype, "cells");
  const root = get(Document.prototype, "documentElement")(document);
  const body = get(Document.prototype, "body")(document);
  const attribute = (element, key) => Element.prototype.getAttribute.call(element, key) || "";
  const all = (node, selector) => Element.prototype.querySelectorAll.call(node, selector);
  const bounds = (element) => Element.prototype.getBoundingClientRect.call(element);
  const set = (element, key, value) => {
    if (element instanceof HTMLElement) inline(element).setProperty(key, value, "important");
  };
  const box = (rect) => [rect.left + scrollX, rect.top + scrollY, rect.right + scrollX, rect.bottom + scrollY];
  const saying = (word) => /[\p{L}\p{N}]/u.test(word);
  const count = (words) => (words.match(/\S+/g) || []).filter(saying).length;

  // ---- making the page stand still ---------------------------------------------------------------------------------

  function standStill(element) {
    const style = getComputedStyle(element), tag = name(element);
    if (OUTSIDE.has(tag)) set(element, "visibility", "hidden");
    if (tag === "details") Element.prototype.setAttribute.call(element, "open", "");
    if (tag === "img") Element.prototype.setAttribute.call(element, "loading", "eager");
    if (style.contentVisibility === "auto") set(element, "content-visibility", "visible");
    if (style.backgroundAttachment !== "scroll") set(element, "background-attachment", "scroll");
    if (style.position === "fixed") {
      const low = bounds(element).top > innerHeight / 2;
      set(element, "position", low ? "static" : "absolute");
    } else if (style.position === "sticky") {
      set(element, "position", "relative");
      set(element, "inset", "auto");
    }
    if (tag === "pre" && wide(element) > clientWide(element) + 1) {
      set(element, "white-space", "pre-wrap");
      set(element, "overflow-wrap", "anywhere");
    }
    const scrolls = /auto|scroll/.test(style.overflowY) && high(element) > clientHigh(element) + 8;
    if (scrolls && clientHigh(element) * clientWide(element) >= (innerHeight * innerWidth) / 2) {
      for (let at = element; at instanceof HTMLElement; at = parent(at)) {
        for (const [key, value] of [["height", "auto"], ["max-height", "none"], ["overflow", "visible"]]) set(at, key, value);
      }
    }
  }

  function prepare() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { transition: none !important; caret-color: transparent !important; " +
      "scroll-behavior: auto !important; pointer-events: auto !important; }");
    document.adoptedStyleSheets = [sheet];
    for (const running of Document.prototype.getAnimations.call(document)) {
      try { running.finish(); } catch { running.cancel(); }
    }
    let left = MAX_NODES, outside = 0;
    for (const element of all(root, "*")) {
      if (left-- <= 0) break;
      if (OUTSIDE.has(name(element))) outside += 1;
      standStill(element);
    }
    for (const element of [root, body]) if (element) set(element, "overflow", "visible");
    return { outside, ...size() };
  }

  function size() {
    return { width: wide(root), height: high(root) };
  }

  function scrolled(top) {
    scrollTo(0, top);
    return scrollY;
  }

  function pending() {
    return [...all(root, "img")].filter((image) => !image.complete).length;
  }

  // ---- reading it --------------------------------------------------------------------------------------------------

  let blocks, links, nodesOf, hidden, missing, left, figures, paragraph, space;

  function walk() {
    [blocks, links, nodesOf, hidden, missing, left, figures] = [[], [], [], 0, 0, MAX_NODES, 0];
    [paragraph, space] = [null, ""];
    const top = { kind: "text", level: 0, code: false, figure: -1, cell: null, link: -1, faint: 1, clip: null, clipped: null,
      data: null, struck: false };
    const stack = [[body || root, top, false]];
    while (stack.length && left-- > 0 && nodesOf.length < MAX_WORDS) {
      const [node, context, leaving] = stack.pop();
      if (leaving) leave(context);
      else if (type(node) === Node.TEXT_NODE) words(node, context);
      else if (type(node) === Node.ELEMENT_NODE) {
        const inner = enter(node, context);
        if (inner) {
          stack.push([node, inner, true]);
          for (const child of children(node).reverse()) stack.push([child, inner, false]);
        }
      }
    }
    flush();
    return { blocks, links, hidden, missing, cut: stack.length > 0, ...size(), ...about() };
  }

  function children(node) {
    if (node instanceof HTMLSlotElement && node.assignedNodes().length) return [...node.assignedNodes()];
    const found = [];
    for (let child = first(shadow(node) || node); child && found.length <= left; child = next(child)) found.push(child);
    return found;
  }

  function enter(element, outer) {
    const tag = name(element), style = getComputedStyle(element);
    if (SKIPPED.has(tag)) return null;
    if (style.display === "none") {
      if (tag !== "noscript") hidden += count(text(element).slice(0, 100000));
      return null;
    }
    if (tag === "br") return lineBreak(outer);
    const context = { ...outer, block: !/^(inline|contents|ruby)/.test(style.display), tag };
    context.faint = outer.faint * Number(style.opacity || 1);
    context.struck ||= style.textDecorationLine.includes("line-through");
    clip(element, style, context, outer);
    if (PICTURES.has(tag)) return picture(element, tag, context);
    if (/^inline-/.test(style.display)) space ||= " ";
    if (context.block) flush(context);
    described(element, tag, context);
    return context;
  }

  // Sets the kind of what stands in an element, by its tag and role.
  function described(element, tag, context) {
    const role = attribute(element, "role");
    if (/^h[1-6]$/.test(tag) || role === "heading") {
      context.kind = "heading";
      const level = Number(tag[1]) || Number(attribute(element, "aria-level")) || 2;
      context.level = Math.min(6, Math.max(1, Math.trunc(level)));
    } else if (tag === "nav" || role === "navigation") context.kind = "header";
    else if (tag === "li" && context.kind === "text") context.kind = "list";
    else if (tag === "pre") context.code = true;
    else if (tag === "figure") context.figure = ++figures;
    else if (tag === "figcaption") context.kind = "caption";
    else if (tag === "a" && attribute(element, "href")) {
      context.link = links.push(attribute(element, "href").slice(0, 2000)) - 1;
    } else if (tag === "table" && !context.cell && element instanceof HTMLTableElement && holdsData(element)) {
      context.data = grid(element);
      context.figure = ++figures;
    } else if (context.data && tag === "caption") context.kind = "caption";
    else if (context.data && !context.cell && context.data.places.has(element)) {
      context.cell = { ...context.data.places.get(element), words: [], box: box(bounds(element)) };
      context.begun = true;
      [paragraph, space] = [context.cell, ""];
    }
  }

  function leave(context) {
    if (context.tag === "table" && context.data && !context.cell) {
      const told = context.data.told.filter((cell) => cell.words.length);
      if (told.length) blocks.push({ kind: "table", level: 0, code: false, figure: context.figure, words: [], cells: told });
    } else if (context.begun && /^t[dh]$/.test(context.tag)) {
      context.data.told.push(context.cell);
      [paragraph, space] = [null, ""];
    } else if (context.block) flush(context);
  }

  function flush(context) {
    space = context && context.cell ? space || " " : "";
    if (context && context.cell) return;
    if (paragraph && paragraph.words.length) blocks.push(paragraph);
    paragraph = null;
  }

  function lineBreak(context) {
    if (context.code) space += "\n";
    else if (space.includes("\n") && !context.cell) flush();
    else space = "\n";
    return null;
  }

  // What hides the overflow of an element hides what is in it; what is placed absolutely is held by placed ones alone.
  function clip(element, style, context, outer) {
    if (style.position === "absolute") context.clip = outer.clipped;
    const placed = style.position !== "static" || style.transform !== "none";
    const cuts = context.block && style.overflow !== "visible" && element !== body && element !== root;
    const old = /^rect/.test(style.clip) && style.position === "absolute";
    if (cuts || old || style.clipPath === "inset(100%)" || style.clipPath === "inset(50%)") {
      const own = cuts ? box(bounds(element)) : [0, 0, 0, 0], all = context.clip || [-1e7, -1e7, 1e7, 1e7];
      context.clip = [Math.max(own[0], all[0]), Math.max(own[1], all[1]), Math.min(own[2], all[2]), Math.min(own[3], all[3])];
    }
    if (placed) context.clipped = context.clip;
  }

  function picture(element, tag, context) {
    if (tag === "img" && element instanceof HTMLImageElement && !element.naturalWidth) {
      if (attribute(element, "src") || attribute(element, "srcset")) missing += 1;
      return null;
    }
    const place = box(bounds(element));
    const large = place[2] - place[0] >= SMALL_PICTURE && place[3] - place[1] >= SMALL_PICTURE;
    if (large && context.faint >= FAINT && shown(element) && within(place, context.clip)) {
      const kind = { kind: "picture", level: 0, code: false, figure: context.figure, words: [], cells: [] };
      blocks.push({ ...kind, box: place, node: nodesOf.push(element) - 1 });
    }
    space ||= " ";
    return null;
  }

  const shown = (element) => Element.prototype.checkVisibility.call(element, {
    opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });

  function within(place, limits) {
    const x = (place[0] + place[2]) / 2, y = (place[1] + place[3]) / 2, [x0, y0, x1, y1] = limits || [0, 0, 1e7, 1e7];
    return x >= Math.max(0, x0) && y >= Math.max(0, y0) && x <= Math.min(wide(root), x1) && y <= y1;
  }

  function words(node, context) {
    const said = node.data, over = parent(node) instanceof ShadowRoot ? parent(node).host : parent(node);
    const found = said.matchAll(/\S+/g), range = document.createRange();
    const style = getComputedStyle(over), dim = faded(style) || context.faint < FAINT || !shown(over);
    const above = style.verticalAlign === "super" || Element.prototype.closest.call(over, "sup") !== null;
    const read = [];
    let end = 0;
    for (const match of found) {
      space = join(space, said.slice(end, match.index), context);
      end = match.index + match[0].length;
      if (nodesOf.length >= MAX_WORDS) break;
      for (const [from, to, place] of lines(range, node, match.index, end)) {
        const word = cased(said.slice(from, to).replace(INVISIBLE, "").toWellFormed().slice(0, MAX_WORD), style);
        const tiny = place[3] - place[1] < TINY || place[2] - place[0] <= 0;
        if (!word) continue;
        if (dim || tiny || !within(place, context.clip)) hidden += saying(word) ? 1 : 0;
        else read.push(put(word, place, context, over, above));
        space = "";
      }
    }
    if (context.struck && read.length) {
      read[0][0] = `[struck out: ${read[0][0]}`;
      read[read.length - 1][0] += "]";
    }
    space = join(space, said.slice(end), context);
  }

  function join(before, between, context) {
    if (context.code) return (before + between).slice(-200);
    return before || (between ? " " : "");
  }

  function put(word, place, context, over, above) {
    if (!paragraph) {
      const { kind, level, code, figure } = context;
      paragraph = { kind, level, code, figure, words: [], cells: [] };
    }
    const rounded = place.map((value) => Math.round(value * 100) / 100);
    const told = [word, ...rounded, space, context.link, nodesOf.push(over) - 1, above];
    paragraph.words.push(told);
    return told;
  }

  // Yields the pieces of a word, one for each line that it stands on, with its place.
  function lines(range, node, from, to) {
    const place = (start, end) => {
      range.setStart(node, start);
      range.setEnd(node, end);
      return [...range.getClientRects()].filter((rect) => rect.width > 0 || rect.height > 0);
    };
    const rects = place(from, to);
    if (!rects.length) {
      hidden += saying(node.data.slice(from, to)) ? 1 : 0;
      return [];
    }
    if (rects.length === 1) return [[from, to, box(rects[0])]];
    const pieces = [];
    for (let at = from; at < Math.min(to, from + 20000); ) {
      const after = at + String.fromCodePoint(node.data.codePointAt(at)).length;
      const rect = place(at, Math.min(after, to))[0];
      const own = rect && box(rect), last = pieces[pieces.length - 1];
      if (own && last && own[1] < last[2][3] - 1 && own[3] > last[2][1] + 1) {
        last[1] = after;
        const [x0, y0, x1, y1] = last[2];
        last[2] = [Math.min(x0, own[0]), Math.min(y0, own[1]), Math.max(x1, own[2]), Math.max(y1, own[3])];
      } else if (own) pieces.push([at, after, own]);
      at = after;
    }
    return pieces;
  }

  function faded(style) {
    const alpha = /(?:,|\/)\s*([\d.]+)\)$/.exec(style.webkitTextFillColor);
    const through = /^rgba|\//.test(style.webkitTextFillColor) && alpha && Number(alpha[1]) < FAINT;
    return Boolean(through) && style.webkitTextStrokeWidth === "0px" && !/text/.test(style.webkitBackgroundClip);
  }

  function cased(word, style) {
    if (style.textTransform === "uppercase") return word.toUpperCase();
    return style.textTransform === "lowercase" ? word.toLowerCase() : word;
  }

  // ---- tables ------------------------------------------------------------------------------------------------------

  function holdsData(table) {
    if (/^(presentation|none)$/.test(attribute(table, "role"))) return false;
    if (all(table, "table").length) return false;
    if (all(table, "th, caption, thead").length) return true;
    if (all(table, "h1, h2, h3, h4, h5, h6, pre, form").length) return false;
    const widest = Math.max(0, ...[...rows(table)].slice(0, 200).map((row) => cells(row).length));
    const longest = Math.max(0, ...[...all(table, "td")].slice(0, 500).map((cell) => text(cell).length));
    return rows(table).length >= 2 && widest >= 2 && longest <= 600;
  }

  function grid(table) {
    const places = new Map(), taken = new Set(), height = rows(table).length;
    let spent = 0;
    [...rows(table)].forEach((row, r) => {
      let c = 0;
      for (const cell of cells(row)) {
        while (taken.has(r * 10000 + c)) c += 1;
        const col_span = Math.min(MAX_SPAN, Math.max(1, cell.colSpan));
        const row_span = Math.min(MAX_SPAN, height - r, Math.max(1, cell.rowSpan || height));
        spent += col_span * row_span;
        if (spent > MAX_CELLS || c > 5000) return;
        for (let y = 0; y < row_span; y++) for (let x = 0; x < col_span; x++) taken.add((r + y) * 10000 + c + x);
        const header = name(cell) === "th" || name(parent(row)) === "thead";
        places.set(cell, { row: r, col: c, row_span, col_span, header });
        c += col_span;
      }
    });
    return { places, told: [] };
  }

  // ---- what lies over it -------------------------------------------------------------------------------------------

  const opaque = (element) => {
    if (PICTURES.has(name(element))) return true;
    const style = getComputedStyle(element);
    const alpha = /^rgba.*,\s*([\d.]+)\)$/.exec(style.backgroundColor);
    return Number(style.opacity) > 0.9 && (style.backgroundImage !== "none" || !alpha || Number(alpha[1]) > 0.9);
  };

  // Returns the numbers of the words among `asked` ([number, x, y] in the document) that something opaque lies over.
  function covered(asked) {
    const found = [];
    for (const [number, x, y] of asked) {
      const own = nodesOf[number], tree = own.getRootNode();
      const stack = (tree instanceof ShadowRoot ? tree : document).elementsFromPoint(x - scrollX, y - scrollY);
      for (const over of stack) {
        if (Node.prototype.contains.call(over, own) || Node.prototype.contains.call(own, over)) break;
        if (opaque(over)) {
          found.push(number);
          break;
        }
      }
    }
    return found;
  }

  // ---- what the page says of itself --------------------------------------------------------------------------------

  function about() {
    const said = (selector, key) => {
      const found = all(root, selector)[0];
      return found ? (key ? attribute(found, key) : text(found)).toWellFormed().slice(0, 2000) : "";
    };
    const meta = (...keys) => keys.map((key) => said(`meta[name="${key}" i], meta[property="${key}" i]`, "content")).find(Boolean);
    return {
      title: said("head > title") || "",
      language: attribute(root, "lang").slice(0, 40) || attribute(root, "xml:lang").slice(0, 40),
      url: said('link[rel="canonical" i]', "href") || meta("og:url") || "",
      date: meta("article:published_time", "date", "dc.date", "dcterms.date", "dc.date.issued", "citation_publication_date",
        "last-modified") || said("time[datetime][pubdate]", "datetime") || "",
      author: meta("author", "dc.creator", "dcterms.creator", "citation_author") || "",
    };
  }

  return { prepare, pending, size, scrolled, walk, covered };
})();
