/* What all pages have in common: the header, and the start. */

import { byId, el } from "./elements.js";
import { rememberedTheme, switchTheme } from "./theme.js";

/** @type {Record<Family, string>} */
export const FAMILIES = {
  strict: "Strict: every selected case counts, and every failure has the worst value.",
  official: "Official: the published grader’s formula, with its quirks.",
};
export const FAMILY_NAMES = /** @type {Family[]} */ (Object.keys(FAMILIES));

/** The choice between the families of scores. @param {Family} chosen @param {(family: Family) => void} onChoice */
export function familyChoice(chosen, onChoice) {
  return el("fieldset", {}, el("legend", { class: "unseen" }, "Scores"), FAMILY_NAMES.map((family) => el("label", {},
    el("input", { type: "radio", name: "family", value: family, checked: family === chosen, onchange: () => onChoice(family) }), " ", family)));
}

/** Fill the header. @param {string} title @param {Child} facts What stands below it. @param {(Element | null)[]} controls */
export function drawHeader(title, facts, controls) {
  byId("header").replaceChildren(el("div", { class: "title" }, el("h1", {}, title), el("p", { class: "quiet", id: "facts" }, facts)),
    ...controls.filter((one) => one !== null), el("button", { type: "button", id: "theme", onclick: switchTheme }, "Theme"));
}

/** Begin a page: `draw` it, and then say that it is ready, or what this browser lacks.
 * @param {string} instead Where the figures are else.
 * @param {() => Promise<void> | void} draw
 */
export async function startPage(instead, draw) {
  rememberedTheme();
  const main = byId("main");
  if (typeof DecompressionStream === "undefined" || !Map.groupBy) {
    main.replaceChildren(el("p", {}, `This page needs a browser from 2024 or later. ${instead}`));
    return;
  }
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the part of the address behind "#" may name a page here
    main.focus();
  });
  let waiting = 0;
  const soon = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(reachScrolling);
  };
  new MutationObserver(soon).observe(main, { childList: true, subtree: true });
  document.addEventListener("toggle", soon, true);
  addEventListener("resize", soon);
  await draw();
  document.documentElement.dataset.ready = "true";
}

/** Let the keyboard reach every block that scrolls and holds nothing that it reaches anyway: not all browsers do. */
function reachScrolling() {
  for (const block of document.querySelectorAll("main .text, main .scroll, main .tree")) {
    if (!(block instanceof HTMLElement)) continue;
    const scrolls = block.scrollHeight > block.clientHeight + 1 || block.scrollWidth > block.clientWidth + 1;
    const clips = getComputedStyle(block).overflowY !== "visible";
    if (scrolls && clips && !block.querySelector("a[href], button, summary, input")) block.tabIndex = 0;
  }
}

/** A link to a section of the page, for the header: the focus goes there, too. @param {string} id @param {string} text */
export function sectionLink(id, text) {
  return el("a", { href: `#${id}`, onclick: (/** @type {Event} */ event) => {
    event.preventDefault();
    const head = byId(id);
    head.tabIndex = -1;
    head.scrollIntoView();
    head.focus({ preventScroll: true });
  } }, text);
}
