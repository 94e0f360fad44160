/* Text and elements. Whatever comes from data becomes a text node or an attribute's value, never markup. */

const SVG = "http://www.w3.org/2000/svg";
// Characters that would be invisible, or change how those around them are shown. U+200C and U+200D join real scripts.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** An element. Attributes whose value is null or false are left out; functions under "on…" are listeners. */
function el(name, attributes, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/** An SVG element; as `el`. */
function svg(name, attributes, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** What stands for a character that would not be seen: a picture of a control character, or its number. */
function picture(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

/** The first characters of a text that is longer than *most* units, without half a surrogate pair at its end. */
function cut(text, most) {
  return text.length > most ? text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "") + "…" : text;
}

/** Text for places that hold no elements, such as SVG labels: hidden characters made visible, cut to a length. */
function plain(text, most = Infinity) {
  return cut(String(text), most).replace(HIDDEN, picture);
}

/** Text as nodes, hidden characters marked as what they are. */
function shown(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found[0] === "\r" && text[found.index + 1] === "\n") continue;
    nodes.push(text.slice(from, found.index));
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(el("span", { class: "hidden-character", title: `the character U+${code}` }, picture(found[0])));
    from = found.index + found[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

const FIRST_SHOWN = 4000;

/**
 * A block of text from outside, cut at first if it is long.
 *
 * @param {string} text The text.
 * @param {number[][]} spans Start and end, in UTF-16 units, of the parts to mark.
 * @param {string} label What a screen reader calls the marked parts.
 */
function textBlock(text, spans = [], label = "read as the answer") {
  const block = el("div", { class: "text", dir: "auto", translate: "no" });
  const draw = (end) => {
    const nodes = [];
    let from = 0;
    for (const [start, stop] of spans.filter((span) => span[0] < end)) {
      nodes.push(shown(text.slice(from, start)));
      nodes.push(el("mark", { title: label }, shown(text.slice(start, Math.min(stop, end)))));
      from = Math.min(stop, end);
    }
    nodes.push(shown(text.slice(from, end)));
    block.replaceChildren(...nodes.flat(Infinity));
  };
  // Not between the halves of a surrogate pair.
  draw(/[\ud800-\udbff]/.test(text[FIRST_SHOWN - 1]) ? FIRST_SHOWN - 1 : FIRST_SHOWN);
  if (text.length <= FIRST_SHOWN) return block;
  const further = spans.length && spans[0][0] >= FIRST_SHOWN
    ? el("p", { class: "further" }, `Further down, ${label}: `, el("mark", {}, shown(cut(text.slice(...spans[0]), 300)))) : null;
  const more = el("button", { type: "button", class: "show-all", onclick: () => {
    draw(text.length);
    more.remove();
    block.tabIndex = 0;
    block.focus({ preventScroll: true });
  } }, `Show all ${count(text.length)} characters`);
  return el("div", {}, further, block, more);
}

/** Scroll blocks of text to the first part that is marked in them. */
function scrollToMarks(within) {
  for (const block of within.querySelectorAll(".text:has(mark)")) {
    block.scrollTop = block.querySelector("mark").getBoundingClientRect().top - block.getBoundingClientRect().top - 40;
  }
}

/** Spans in code points, as Python counts them, in UTF-16 units, as this language does. */
function inUnits(text, spans) {
  if (!/[\ud800-\udfff]/.test(text)) return spans;
  const wanted = new Set(spans.flat());
  const units = new Map();
  let point = 0;
  let unit = 0;
  for (const character of text) {
    if (wanted.has(point)) units.set(point, unit);
    point += 1;
    unit += character.length;
  }
  units.set(point, unit);
  return spans.map((span) => span.map((place) => units.get(place) ?? unit));
}

/** JSON as a tree that opens and closes. */
function tree(value, name = null, open = true) {
  const label = name === null ? [] : [el("span", { class: "key" }, shown(String(name))), ": "];
  if (value === null || typeof value !== "object") {
    const whole = typeof value === "string" ? value : JSON.stringify(value);
    return typeof value === "string" && (value.length > 80 || value.includes("\n"))
      ? el("div", { class: "leaf" }, label, textBlock(whole))
      : el("div", { class: "leaf" }, label, el("bdi", {}, shown(whole)));
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `${entries.length} ${entries.length === 1 ? "entry" : "entries"}` : entries.map(([key]) => plain(key)).slice(0, 6).join(", ");
  const node = el("details", { class: "tree", open: open && entries.length <= 20 },
    el("summary", {}, label, el("span", { class: "quiet" }, plain(size, 80) || "empty")));
  const fill = () => { if (node.childElementCount === 1) node.append(...entries.map(([k, v]) => tree(v, k, false))); };
  if (node.open) fill();
  node.addEventListener("toggle", fill); // parts that are not looked at cost nothing
  return node;
}

/** Say something to a screen reader. */
function announce(text) {
  document.getElementById("announcement").textContent = text;
}
