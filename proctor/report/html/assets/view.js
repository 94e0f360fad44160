/* What the page shows now. */

/** @type {FilterName[]} */
export const FILTER_NAMES = ["task", "model", "status", "verdict", "tag", "agreement", "q", "sort", "page"];

/** Filters as an address names them. @param {string} query @returns {Filters} */
export function filtersOf(query) {
  const given = new URLSearchParams(query);
  return /** @type {Filters} */ (Object.fromEntries(FILTER_NAMES.map((name) => [name, given.get(name) || ""])));
}

/** The family of scores, the filters of the list and what passed them, the case, and what to do on arrival.
 * @type {View}
 */
export const view = {
  family: "strict", filters: filtersOf(""), found: null, shownCase: null, route: null, search: null, verdicts: null, backTo: null, focusSearch: false,
};
