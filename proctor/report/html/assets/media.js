/* Pictures, clips and sounds in prompts and answers. */

import { el } from "./elements.js";
import { count, isNumber, seconds } from "./numbers.js";
import { run } from "./run.js";
import { cut, plain, shown } from "./text.js";
import { textBlock } from "./text_blocks.js";

const KINDS_OF_MEDIA = { image: "Picture", video: "Clip", audio: "Sound" };

/** The texts and media of a prompt. @param {Prompt} prompt @returns {Piece[]} */
export function piecesOf(prompt) { return Array.isArray(prompt) ? prompt : [prompt]; }

/** A prompt: one text, or texts and media in their order. @param {Prompt} prompt */
export function promptBlocks(prompt) {
  return piecesOf(prompt).map((piece) => typeof piece === "string" ? textBlock(piece) : mediumFigure(piece));
}

/** What a prompt consists of, in words. @param {Prompt} prompt */
export function promptSize(prompt) {
  const pieces = piecesOf(prompt);
  const characters = pieces.filter((piece) => typeof piece === "string").reduce((sum, text) => sum + [...text].length, 0);
  const media = Object.entries(KINDS_OF_MEDIA).map(([kind, name]) => {
    const size = pieces.filter((piece) => typeof piece !== "string" && piece.kind === kind).length;
    return size ? `, ${count(size)} ${name.toLowerCase()}${size === 1 ? "" : "s"}` : "";
  });
  return `${count(characters)} characters${media.join("")}`;
}

/** What the page has of a medium, with its file's name and the start of its hash. Its record is unpacked meanwhile. @param {Medium} medium */
export function mediumFigure({ kind, name, sha256, number, note }) {
  const told = KINDS_OF_MEDIA[kind];
  const caption = el("figcaption", {}, `${told} `, el("bdi", {}, shown(cut(name, 80))), " ",
    sha256 ? el("span", { class: "hash", title: `SHA-256 ${plain(sha256)}` }, plain(sha256.slice(0, 12))) : null);
  const figure = el("figure", { class: "medium", "data-kind": kind }, caption);
  const say = (/** @type {string} */ text) => caption.append(" ", el("span", { class: "quiet" }, plain(text)));
  if (note) say(note);
  else fillMedium(figure, say, number, `${told} ${plain(name, 80)}`);
  return figure;
}

/** @param {HTMLElement} figure @param {(text: string) => void} say @param {number | undefined} number @param {string} label */
async function fillMedium(figure, say, number, label) {
  const { pictures = [], sound, seconds: length, note } = (await run.media.get(number)) || {};
  const which = (/** @type {number} */ place) => pictures.length > 1 ? `${label}, frame ${place + 1} of ${pictures.length}` : label;
  figure.prepend(...pictures.map((src, place) => el("img", { src, alt: which(place) })),
    ...(sound ? [el("audio", { src: sound, controls: true, preload: "metadata", "aria-label": label })] : []));
  if (isNumber(length)) say(seconds(length));
  if (note) say(note);
  figure.dataset.filled = "true";
}
