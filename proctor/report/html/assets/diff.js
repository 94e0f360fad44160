/* Two texts side by side, line by line. */

const MOST_COMPARED = 250000;

/** The lines of two texts, paired: equal ones beside one another, what is only in one beside nothing or what replaced it. */
function pairedLines(left, right) {
  const [a, b] = [left, right].map((text) => text === "" ? [] : text.replace(/\n$/, "").split("\n"));
  if (a.length * b.length > MOST_COMPARED) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, place) => [a[place] ?? null, b[place] ?? null]);
  }
  // lengths[i][j]: of the longest common subsequence of a from i on and b from j on.
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs = [];
  let [removed, added] = [[], []];
  const flush = () => {
    for (let place = 0; place < Math.max(removed.length, added.length); place += 1) pairs.push([removed[place] ?? null, added[place] ?? null]);
    [removed, added] = [[], []];
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      flush();
      pairs.push([a[i], b[j]]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      removed.push(a[i]);
      i += 1;
    } else {
      added.push(b[j]);
      j += 1;
    }
  }
  flush();
  return pairs;
}

function diffTable(left, right, leftTitle, rightTitle) {
  const cell = (line, other, mark, kind) => {
    if (line === null) return el("td", { class: "absent" });
    if (line === other) return el("td", {}, shown(line));
    return el("td", { class: kind }, el(kind, {}, el("span", { class: "mark" }, `${mark} `), shown(line)));
  };
  return el("div", { class: "scroll" }, el("table", { class: "diff" }, headLine([leftTitle, rightTitle], 2),
    el("tbody", {}, pairedLines(left, right).map(([a, b]) => el("tr", {}, cell(a, b, "\u2212", "del"), cell(b, a, "+", "ins"))))));
}
