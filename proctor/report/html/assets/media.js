/* Pictures, clips and sounds in prompts and answers. */

const KINDS_OF_MEDIA = { image: "Picture", video: "Clip", audio: "Sound" };

/** A prompt: one text, or texts and media in their order. */
function promptBlocks(prompt) {
  return [prompt].flat().map((piece) => typeof piece === "string" ? textBlock(piece) : mediumFigure(piece));
}

/** What a prompt consists of, in words. */
function promptSize(prompt) {
  const pieces = [prompt].flat();
  const characters = pieces.filter((piece) => typeof piece === "string").reduce((sum, text) => sum + [...text].length, 0);
  const media = Object.entries(KINDS_OF_MEDIA).map(([kind, name]) => [name.toLowerCase(), pieces.filter((piece) => piece.kind === kind).length])
    .filter(([, size]) => size).map(([name, size]) => `, ${count(size)} ${name}${size === 1 ? "" : "s"}`);
  return `${count(characters)} characters${media.join("")}`;
}

/** What the page has of a medium, with its file's name and the start of its hash. Its record is unpacked meanwhile. */
function mediumFigure({ kind, name, sha256, number, note }) {
  const told = KINDS_OF_MEDIA[kind];
  const caption = el("figcaption", {}, `${told} `, el("bdi", {}, shown(cut(name, 80))), " ",
    sha256 ? el("span", { class: "hash", title: `SHA-256 ${plain(sha256)}` }, plain(sha256.slice(0, 12))) : null);
  const figure = el("figure", { class: "medium", "data-kind": kind }, caption);
  const say = (text) => caption.append(" ", el("span", { class: "quiet" }, plain(text)));
  if (note) say(note);
  else fillMedium(figure, say, number, `${told} ${plain(name, 80)}`);
  return figure;
}

async function fillMedium(figure, say, number, label) {
  const { pictures = [], sound, seconds: length, note } = await run.media.get(number);
  const which = (place) => pictures.length > 1 ? `${label}, frame ${place + 1} of ${pictures.length}` : label;
  figure.prepend(...pictures.map((src, place) => el("img", { src, alt: which(place) })),
    ...(sound ? [el("audio", { src: sound, controls: true, preload: "metadata", "aria-label": label })] : []));
  if (isNumber(length)) say(seconds(length));
  if (note) say(note);
  figure.dataset.filled = "true";
}
