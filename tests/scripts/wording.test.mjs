import assert from "node:assert/strict";
import { test } from "node:test";

import { pieces } from "../../dpviz/scripts/wording.js";

const dyed = (color, words) => `<span style='color:${color}'>${words}</span>`;

test("words without tags are one piece", () => {
  assert.deepEqual(pieces("0.5", "0.7"), [{ text: "0.7", color: undefined }]);
});

test("words are cut at their tags, and keep the colour that a tag gives them", () => {
  const before = `<b>1</b> of ${dyed("red", "two")}`;
  assert.deepEqual(pieces(before, `<b>3</b> of ${dyed("blue", "four")}!`), [
    { text: "3", color: undefined },
    { text: " of ", color: undefined },
    { text: "four", color: "blue" },
    { text: "!", color: undefined },
  ]);
});

test("inside two tags the inner colour counts, and after it the outer again", () => {
  const words = dyed("red", `a${dyed("blue", "b")}c`);
  assert.deepEqual(
    pieces(words, words).map(({ text, color }) => text + color),
    ["ared", "bblue", "cred"],
  );
});

test("words with other tags than before are drawn anew", () => {
  for (const [before, after] of [
    ["<b>1</b>", "1"],
    ["<b>1</b>", "<i>1</i>"],
    ["1<br>2", "1<br>2<br>3"],
    [dyed("red", "1"), "<span style='font-size:9px'>1</span>"],
  ])
    assert.equal(pieces(before, after), null);
});

test("so are words with signs that plotly.js reads as something else", () => {
  assert.equal(pieces("1", "a &amp; b"), null);
  assert.equal(pieces("1", "$x^2$"), null);
});
