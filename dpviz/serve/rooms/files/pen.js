// A pointer and a pen over what a class sees. Places are parts of the axes of the figure there, or of
// its text, so that what is drawn in the speaker's window lies where it was meant on the projector.

const NS = "http://www.w3.org/2000/svg";

// The box that places are parts of: the first axes that can be seen, or else the first of these.
export function area(root, ...others) {
  const all = [".plot > svg > .axes", ...others];
  const visible = (part) => part.getBoundingClientRect().width > 0 && part.checkVisibility();
  for (const one of all) {
    const found = [...root.querySelectorAll(one)].find(visible);
    if (found) return found.getBoundingClientRect();
  }
  return null;
}

export class Pen {
  // box(): the area, in the coordinates of the window.
  constructor(svg, box) {
    Object.assign(this, { svg, box, strokes: [], at: null });
    window.addEventListener("resize", () => this.paint());
  }

  // Where the pointer is in the window, as a part of the area; null where there is none.
  place({ clientX, clientY }) {
    const box = this.box();
    return box && [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
  }

  // word: "point" (null to hide it), "begin" or "draw", with a place; "wipe" without.
  take(word, at = null) {
    this.at = at;
    if (word === "wipe") this.strokes = [];
    else if (word === "begin") this.strokes.push([at]);
    else if (word === "draw") this.strokes.at(-1)?.push(at);
    this.paint();
  }

  paint() {
    const box = this.at || this.strokes.length ? this.box() : null;
    const own = this.svg.getBoundingClientRect();
    const inside = ([x, y]) => [
      (box.left + x * box.width - own.left).toFixed(1),
      (box.top + y * box.height - own.top).toFixed(1),
    ];
    const made = !box ? [] : this.strokes.map((stroke) => {
      const line = document.createElementNS(NS, "polyline");
      line.setAttribute("points", stroke.map((at) => inside(at).join(",")).join(" "));
      return line;
    });
    if (box && this.at) {
      const dot = document.createElementNS(NS, "circle");
      const [x, y] = inside(this.at);
      for (const [name, value] of [["cx", x], ["cy", y], ["r", 9]]) dot.setAttribute(name, value);
      made.push(dot);
    }
    this.svg.replaceChildren(...made);
  }
}

// Draws with the pen, or points, where the mouse or a finger goes over `place`.
// draws(): whether it draws; tell(word, at): what it does.
export function handle(place, pen, draws, tell) {
  let down = false;
  const say = (word, event) => {
    const at = pen.place(event);
    if (at) tell(word, at);
  };
  place.addEventListener("pointerdown", (event) => {
    down = draws();
    if (!down) return;
    place.setPointerCapture(event.pointerId);
    say("begin", event);
  });
  place.addEventListener("pointermove", (event) => say(down ? "draw" : "point", event));
  place.addEventListener("pointerup", () => (down = false));
  place.addEventListener("pointerleave", () => tell("point", null));
}
