// Scripts fetched once for all stages of a tab, and plotly.js made quicker where it asks the browser
// for what is known. A part of stage.js.

// Asked for again if it did not come.
function loaded(address) {
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

async function plotly(address) {
  await loaded(address);
  if (!window.Plotly.dpvizStraight) straighten();
  window.Plotly.dpvizStraight = true;
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
