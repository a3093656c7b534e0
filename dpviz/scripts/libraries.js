// @ts-check
// Libraries fetched once for all stages of a tab, and plotly.js made quicker where it asks the
// browser for what is known.

// Asked for again if it did not come.
export function loaded(address) {
  window.dpvizScripts ??= new Map();
  if (!window.dpvizScripts.has(address)) {
    const coming = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => {
        window.dpvizScripts.delete(address);
        reject(new Error(`${address} did not arrive`));
      };
      document.head.append(script);
    });
    window.dpvizScripts.set(address, coming);
  }
  return window.dpvizScripts.get(address);
}

export async function plotly(address) {
  await loaded(address);
  if (!window.Plotly.dpvizQuick) {
    straighten();
    remember(window.Plotly.PlotSchema);
  }
  window.Plotly.dpvizQuick = true;
  return window.Plotly;
}

// plotly.js asks seven times how long the line from a note to its curve is and where it ends, and
// to answer a path the browser lays out the whole page anew: for a figure with five notes as long as
// all else takes. These lines are straight.
const STRAIGHT = /^M(-?[\d.e-]+),(-?[\d.e-]+)L(-?[\d.e-]+),(-?[\d.e-]+)$/;

function straighten() {
  const path = SVGPathElement.prototype;
  const { getTotalLength, getPointAtLength } = path;
  const ends = (line) => STRAIGHT.exec(line.getAttribute("d"))?.slice(1).map(Number);
  path.getTotalLength = function () {
    const found = ends(this);
    if (!found) return getTotalLength.call(this);
    const [x1, y1, x2, y2] = found;
    return Math.hypot(x2 - x1, y2 - y1);
  };
  path.getPointAtLength = function (along) {
    const found = ends(this);
    if (!found) return getPointAtLength.call(this, along);
    const [x1, y1, x2, y2] = found;
    const length = Math.hypot(x2 - x1, y2 - y1);
    const share = length && Math.min(Math.max(along / length, 0), 1);
    return new DOMPoint(x1 + share * (x2 - x1), y1 + share * (y2 - y1));
  };
}

// Which attributes of a trace hold arrays, plotly.js finds by a walk through all the attributes there
// are, for every trace of every figure: a sixth of all the time it takes. Here only those that can
// hold arrays are looked at, which one walk for each kind of trace has found.
export function remember(schema) {
  const { crawl, findArrayAttributes } = schema;
  const ways = new Map(); // attributes -> the ways to those that can hold arrays
  const found = (attributes) => {
    if (!ways.has(attributes)) ways.set(attributes, waysIn(attributes, crawl));
    return ways.get(attributes);
  };
  let common = null; // the attributes that all traces have, which only plotly.js knows
  schema.findArrayAttributes = (trace) => {
    if (!common) {
      schema.crawl = (attributes, ...more) => ((common ??= attributes), crawl(attributes, ...more));
      findArrayAttributes(trace);
      schema.crawl = crawl;
    }
    const own = trace._module?.attributes;
    return [...found(common), ...(own ? found(own) : [])].flatMap((way) => held(trace, way, ""));
  };
}

function waysIn(attributes, crawl) {
  const [ways, above] = [[], []];
  crawl(attributes, (attribute, name, _, level) => {
    above.length = level;
    const ticks = above.at(-1)?.name === "colorbar" && /^tick(text|vals)$/.test(name);
    above.push({ name, many: attribute?._isLinkedToArray });
    if ((attribute?.valType === "data_array" || attribute?.arrayOk === true) && !ticks)
      ways.push([...above]);
  });
  return ways;
}

// Return the names of the arrays at the end of a way: there may be several containers on it.
function held(container, way, before, step = 0) {
  const { name, many } = way[step];
  const part = container[name];
  if (part === undefined) return [];
  const full = before + name;
  if (step === way.length - 1) return Array.isArray(part) || isTyped(part) ? [full] : [];
  if (!many) return isPlain(part) ? held(part, way, `${full}.`, step + 1) : [];
  if (!Array.isArray(part)) return [];
  return part.flatMap((item, index) =>
    isPlain(item) ? held(item, way, `${full}[${index}].`, step + 1) : [],
  );
}

function isTyped(value) {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function isPlain(value) {
  return Object.prototype.toString.call(value) === "[object Object]";
}
