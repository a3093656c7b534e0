import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { attempt, forget, keep, keys, lasts, line, recall, rename } from "../../dpviz/scripts/permitted.js";

// A browser's window, whose places are real, full or denied.
class FakeStorage {
  constructor(takes = true) {
    Object.defineProperty(this, "takes", { value: takes });
  }
  getItem(key) {
    return this[key] ?? null;
  }
  setItem(key, text) {
    if (!this.takes) throw new Error("QuotaExceededError");
    this[key] = text;
  }
  removeItem(key) {
    delete this[key];
  }
}

const denied = () => {
  throw new Error("SecurityError");
};

function browser({ place, name = "", framed = false }) {
  const made = { name, opener: null, listeners: [] };
  made.parent = framed ? {} : made;
  made.addEventListener = (_, hear) => made.listeners.push(hear);
  for (const kind of ["sessionStorage", "localStorage"])
    Object.defineProperty(made, kind, { get: place, configurable: true });
  globalThis.window = made;
  globalThis.location = { origin: "https://here" };
  return made;
}

beforeEach(() => {
  globalThis.BroadcastChannel = denied;
  globalThis.history = { replaceState: denied };
});

const stored = new FakeStorage();
const full = new FakeStorage(false);
for (const [what, place, kept] of [
  ["a place", () => stored, () => Object.keys(stored).length],
  ["a full place", () => full, () => window.name],
  ["a denied place", denied, () => window.name],
  ["a place that is none", () => null, () => window.name],
])
  for (const kind of ["tab", "browser"])
    test(`${what} of a ${kind} keeps what the window's name keeps otherwise`, () => {
      browser({ place });
      assert.equal(recall(kind, "dpviz-a"), "");
      keep(kind, "dpviz-a", "first");
      keep(kind, "dpviz-a", "one");
      keep(kind, "dpviz-b", 'tw"o');
      assert.deepEqual(keys(kind).sort(), ["dpviz-a", "dpviz-b"]);
      assert.ok(kept());
      browser({ place, name: window.name }); // a reload
      assert.equal(recall(kind, "dpviz-a"), "one");
      assert.equal(recall(kind, "dpviz-b"), 'tw"o');
      forget(kind, "dpviz-a");
      forget(kind, "dpviz-b");
      assert.equal(recall(kind, "dpviz-a"), "");
      assert.ok(!kept());
    });

test("what fitted once and is too long now is the new one all the same", () => {
  const place = new FakeStorage();
  browser({ place: () => place });
  keep("tab", "dpviz-a", "old");
  place.setItem = denied;
  keep("tab", "dpviz-a", "new");
  assert.equal(recall("tab", "dpviz-a"), "new");
});

test("a name that others have given stays, and the page remembers", () => {
  const made = browser({ place: denied, name: "content" });
  keep("tab", "dpviz-a", "one");
  assert.equal(made.name, "content");
  assert.equal(recall("tab", "dpviz-a"), "one");
  forget("tab", "dpviz-a");
  assert.equal(recall("tab", "dpviz-a"), "");
});

test("a name of ours that somebody has garbled is nothing", () => {
  browser({ place: denied, name: "dpviz keeps {" });
  assert.equal(recall("tab", "dpviz-a"), "");
  keep("tab", "dpviz-a", "one");
  assert.equal(recall("tab", "dpviz-a"), "one");
});

test("what lasts is told", () => {
  for (const [lives, said] of [
    [{ place: () => stored }, true],
    [{ place: () => stored, framed: true }, true],
    [{ place: denied }, true], // by the name of the window
    [{ place: denied, name: "content" }, false],
    [{ place: denied, framed: true }, false], // a frame goes with the page around it
    [{ place: () => full, framed: true }, false],
    [{ place: () => null, framed: true }, false],
  ]) {
    browser(lives);
    assert.equal(lasts("tab"), said, JSON.stringify(lives));
  }
});

// Windows of one browser: what one posts the others get, with who posted it.
function windows(channelled) {
  const channels = [];
  globalThis.BroadcastChannel = channelled
    ? class {
        constructor() {
          channels.push(this);
        }
        postMessage(data) {
          for (const other of channels) if (other !== this) other.onmessage({ data });
        }
      }
    : denied;
  const [one, other] = [0, 1].map(() => browser({ place: denied }));
  const post = (to, from) => (data, origin) =>
    origin === "https://here" && to.listeners.forEach((hear) => hear({ data, origin, source: from }));
  const seen = { one: {}, other: {} }; // each as the other one has it
  seen.one.postMessage = post(one, seen.other);
  seen.other.postMessage = post(other, seen.one);
  other.opener = seen.one;
  return { one, other, seen };
}

for (const channelled of [true, false])
  test(`two windows hear each word once, ${channelled ? "with" : "without"} a channel`, () => {
    const { one, other, seen } = windows(channelled);
    const heard = [[], []];
    globalThis.window = one;
    const screen = line("room", (said) => heard[0].push(said));
    screen.opened(seen.other);
    screen.opened(null); // a window that was not let open
    globalThis.window = other;
    const speaker = line("room", (said) => heard[1].push(said));
    speaker.say("here");
    screen.say("step 1");
    screen.say("step 2");
    speaker.say("next");
    assert.deepEqual(heard, [["here", "next"], ["step 1", "step 2"]]);
  });

test("whoever was loaded again hears the window that it has opened", () => {
  const { one, other } = windows(false);
  const heard = [];
  globalThis.window = one;
  const screen = line("room", () => heard.push("word")); // which has lost what it opened
  globalThis.window = other;
  const speaker = line("room", () => heard.push("answer"));
  speaker.say("here");
  screen.say("step");
  assert.deepEqual(heard, ["word", "answer"]);
});

test("words of another site, or of another line, are none", () => {
  const made = browser({ place: denied });
  line("room", () => assert.fail());
  const word = { line: "room", from: "x", number: 1, said: "" };
  for (const event of [
    { origin: "https://there", data: word },
    { origin: "https://here", data: { ...word, line: "other" } },
    { origin: "https://here", data: null },
  ])
    made.listeners.forEach((hear) => hear(event));
});

test("an address that may not change stays", () => {
  assert.equal(rename("#2"), undefined);
  assert.equal(attempt(denied, 3), 3);
});
