import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { done, sha256 } from "../../dpviz/serve/rooms/files/proof.js";

const known = (text) => createHash("sha256").update(text).digest();

test("the hash by hand is that of the library, at every length around a block", () => {
  for (let length = 0; length < 200; length++) {
    const text = String.fromCharCode(...Array.from({ length }, (_, n) => 33 + ((n * 7 + length) % 90)));
    const bytes = Buffer.alloc(32);
    sha256(text).forEach((part, place) => bytes.writeUInt32BE(part, 4 * place));
    assert.deepEqual(bytes, known(text));
  }
});

for (const bits of [1, 8, 13])
  test(`what is found begins with ${bits} zero bits`, async () => {
    const found = await done(`1700000000.${bits}.abcdef`);
    assert.equal(known(found).readUInt32BE(0) >>> (32 - bits), 0);
  });
