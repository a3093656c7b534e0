// Figures that lie in a file or beside a page, packed, and as differences from one another.

// What was packed by Python: base64 of gzip.
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// What delta.py says turns one value into another.
export function changed(old, difference) {
  if (!difference) return old;
  const [kind, content, gone = []] = difference;
  if (kind === "is") return content;
  const copy = kind === "at" ? [...old] : { ...old };
  for (const [place, part] of Object.entries(content)) copy[place] = changed(old[place], part);
  for (const place of gone) delete copy[place];
  return copy;
}
