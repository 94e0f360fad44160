/* Dark and light. */

const CHOICE = "proctor-theme";

/** The other of dark and light than what is shown; remembered where the browser allows it. */
export function switchTheme() {
  const { theme } = document.documentElement.dataset;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
  remember(CHOICE, dark ? "light" : "dark");
}

/** @param {string | null} theme */
function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}

/** Show what the reader chose before. */
export function rememberedTheme() { setTheme(remembered(CHOICE)); }

/** What was remembered; a page from disk may have no storage. @param {string} name */
export function remembered(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* it holds until the page is left */ }
}
