/* What is another in two texts, word by word. */

const MOST_CELLS = 4_000_000; // of the table that a comparison takes: half a second at most

/** Words, blanks and single other characters, whose sum is the text. */
function diffWords(text) { return text.match(/\s+|[\p{L}\p{N}_]+|./gsu) || []; }

/**
 * Two texts in parts: `[kept, text]`, where what is kept stands in both.
 *
 * @param {string} before One text.
 * @param {string} after The other one.
 * @returns {[boolean, string][][]} The parts of the one, and those of the other.
 */
function diffParts(before, after) {
  for (const split of [diffWords, (text) => text.match(/[^\n]*\n|[^\n]+/g) || []]) {
    const found = diffOf(split(before), split(after));
    if (found) return found;
  }
  return [[[false, before]], [[false, after]]]; // two texts with nothing to tell where they are alike
}

function diffOf(one, other) {
  let from = 0, end = 0;
  while (from < one.length && from < other.length && one[from] === other[from]) from += 1;
  while (end < one.length - from && end < other.length - from && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const a = one.slice(from, one.length - end), b = other.slice(from, other.length - end);
  if (a.length * b.length > MOST_CELLS) return null;
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width); // longest common subsequence of what follows
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const parts = [[], []];
  const add = (side, kept, text) => {
    const last = parts[side].at(-1);
    if (last && last[0] === kept) last[1] += text;
    else if (text) parts[side].push([kept, text]);
  };
  const both = (texts) => [0, 1].forEach((side) => add(side, true, texts.join("")));
  both(one.slice(0, from));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      both([a[i]]);
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) add(0, false, a[i++]);
    else add(1, false, b[j++]);
  }
  both(one.slice(one.length - end));
  return parts;
}

/** A text in which what the other one does not have is marked. */
function diffBlock(parts, tag) {
  return el("div", { class: "text", dir: "auto", translate: "no", tabindex: 0 }, parts.map(([kept, text]) => (kept ? shown(text) : el(tag, {}, shown(text)))));
}

/** Two texts side by side with what is another marked; each may be null. */
function sideBySide(before, after, labels) {
  const told = [before, after].map((text) => (typeof text === "string" ? text : null));
  const parts = told.every((text) => text !== null) ? diffParts(...told) : told.map((text) => (text === null ? null : [[true, text]]));
  return el("div", { class: "sides" }, parts.map((of, side) => el("div", { class: "side" }, labels ? el("h5", {}, labels[side]) : null,
    of === null ? el("p", { class: "quiet" }, "none") : told[side] === "" ? el("p", { class: "quiet" }, "An empty text.") : diffBlock(of, side ? "ins" : "del"))));
}

/** What a side made of a sample in one epoch, without the text. */
function answerLine(answer, scale) {
  if (!answer) return el("p", { class: "quiet" }, "No row.");
  const read = answer.prediction === null || answer.prediction === undefined ? NONE
    : typeof answer.prediction === "string" ? answer.prediction : JSON.stringify(answer.prediction);
  const [worst, best] = scale, sign = worst > best ? -1 : 1;
  const verdict = !isNumber(answer.score) ? "not measured" : sign * answer.score >= sign * best ? "correct"
    : answer.status === "scored" && sign * answer.score > sign * worst ? "partial" : "incorrect";
  return el("p", {}, el("span", { class: `verdict ${verdict.replace(" ", "-")}` }, verdict), answer.status === "scored" ? "" : ` (${words(answer.status)})`,
    ` ${score(answer.score)}, read as `, el("bdi", {}, shown(cut(read, 200))), answer.error ? el("span", { class: "quiet" }, ` ${plain(answer.error, 300)}`) : null);
}

/** The answers of two sides to a sample, epoch by epoch. */
function answersBeside(before, after, labels, scale) {
  const epochs = [...new Set([...before, ...after].map((answer) => answer.epoch))].toSorted((a, b) => a - b);
  return epochs.map((epoch) => {
    const [a, b] = [before, after].map((answers) => answers.find((answer) => answer.epoch === epoch));
    return el("div", { class: "pair" }, epochs.length > 1 ? el("h5", {}, `Epoch ${epoch}`) : null,
      el("div", { class: "sides" }, [a, b].map((answer, side) => el("div", { class: "side" }, el("h5", {}, labels[side]), answerLine(answer, scale)))),
      sideBySide(a?.response_text, b?.response_text));
  });
}
