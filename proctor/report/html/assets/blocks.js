/* Blocks of compressed JSON in the page; see blocks.py. */

/** What a block holds that a server sends when it is asked for. @param {string} source */
async function fetched(source) {
  const response = await fetch(source);
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

/** The JSON in an embedded block. @param {HTMLElement} element @returns {Promise<any>} */
async function unpacked(element) {
  const { src } = element.dataset;
  const binary = atob(src ? await fetched(src) : element.textContent || "");
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** The blocks of one kind. @param {string} kind @returns {HTMLElement[]} */
function blocksOf(kind) { return [...document.querySelectorAll(`script[data-block="${kind}"]`)].filter((one) => one instanceof HTMLElement); }

/** The data that a page is drawn from. */
export function pageData() { return unpacked(blocksOf("run")[0]); }

/** Records of one kind, in blocks that are unpacked when one of them is needed.
 * @template Kind
 */
export class Records {
  /** @param {string} kind @param {number[]} starts The number of each block's first record. */
  constructor(kind, starts) {
    this.starts = starts;
    this.elements = blocksOf(kind);
    /** @type {Promise<Kind[]>[]} */
    this.blocks = [];
  }

  /** @param {number} number */
  block(number) {
    this.blocks[number] ??= unpacked(this.elements[number]);
    return this.blocks[number];
  }

  /** The record of a number; null if there is none.
   * @param {number | null | undefined} number
   * @returns {Promise<Kind | null>}
   */
  async get(number) {
    if (number === null || number === undefined) return null;
    let block = 0;
    while (block + 1 < this.starts.length && this.starts[block + 1] <= number) block += 1;
    return (await this.block(block))[number - this.starts[block]];
  }
}
