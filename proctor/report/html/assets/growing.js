/* Long lists, of which some entries are drawn at a time. */

import { el } from "./elements.js";
import { count } from "./numbers.js";

const AT_ONCE = 5;

/** A list that grows when its button is pressed; then the focus goes to the first entry that is new.
 * @template Item
 * @param {Item[]} items
 * @param {number} total How many there are, if not all of them are at hand.
 * @param {(item: Item) => Promise<HTMLElement>} draw
 */
export function growingList(items, total, draw) {
  const box = el("div");
  const more = el("button", { type: "button", hidden: true, onclick: async () => {
    const [first] = await grow();
    first.tabIndex = -1;
    first.focus();
  } });
  let drawn = 0;
  const grow = async () => {
    const next = items.slice(drawn, drawn + AT_ONCE);
    drawn += next.length;
    more.hidden = drawn >= items.length;
    more.textContent = `Show ${Math.min(AT_ONCE, items.length - drawn)} more of ${count(total)}`;
    const entries = await Promise.all(next.map(draw));
    box.append(...entries);
    return entries;
  };
  const left = total > items.length ? el("p", { class: "quiet" }, `${count(total - items.length)} more are in results.jsonl.`) : null;
  return { parts: [box, more, left], grow };
}

/** A part that opens: its list is drawn when it is opened first.
 * @template Item
 * @param {Attributes} attributes
 * @param {Child} summary
 * @param {{parts: Child[], grow: () => Promise<Item>}} list
 * @returns {{part: HTMLDetailsElement, drawn: Promise<Item> | null}} Where it is open from the start: when it is drawn.
 */
export function openingList(attributes, summary, list) {
  const part = el("details", attributes, el("summary", {}, summary), list.parts);
  let begun = false;
  const begin = () => {
    if (!part.open || begun) return null;
    begun = true;
    return list.grow();
  };
  part.addEventListener("toggle", begin);
  return { part, drawn: begin() };
}
