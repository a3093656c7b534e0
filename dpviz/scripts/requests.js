// @ts-check
// Requests for figures. While a control moves, the newest value is asked for as the last is drawn, and
// at most two are on their way; what did not arrive is asked for again; at rest, what a step to either
// side would show is asked for, too. It hands answers on, and knows nothing of the page.

const ON_THE_WAY = 2; // requests of a movement
const CALM = 400; // milliseconds of rest after which the values next to the slider's are asked for
const QUICK = 150; // and those that a figure takes at most whose neighbours are worth it
const AGAIN = [500, 1000, 2000, 4000]; // milliseconds until a figure that did not arrive is asked for

export class Requests {
  /**
   * @param {typeof fetch} bring
   * @param {import("./types").Asker} page
   */
  constructor(bring, page) {
    this.bring = bring;
    this.page = page;
    this.wanted = ""; // the name of the figure to be drawn next
    this.pending = []; // on their way, oldest first
    this.answered = { number: 0, wanted: "" }; // the last request of a movement that is answered
    this.count = 0; // so far
    this.failures = 0;
    this.ended = false;
  }

  stop() {
    this.ended = true;
    clearTimeout(this.calm);
    this.abandon();
  }

  /**
   * Another figure is wanted.
   * @param {string} wanted its name
   * @param {boolean} moving
   */
  want(wanted, moving) {
    this.wanted = wanted;
    this.failures = 0;
    clearTimeout(this.calm);
    if (moving) {
      this.pending.filter((request) => !request.moving).forEach((request) => request.end());
    } else {
      this.abandon();
      this.answered = { number: this.count, wanted: "" };
    }
    this.send();
  }

  abandon() {
    this.pending.forEach((request) => request.end());
  }

  send() {
    // A figure that has come and waits for the one before to be painted counts as well.
    const waits = this.page.waits() ? 1 : 0;
    if (this.ended || this.pending.length + waits >= ON_THE_WAY) return;
    if ([this.answered, ...this.pending].some(({ wanted }) => wanted === this.wanted)) return;
    const stop = new AbortController();
    /** @type {any} */
    const request = { ...this.page.describe(), wanted: this.wanted, number: ++this.count };
    request.end = () => {
      stop.abort();
      this.pending = this.pending.filter((other) => other !== request);
    };
    this.pending.push(request);
    this.ask(request, stop.signal).catch((fault) => {
      if (!stop.signal.aborted) this.fail(request, fault);
    });
  }

  async ask(request, signal) {
    const { address, moving, before, token } = request;
    const begin = performance.now();
    const headers = { [token[0]]: token[1] };
    const url = address + (moving ? "&moving=1" : "") + before;
    const response = await this.bring(url, { signal, headers });
    if (!response.ok) throw new Error(`${response.status}`);
    const last = moving ? await only(response) : await this.read(response, request);
    if (!last) throw new Error("an empty answer");
    if (last.busy) throw new Error(last.problem); // asked for again
    request.end();
    this.failures = 0;
    if (moving) {
      if (request.number > this.answered.number) this.answered = request;
      await this.page.take(last, request, false);
    }
    if (request.wanted !== this.wanted) this.send();
    else if (!moving) {
      const quick = performance.now() - begin < QUICK && last.whole && !("problem" in last);
      await this.page.take(last, request, true);
      if (quick) this.calm = setTimeout(() => this.lookAhead(), CALM);
    }
  }

  // Hand on the lines of a response as they come, and return the last.
  async read(response, request) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let last = null;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return last;
      const lines = (text + value).split("\n");
      text = lines.pop();
      if (!lines.length) continue;
      last = JSON.parse(lines.at(-1));
      if (last.busy) return last;
      await this.page.take(last, request, false);
    }
  }

  // The server computes what a step to either side would show, and keeps it; a busy one declines.
  async lookAhead() {
    const { wanted } = this;
    for (const address of this.page.neighbours()) {
      if (this.wanted !== wanted || this.ended || document.hidden) return;
      const response = await this.bring(`${address}&idle=1`).catch(() => null);
      if (!response || response.headers.has("X-Dpviz-Busy")) return;
    }
  }

  fail(request, fault) {
    request.end();
    if (this.answered === request) this.answered = { ...request, wanted: "" }; // it came, but was not drawn
    if (request.wanted !== this.wanted) return this.send();
    const pause = AGAIN[Math.min(this.failures++, AGAIN.length - 1)];
    setTimeout(() => request.wanted === this.wanted && this.send(), pause);
    if (this.failures < 3 || this.ended) return;
    this.page.complain("The figure has not arrived; asking for it again.");
    console.warn(fault);
  }
}

/**
 * A response to a movement has one line: it needs no reading in parts, each a wait for the browser.
 * @param {Response} response
 * @returns {Promise<import("./types").Line | "">}
 */
async function only(response) {
  const text = (await response.text()).trimEnd();
  return text && JSON.parse(text.slice(text.lastIndexOf("\n") + 1));
}
