/* Blocks of compressed JSON in the page; see blocks.py. */

/** What a block holds that a server sends when it is asked for. */
async function fetched(source) {
  const response = await fetch(source);
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

/** The JSON in an embedded block. */
async function unpacked(element) {
  const { src } = element.dataset;
  const binary = atob(src ? await fetched(src) : element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
