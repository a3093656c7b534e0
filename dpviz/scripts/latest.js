// @ts-check
// Answers come faster than a page paints them: one is drawn after the other, and of those that wait
// the last.

export class Latest {
  /**
   * @param {(answer: import("./types").Answer) => Promise<void>} draw
   * @param {() => void} begins one of a movement is drawn: another may be asked for
   */
  constructor(draw, begins) {
    this.draw = draw;
    this.begins = begins;
    this.waiting = null;
    this.busy = false;
    this.drawn = 0; // the number of the last request of which something was drawn
  }

  /** Whether one of a movement waits. */
  get waits() {
    return Boolean(this.waiting?.request.moving);
  }

  /**
   * @param {import("./types").Line} line
   * @param {any} request
   * @param {boolean} final nothing more comes of it
   */
  async take(line, request, final) {
    if (request.number < this.drawn) return; // a later one came first
    this.waiting = { line, request, final };
    if (request.moving) this.begins();
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.waiting) {
        const next = this.waiting;
        this.waiting = null;
        if (next.request.moving) this.begins();
        if (next.request.number < this.drawn) continue;
        this.drawn = next.request.number;
        await this.draw(next);
      }
    } catch (fault) {
      console.error(fault); // asked for again like one that did not arrive, it would stay unnoticed
      throw fault;
    } finally {
      this.busy = false;
    }
  }
}
