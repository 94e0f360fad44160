/* What is shown while the page of a large run is being made: it comes by itself. */

import { byId, el } from "./elements.js";
import { drawHeader, startPage } from "./page.js";

const AGAIN = 1000; // milliseconds between two looks

startPage("", () => {
  drawHeader("Proctor report", "", [el("nav", { "aria-label": "Pages" }, el("a", { href: "../" }, "All runs"))]);
  byId("main").replaceChildren(el("p", { role: "status" }, "The page of this run is being made, with all its texts. "
    + "A run of 100,000 cases takes half a minute, the first time. It comes by itself."));
  setTimeout(() => location.reload(), AGAIN);
});
