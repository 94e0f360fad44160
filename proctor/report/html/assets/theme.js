"use strict";
/* Dark and light. */

/** The other of dark and light than what is shown; remembered where the browser allows it. */
function switchTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
  try { localStorage.setItem("proctor-theme", dark ? "light" : "dark"); } catch { /* a page from disk may have no storage */ }
}

function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}

/** Show what the reader chose before. */
function rememberedTheme() {
  try {
    setTheme(localStorage.getItem("proctor-theme"));
  } catch { /* a page from disk may have no storage */ }
}
