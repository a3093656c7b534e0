// What a page is known by in a room, kept by its script: of a phone for good, of a lecturer's page as
// long as its tab lives. Where a browser lets nothing be kept, a reload begins anew.

const store = (kind) => (kind === "phone" ? localStorage : sessionStorage);
const name = (kind, code) => `dpviz-${kind}-${code}`;

function attempt(act) {
  try {
    return act() ?? "";
  } catch {
    return "";
  }
}

export const kept = (kind, code) => attempt(() => store(kind).getItem(name(kind, code)));
export const keep = (kind, code, said) => attempt(() => store(kind).setItem(name(kind, code), said));
export const forget = (kind, code) => attempt(() => store(kind).removeItem(name(kind, code)));
