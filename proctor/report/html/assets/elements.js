/* Elements. Whatever comes from data becomes a text node or an attribute's value, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An element. Attributes whose value is null or false are left out; functions under "on…" are listeners.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function el(name, attributes, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/** An SVG element; as `el`.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

/** @template {Element} Kind @param {Kind} element @param {Attributes | undefined} attributes @param {Child[]} children */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

/** What is there of children in lists of any depth. @param {Child} children @returns {(Node | string)[]} */
export function nodes(children) {
  if (children === null || children === undefined || children === false) return [];
  if (Array.isArray(children)) return children.flatMap(nodes);
  return [children instanceof Node ? children : String(children)];
}

/** Words for a screen reader alone. @param {string} text */
export function unseen(text) { return el("span", { class: "unseen" }, text); }

/** An element that the page has. @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element has the id ${id}`);
  return found;
}

/** Say something to a screen reader. @param {string} text */
export function announce(text) {
  byId("announcement").textContent = text;
}
