// @ts-check
// The values that a slider snaps to, and where they are on its way, from 0 at its left end to 1.
// Pure: it knows nothing of the slider.

export class Grid {
  /**
   * @param {string[]} texts the values as they are written
   * @param {boolean} log whether a step of as many percent is as long everywhere
   */
  constructor(texts, log) {
    this.texts = texts;
    this.numbers = texts.map(Number);
    this.measure = log ? Math.log10 : (number) => number;
    this.low = this.measure(this.numbers[0]);
    this.high = this.measure(this.numbers.at(-1));
    this.places = this.numbers.map((number) => this.place(number));
    // A decade, or a tenth of a range whose grid has no finer steps than decades.
    const long = this.high - this.low;
    this.page = log && long <= 40 ? 1 / long : 0.1;
  }

  get last() {
    return this.texts.length - 1;
  }

  /** @param {number} number */
  place(number) {
    return (this.measure(number) - this.low) / (this.high - this.low);
  }

  /**
   * The value at an index, or at the end beyond which it lies.
   * @param {number} index
   */
  text(index) {
    return this.texts[Math.min(Math.max(index, 0), this.last)];
  }

  /**
   * The index of the value next to a place.
   * @param {number} place
   */
  nearest(place) {
    const above = this.places.findIndex((other) => other >= place);
    if (above < 0) return this.last;
    if (above === 0) return 0;
    return place - this.places[above - 1] < this.places[above] - place ? above - 1 : above;
  }

  /**
   * The index of the value next to a number, which may lie outside.
   * @param {number} number
   */
  snapped(number) {
    const inside = Math.min(Math.max(number, this.numbers[0]), this.numbers.at(-1));
    return this.nearest(this.place(inside));
  }

  /**
   * The values a step to either side would give; none beside one that was typed.
   * @param {string} text
   */
  beside(text) {
    const index = this.texts.indexOf(text);
    return index < 0 ? [] : [this.texts[index + 1], this.texts[index - 1]].filter((other) => other);
  }

  /**
   * The index to which a key leads from a number, undefined for a key that means nothing here.
   * @param {string} key
   * @param {number} number
   * @returns {number | undefined}
   */
  stepped(key, number) {
    const place = this.place(number);
    const up = this.numbers.findIndex((other) => other > number);
    const next = up < 0 ? this.last : up;
    const previous = this.numbers.findLastIndex((other) => other < number);
    const targets = {
      ArrowRight: next,
      ArrowUp: next,
      ArrowLeft: previous,
      ArrowDown: previous,
      PageUp: Math.max(this.nearest(place + this.page), next),
      PageDown: Math.min(this.nearest(place - this.page), Math.max(previous, 0)),
      Home: 0,
      End: this.last,
    };
    return targets[key];
  }
}
