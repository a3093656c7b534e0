// What a page is known by in a room, kept by its script: of a phone for a day at most, of a lecturer's
// page as long as its tab lives. Where a browser lets nothing be kept, a reload begins anew.

const DAY = 86_400_000; // milliseconds; a room ends sooner
const store = (kind) => (kind === "phone" ? localStorage : sessionStorage);
const name = (kind, code) => `dpviz-${kind}-${code}`;

function attempt(act) {
  try {
    return act() ?? "";
  } catch {
    return "";
  }
}

// What was kept under a name, "" if that is too long ago, or nothing of ours.
function read(place, key) {
  const [said, since] = attempt(() => JSON.parse(place.getItem(key))) || [];
  return Date.now() - since < DAY ? said : "";
}

// Phones whose rooms have ended while they were away.
function tidy(place) {
  for (const key of Object.keys(place))
    if (key.startsWith(name("phone", "")) && !read(place, key)) place.removeItem(key);
}

export const kept = (kind, code) => attempt(() => read(store(kind), name(kind, code)));
export const forget = (kind, code) => attempt(() => store(kind).removeItem(name(kind, code)));
export function keep(kind, code, said) {
  attempt(() => {
    store(kind).setItem(name(kind, code), JSON.stringify([said, Date.now()]));
    if (kind === "phone") tidy(localStorage);
  });
}
