/* Blocks of compressed JSON in the page; see blocks.py. */

/** The JSON in an embedded block. */
async function unpacked(element) {
  const binary = atob(element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
