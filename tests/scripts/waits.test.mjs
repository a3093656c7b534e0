import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../dpviz/", import.meta.url);
const ENTRIES = ["opening.js"]; // which nothing imports

// A module as the body of a function, in which nothing may wait.
const body = (text) =>
  text
    .replace(/^import\b[^;]*;$/gm, "")
    .replace(/^export default (?!(async )?(function|class) \w)/gm, "const byDefault = ")
    .replace(/^export (default )?/gm, "");

const waits = (text) => {
  try {
    new Function(`"use strict";\n${body(text)}`);
    return false;
  } catch (fault) {
    assert.ok(fault instanceof SyntaxError);
    return true;
  }
};

test("what waits at its top is found", () => {
  assert.ok(waits("export default (await load()).default;"));
  assert.ok(!waits("export const load = async () => await fetch();"));
});

// WebKit hands a module that others ask for meanwhile to all but the first before it has run.
for (const file of readdirSync(FOLDER, { recursive: true }).filter((name) => name.endsWith(".js")))
  if (!ENTRIES.some((name) => file.endsWith(name)))
    test(`${file} does not wait as it is imported`, () => {
      assert.ok(!waits(readFileSync(new URL(file, FOLDER), "utf8")));
    });
