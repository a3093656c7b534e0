// @ts-check
// The button that saves a figure. Plotly's own picture only names the font of the page, which other
// machines lack; ours brings it along.

const NOTE = 24; // pixels below a figure for what is to be said of it

// remark: returns what is to be said of a figure that is not computed to its end, "" for others.
export const camera = (filename, remark) => ({
  name: "picture",
  title: "Download picture as SVG",
  icon: window.Plotly.Icons.camera,
  click: (plot) => save(plot, filename, remark()),
});

async function save(plot, filename, remark) {
  const { width, height, font, paper_bgcolor: paper } = plot._fullLayout;
  const picture = await window.Plotly.toImage(plot, { format: "svg", width, height });
  const bare = decodeURIComponent(picture.slice(picture.indexOf(",") + 1));
  const svg = remark ? noted(bare, remark, font, paper) : bare;
  const style = await fontFace().catch(() => ""); // without a server the words stay, in another font
  const whole = svg.replace(">", `><style>${style}</style>`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([whole], { type: "image/svg+xml" }));
  link.download = remark ? `${filename}-partial.svg` : `${filename}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Make a picture a little higher, and write a line below it.
function noted(svg, words, { color, family }, paper) {
  const drawn = new DOMParser().parseFromString(svg, "image/svg+xml");
  const root = drawn.documentElement;
  const [width, height] = ["width", "height"].map((name) => parseFloat(root.getAttribute(name)));
  root.setAttribute("height", String(height + NOTE));
  root.setAttribute("viewBox", `0 0 ${width} ${height + NOTE}`);
  const add = (name, properties, text = "") => {
    const part = drawn.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(properties)) part.setAttribute(key, value);
    part.textContent = text;
    root.append(part);
  };
  add("rect", { y: height, width, height: NOTE, fill: paper });
  const look = { fill: color, "font-family": family, "font-size": 13 };
  add("text", { x: 8, y: height + NOTE - 8, ...look }, words);
  return new XMLSerializer().serializeToString(drawn);
}

// The page's rule for its font, with the font inside.
async function fontFace() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const rule = rules.find(({ cssText }) => /^@font-face.*\/fonts\/sans\.woff2/s.test(cssText)).cssText;
  const address = /url\("?([^")]*)"?\)/.exec(rule)[1];
  const font = await (await fetch(address)).blob();
  const reader = new FileReader();
  const read = new Promise((resolve) => (reader.onload = resolve));
  reader.readAsDataURL(font);
  await read;
  return rule.replace(address, String(reader.result));
}
