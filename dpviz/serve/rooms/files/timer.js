// Counts down what the server says is left, in minutes and seconds.

export const clock = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

// On a phone, which loads this when something is first counted down.
let onPhone = null;

export function count(left) {
  if (!onPhone) {
    const place = document.createElement("p");
    place.setAttribute("role", "timer");
    place.className = "timer";
    place.style.cssText = "font-size: 1.5rem; margin: 0; padding: 0.3rem 1rem; text-align: right";
    document.querySelector("header").after(place);
    onPhone = new Timer(place);
  }
  onPhone.set(left ?? null);
}

export class Timer {
  // ended(): called once when nothing is left.
  constructor(place, ended = () => {}) {
    Object.assign(this, { place, ended, end: null });
    setInterval(() => this.tell(), 250);
  }

  // left: seconds; null for no countdown.
  set(left) {
    this.running = left !== null;
    this.end = left === null ? null : performance.now() + 1000 * left;
    this.tell();
  }

  tell() {
    this.place.hidden = this.end === null;
    if (this.end === null) return;
    const left = Math.max(0, Math.ceil((this.end - performance.now()) / 1000));
    this.place.textContent = clock(left);
    if (left || !this.running) return;
    this.running = false;
    this.ended();
  }
}
