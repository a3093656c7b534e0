import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../dpviz/scripts/", import.meta.url);

// All that a module may ask of the browser before it is used.
globalThis.window = { matchMedia: () => ({ matches: false }) };

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".js")))
  test(`${name} finds all that it imports`, async () => {
    assert.ok(Object.keys(await import(new URL(name, FOLDER))).length);
  });
