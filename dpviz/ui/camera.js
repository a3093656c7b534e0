// The button that saves a figure: a part of stage.js. Plotly's own picture only names the font of the
// page, which other machines lack; ours brings it along.

const camera = (filename) => ({
  name: "picture",
  title: "Download picture as SVG",
  icon: window.Plotly.Icons.camera,
  click: (plot) => save(plot, filename),
});

async function save(plot, filename) {
  const { width, height } = plot._fullLayout;
  const picture = await window.Plotly.toImage(plot, { format: "svg", width, height });
  const svg = decodeURIComponent(picture.slice(picture.indexOf(",") + 1));
  const style = await fontFace().catch(() => ""); // without a server the words stay, in another font
  const whole = svg.replace(">", `><style>${style}</style>`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([whole], { type: "image/svg+xml" }));
  link.download = `${filename}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
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
  return rule.replace(address, reader.result);
}
