import assert from "node:assert/strict";
import { test } from "node:test";

import { isAnother, isOfPageBefore, watch } from "../../dpviz/scripts/entries.js";
import { begins, ledTo, turnedTo } from "../../dpviz/scripts/links.js";

const at = (address) => new URL(address, "http://dpviz.example");

test("a page, a tab, a scene and the large view have an entry of their own", () => {
  for (const [now, next] of [
    ["/promise?view=odds", "/clipping?view=user"],
    ["/promise?view=odds&epsilon=1", "/promise?view=rows&epsilon=1"],
    ["/promise?view=odds", "/promise?view=odds&present=1"],
    ["/promise?view=odds&present=1", "/promise?view=odds"],
    ["/promise?lecture=a&scene=1", "/promise?lecture=a&scene=2"],
  ])
    assert.ok(isAnother(at(now), at(next)), next);
});

test("a slider that moves and a link that is written in full have none", () => {
  for (const [now, next] of [
    ["/promise?view=odds&epsilon=1", "/promise?view=odds&epsilon=2"],
    ["/shared_darts", "/shared_darts?view=board&seed=96"],
    ["/promise?epsilon=2", "/promise?view=play&epsilon=2&seed=0"],
    ["/promise?view=odds", "/promise?view=odds&tab=table"],
    ["/", "/?view=play"],
  ])
    assert.ok(!isAnother(at(now), at(next)), next);
});

test("an address of another scene or tab than the one that stands is of the page before", () => {
  const isStale = (now, next, tab) => isOfPageBefore(at(now), at(next), tab);
  const scene = "/promise?view=play&lecture=a&scene=1";
  assert.ok(isStale(scene, "/promise?view=odds&lecture=a&scene=2", "play"));
  assert.ok(isStale(scene, "/promise?view=play&lecture=a&scene=2", "play"));
  assert.ok(isStale("/promise?view=odds", "/promise?view=rows", "odds"));
  assert.ok(!isStale(scene, "/promise?view=play&lecture=a&scene=1&epsilon=2", "play"));
  assert.ok(!isStale("/promise?view=nonsense", "/promise?view=play", "play"));
  assert.ok(!isStale("/promise?lecture=bad&scene=2", "/promise?view=play", "play"));
  assert.ok(!isStale("/promise", "/promise?view=play&seed=0", "play"));
  assert.ok(!isStale("/lectures", "/lectures?scene=2"));
});

test("what writes an address makes an entry or takes the place of one", () => {
  const told = [];
  globalThis.location = { href: "http://dpviz.example/promise?view=odds&epsilon=1" };
  globalThis.history = {
    pushState: (...all) => told.push(["push", ...all]),
    replaceState: (...all) => told.push(["replace", ...all]),
  };
  watch();
  history.pushState({}, "", "/promise?view=odds&epsilon=2");
  history.pushState({}, "", "/promise?view=rows");
  history.pushState({}, "");
  assert.deepEqual(
    told.map(([how]) => how),
    ["replace", "push", "replace"],
  );
});

test("a browser goes from page to page by itself, and before a class Streamlit does", () => {
  const here = at("/shared_darts?view=board");
  const led = (written, from = here) => ledTo(written, from)?.href ?? null;
  assert.equal(led("clipping?epsilon=1"), "http://dpviz.example/clipping?epsilon=1");
  assert.equal(led("/clipping"), "http://dpviz.example/clipping");
  assert.equal(led(""), "http://dpviz.example/"); // so Streamlit writes the way home
  assert.equal(led("?epsilon=1"), "http://dpviz.example/?epsilon=1");
  assert.equal(led("//evil.example/x"), "http://dpviz.example/evil.example/x");
  const scene = "promise?lecture=first&scene=1";
  assert.equal(led(scene), `http://dpviz.example/${scene}`);
  assert.equal(led("clipping", at(`/${scene}`)), "http://dpviz.example/clipping");
  assert.equal(led("clipping", at("/promise?present=1")), null);
  assert.equal(led("clipping", at("/promise?embed=true")), null);
});

test("another view of a page within another site's page stays there", () => {
  const turned = (from) => turnedTo("/promise?view=odds", at(from)).search;
  assert.equal(turned("/promise?epsilon=1"), "?view=odds");
  const within = "/promise?epsilon=1&embed=true&embed_options=dark_theme&embed_options=x";
  assert.equal(turned(within), "?view=odds&embed=true&embed_options=dark_theme&embed_options=x");
});

test("a run of a page begins with a message of its own, whatever comes before and in it", () => {
  const text = (size) => [size & 127 | 128, size >> 7, ...Array(size).fill(34)]; // the tag of field 4
  const head = [10, 3, 97, 98, 99, 18, 2, 8, 1];
  const is = (...bytes) => begins(Uint8Array.from(bytes));
  assert.ok(is(...head, 34, 2, 120, 120)); // new_session
  assert.ok(is(10, ...text(200), 34, ...text(300)));
  assert.ok(!is(...head, 42, ...text(300))); // delta
  assert.ok(!is(10, ...text(200), 98, 2, 34, 34)); // page_info_changed
  assert.ok(!is(48, 1)); // script_finished
  assert.ok(!is());
});
