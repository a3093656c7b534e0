// @ts-check
// plotly.js takes a third of a second to begin, of a processor that has nothing to do while the server
// works at the page's first words: it begins when they have been asked for, and not at the figure.

import { plotly } from "./libraries.js";

const address = document.querySelector("link[data-plotly]")?.getAttribute("href");
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (words) {
  WebSocket.prototype.send = send;
  // Who is asked again by the figure is told of what did not arrive, here nobody.
  if (address) setTimeout(() => plotly(address).catch(() => {}));
  return send.call(this, words);
};
