// Makes plotly.js as pages load it, beside node_modules: see README.md.

import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "acorn";
import { build } from "esbuild";
import { minify } from "terser";

const [output] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync("node_modules/plotly.js/package.json", "utf-8"));
const NOTICE = `/**
* plotly.js v${version}, of its core, scatter, bar, heatmap and contour what dpviz draws
* Copyright 2012-2026, Plotly, Inc.
* All rights reserved.
* Licensed under the MIT license
*/
`;
const ENTRY = `
  window.Plotly = require("plotly.js/lib/core");
  window.Plotly.register([
    require("plotly.js/lib/bar"),
    require("plotly.js/lib/heatmap"),
    require("plotly.js/lib/contour"),
  ]);
`;
// Components without which plotly.js does all else, and that no figure has.
const COMPONENTS = /^ *require\('\.\/components\/(annotations3d|sliders|range(slider|selector))'\),\n/gm;
// Of colours the ways of writing them that browsers have long known.
const COLOURS = `
  import { modeHsl, modeLrgb, modeRgb, useMode } from "culori/fn";
  [modeRgb, modeHsl, modeLrgb].forEach(useMode);
  export { converter, formatHex, formatRgb, wcagContrast, wcagLuminance } from "culori/fn";
`;
const IN_ALL_BROWSERS = "native-promise-only";
const UNUSED_OF_D3 = new Set(
  ("csv dsv geom hcl html interpolateHcl interpolateLab json lab layout merge nest " +
    "pairs permute random shuffle svg text transpose tsv xhr xml zip").split(" "),
);
// What attributes say of themselves to people; plotly.js is published without it, too.
const TOLD = new Set(["description", "requiredOpts", "otherOpts", "hrName", "role"]);

const read = (text) => parse(text, { ecmaVersion: "latest", sourceType: "script" });

function* nodes(node) {
  if (typeof node?.type === "string") yield node;
  if (node && typeof node === "object") for (const part of Object.values(node)) yield* nodes(part);
}

function without(text, ranges) {
  let [kept, at] = ["", 0];
  for (const [start, end] of ranges.sort(([one], [other]) => one - other)) {
    if (start < at) continue; // within what is left out already
    kept += text.slice(at, start);
    at = end;
  }
  return kept + text.slice(at);
}

function untold(text) {
  const parts = [...nodes(read(text))]
    .filter(({ type }) => type === "ObjectExpression")
    .flatMap(({ properties }) => properties)
    .filter(({ type, key }) => type === "Property" && TOLD.has(key.name));
  const comma = ({ end }) => end + /^\s*,?/.exec(text.slice(end))[0].length;
  return without(text, parts.map((part) => [part.start, comma(part)]));
}

// d3 is one function, in whose statements the parts of it are declared or added to what is there.
function lessened(text) {
  const [whole] = read(text).body;
  const all = whole.expression.argument.callee.object.body.body.map((node) => ({
    range: [node.start, node.end],
    declares: declared(node),
    extends: extended(node),
    names: new Set([...nodes(node)].map(({ type, name }) => type === "Identifier" && name)),
  }));
  let kept = all.filter(({ extends: [root, part] }) => !(root === "d3" && UNUSED_OF_D3.has(part)));
  for (let before; before !== kept; ) {
    before = kept;
    const used = (name, self) =>
      before.some((one) => one !== self && one.extends[0] !== name && one.names.has(name));
    const gone = before.filter(
      (one) => one.declares.length && !one.declares.some((name) => used(name, one)),
    );
    const names = new Set(gone.flatMap(({ declares }) => declares));
    if (gone.length)
      kept = before.filter((one) => !gone.includes(one) && !names.has(one.extends[0]));
  }
  return without(text, all.filter((one) => !kept.includes(one)).map(({ range }) => range));
}

function declared({ type, id, declarations }) {
  if (type === "FunctionDeclaration") return [id.name];
  return type === "VariableDeclaration" ? declarations.map((one) => one.id.name) : [];
}

// Return to what a statement adds something, name by name.
function extended({ expression }) {
  const names = [];
  if (expression?.type !== "AssignmentExpression") return names;
  let to = expression.left;
  for (; to.type === "MemberExpression"; to = to.object) names.unshift(to.property.name);
  return [to.name, ...names];
}

const cut = {
  name: "cut",
  setup({ onResolve, onLoad }) {
    const inPlace = { "./colours": COLOURS, "./nothing": "" };
    onResolve({ filter: /^culori$/ }, () => ({ path: "./colours", namespace: "cut" }));
    onResolve({ filter: RegExp(`^${IN_ALL_BROWSERS}$`) }, () => ({
      path: "./nothing",
      namespace: "cut",
    }));
    onLoad({ filter: /./, namespace: "cut" }, ({ path }) => ({
      contents: inPlace[path],
      resolveDir: process.cwd(),
    }));
    onLoad({ filter: /\/plotly\.js\/src\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf-8");
      return { contents: untold(path.endsWith("/src/core.js") ? text.replace(COMPONENTS, "") : text) };
    });
    onLoad({ filter: /\/@plotly\/d3\/d3\.js$/ }, ({ path }) => ({
      contents: lessened(readFileSync(path, "utf-8")),
    }));
  },
};

const { outputFiles } = await build({
  stdin: { contents: ENTRY, resolveDir: process.cwd() },
  bundle: true,
  write: false,
  outdir: ".",
  minify: true,
  target: "es2020",
  loader: { ".css": "empty" },
  legalComments: "eof",
  define: { global: "window", "define.amd": "false", "process.env.NODE_DEBUG": "false" },
  plugins: [cut],
});
const script = outputFiles.find(({ path }) => path.endsWith(".js"));
const { code } = await minify(script.text, {
  ecma: 2020,
  compress: { passes: 2 },
  format: { comments: /licen[sc]e/i },
});
writeFileSync(output, NOTICE + code);
