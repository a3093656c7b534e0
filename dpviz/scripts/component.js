// @ts-check
// What the parts of a page have in common: how long they listen, and what they are made of.

export class Component {
  constructor() {
    this.ended = new AbortController();
  }

  /**
   * Listen to a target as long as this part lives.
   * @param {any} target
   * @param {Record<string, Function>} handlers of events, by their types
   */
  on(target, handlers) {
    const { signal } = this.ended;
    for (const [type, handler] of Object.entries(handlers))
      target.addEventListener(type, handler.bind(this), { signal });
  }

  stop() {
    this.ended.abort();
  }
}

/**
 * Return what Streamlit, a room or a file calls a component with: one part lives in its place.
 * @param {string} name by which the place knows it
 * @param {(place: any, call: any) => any} make
 * @param {string} tell by which of what it is called with it answers
 * @returns {(call: any) => () => void}
 */
export function mounted(name, make, tell = "setTriggerValue") {
  return (call) => {
    const { parentElement: place } = call;
    place[name] ??= make(place, call);
    place[name].update(call.data, call[tell]);
    // Streamlit cleans up after calls that were overtaken, too: then the part lives on.
    return () => {
      if (!place.isConnected) place[name].stop();
    };
  };
}

/**
 * Return a new element.
 * @param {string} name
 * @param {object} properties
 * @param {(string | Node)[]} children
 * @returns {any}
 */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Write a list anew, each item of HTML of the server's. */
export const list = (place, items) =>
  place.replaceChildren(...items.map((innerHTML) => element("li", { innerHTML })));

/** Say something of a part in an attribute, for styles, other pages and tests. */
export const setData = (root, name, value) => {
  const text = String(value);
  if (root.dataset[name] !== text) root.dataset[name] = text;
};

/** Whether a key is pressed with others, which is the browser's. */
export const isCombined = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey;
