/* The pytest command of a case. */

import { announce, el } from "./elements.js";
import { run } from "./run.js";
import { plain } from "./text.js";

/** The options of a run's command that decide what a case is asked, and how it is scored. */
const KEPT_OPTIONS = /^--(responses|dataset|prompts-dir|cassettes-dir|media-dir|parser|temperature|max-tokens|model-param|epochs|revision)$/;

/** A text as a shell takes it for one word. @param {string} text */
function quotedForShell(text) { return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`; }

/** The words of a command, each as it is written, quotes and all. @param {string} command */
function wordsOf(command) { return [...command.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) || []]; }

/** What runs a case alone; null where the run does not say where its test is. @param {Case} one */
export function commandOf(one) {
  if (!one.set.test) return null;
  const epoch = run.epoch(one);
  const id = `${one.set.model}-${run.sampleId(one)}${epoch > 1 ? `-epoch${epoch}` : ""}`;
  /** @type {string[]} */
  const kept = [];
  const given = wordsOf(run.report.run.command || "");
  given.forEach((word, place) => {
    const [name] = word.split("=");
    if (KEPT_OPTIONS.test(name)) kept.push(...(word.includes("=") ? [word] : given.slice(place, place + 2)));
  });
  const asked = one.set.report.responses ? [] : ["--model", quotedForShell(one.set.model)];
  return ["pytest", quotedForShell(`${one.set.test}[${id}]`), ...asked, ...kept].join(" ");
}

/** The command of a case, and a button that copies it. @param {Case} one */
export function commandLine(one) {
  const command = commandOf(one);
  if (!command) return null;
  const text = el("code", {}, plain(command));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
    } catch { // where a page from disk may not: the older way
      getSelection()?.selectAllChildren(text);
      document.execCommand("copy");
    }
    announce("Copied");
  };
  return el("p", { class: "command" }, el("button", { type: "button", class: "copy", onclick: copy }, "Copy"), " ", text);
}
