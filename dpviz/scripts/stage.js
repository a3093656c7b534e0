// @ts-check
// The browser's half of stage.py: sentence, figure and legend of a view, for as long as it is open.
//
// Each figure is one the server computed; while a control moves, the newest value is asked for as the
// last is drawn, and at most two are on their way. Attributes say how far it is: data-number counts
// the figures drawn, data-state is "moving", "fetching" or "rest", data-whole says whether it is the
// finest, data-query what is drawn, data-address from where, data-place at which step of a class,
// data-other whether that is still about the view or the step before. It computes no figure and touches
// nothing outside its own part of the page: controls, notes and odds hear of it by events, "dpviz-...",
// what is kept goes through permitted.js, and drawing.js puts a drawing in place.

import { addressOf, others } from "./address.js";
import { Drawing } from "./drawing.js";
import { Focus } from "./focus.js";
import { Handle } from "./handle.js";
import { Keeping, narrow } from "./keeping.js";
import { Part, mounted } from "./parts.js";
import { keep, recall } from "./permitted.js";
import { Reading } from "./reading.js";
import { Sentence, Words } from "./sentence.js";
import { pageOf } from "./side.js";
import { at } from "./site.js";
import { leave } from "./standing.js";

const MOVE = "dpviz-move";
const ON_THE_WAY = 2; // requests of a movement
const CALM = 400; // milliseconds of rest after which the values next to the slider's are asked for
const QUICK = 150; // and those that a figure takes at most whose neighbours are worth it
const ANNOUNCED = 5000; // milliseconds after which a screen reader has begun to say what is new
const LABELS = "dpviz-labels"; // what the tab remembers of a reader's wish
const AGAIN = [500, 1000, 2000, 4000]; // milliseconds until a figure that did not arrive is asked for

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Show what is wanted. */
export default mounted("stage", (place, { bring }) => new Stage(place.querySelector(".dpviz-stage"), bring));

export class Stage extends Part {
  /**
   * @param {any} root
   * @param {typeof fetch} bring asks for a figure; a file, which has no server, answers by itself
   */
  constructor(root, bring = (address, ...how) => fetch(at(address), ...how)) {
    super();
    const find = (name) => root.querySelector(name);
    this.root = root;
    this.page = pageOf(root);
    this.bring = bring;
    this.takeaway = find(".takeaway");
    this.picture = find(".picture");
    this.plot = find(".plot");
    this.message = find(".message");
    this.legend = find(".legend-place");
    this.detail = find(".detail");
    this.printed = find(".printed");
    this.further = find(".going-on");
    this.button = find(".going-on button");
    this.bar = find("progress");
    this.words = find(".words");
    this.spoken = find(".spoken");
    this.drawing = new Drawing(this.plot, still, bring);
    this.focus = new Focus(this.drawing);
    this.reading = new Reading(this.picture, this.drawing, this.focus);
    this.handle = new Handle(this.picture, this.drawing);
    this.headline = new Sentence(this.takeaway);
    this.glossary = new Words(root);
    this.keeping = new Keeping(this);

    this.moves = new Map(); // parameter -> the value of a movement the server has not answered
    this.wanted = ""; // the address of the figure to be drawn next
    this.requests = []; // on their way, oldest first
    this.come = { number: 0, wanted: "" }; // the last request of a movement that is answered
    this.asked = 0; // requests so far
    this.shown = 0; // the number of the last request of which something was drawn
    this.near = []; // parameters and values next to the last movement's
    this.waiting = null; // a line that has come and is not drawn
    this.busy = false;
    this.told = {}; // the words that stand there
    this.finished = null; // the server's wish of which it has been told that all of it is drawn
    this.remark = ""; // what is to be said of a figure that is not computed to its end
    this.about = ""; // the view whose figure and sentence stand there
    this.held = ""; // what a figure of a movement holds on to, of the one that is drawn
    this.since = null; // what stood there, the last one whole if any was: about what, and its query
    this.room = undefined; // pixels that a figure has across: who asks for them has the page laid out

    this.on(this.page, { [MOVE]: ({ detail }) => this.move(detail) });
    const again = () => this.picture.clientWidth && this.want(); // out of sight it has no width
    this.on(narrow, { change: again });
    let due = 0;
    const resize = () => {
      this.room = undefined;
      clearTimeout(due);
      due = setTimeout(() => (this.keeping.letGo(), again()), 300);
    };
    const beforeprint = () => (this.printed.textContent = `${this.remark} ${location.href}`.trim());
    this.on(window, { resize, beforeprint });
    this.on(this.button, { click: this.press });
    this.on(this.legend, { click: this.turn });
    // What stands beside the figure comes and goes, too.
    let width = 0;
    this.widths = new ResizeObserver(([{ contentRect }]) => {
      this.room = this.picture.clientWidth;
      this.drawing.resized();
      this.handle.place();
      if (contentRect.width !== width) this.reading.renew();
      if (width && contentRect.width !== width) window.dispatchEvent(new Event("resize"));
      width = contentRect.width;
    });
    this.widths.observe(this.picture);
  }

  stop() {
    super.stop();
    clearTimeout(this.calm);
    this.abandon();
    this.drawing.clear();
    this.widths.disconnect();
    const { reading, handle, headline, glossary, keeping } = this;
    for (const part of [reading, handle, headline, glossary, keeping]) part.stop();
  }

  // --- What is wanted -------------------------------------------------------------------------

  /**
   * @param {import("./types").Wanted} data
   * @param {(name: string, value: any) => void} setTriggerValue
   */
  update(data, setTriggerValue) {
    this.data = data;
    this.trigger = setTriggerValue;
    for (const [key, { number }] of this.moves)
      if (!(number > (data.numbers[key] ?? 0))) this.moves.delete(key);
    this.page.dispatchEvent(new CustomEvent("dpviz-answer", { detail: data }));
    this.want();
  }

  /** @param {import("./types").Move} detail */
  move({ key, text, number, rests, near = [] }) {
    if (!(key in this.data.query)) return;
    this.near = near.map((value) => [key, value]);
    if (text === null) this.moves.delete(key);
    else this.moves.set(key, { text, number, rests });
    this.keeping.begin(key);
    this.want();
  }

  get moving() {
    return [...this.moves.values()].some(({ rests }) => !rests);
  }

  // The page's parameters, as they are in the address of the page when the movement has ended.
  get query() {
    const moved = [...this.moves].map(([key, { text }]) => [key, text]);
    return new URLSearchParams({ ...this.data.query, ...Object.fromEntries(moved) });
  }

  // What stands there is about: a view, and the step of a class at which it is seen.
  get subject() {
    return `${this.data.figure} ${this.data.place ?? ""}`;
  }

  get address() {
    return this.addressOf(this.query);
  }

  addressOf(query) {
    const { innerWidth: width, innerHeight: height } = window;
    const room = (this.room ??= this.picture.clientWidth);
    let { look } = this.data;
    const chosen = look.labels === "few" && recall("tab", LABELS);
    if (chosen) look = { ...look, labels: chosen };
    // What was guessed and revealed was about where the controls stood then.
    const moved = String(others(new URLSearchParams(this.data.query), query));
    if (moved) look = { ...look, guess: "", told: look.told && "since" };
    const data = { ...this.data, look };
    return addressOf(data, query, { narrow: narrow.matches, width, height, room });
  }

  // All curves, or those that the figure is about: for all figures of this tab.
  turn({ target }) {
    const button = target.closest(".all-labels");
    if (!button) return;
    keep("tab", LABELS, button.ariaChecked === "true" ? "few" : "all");
    this.want();
  }

  want() {
    const { moving, address } = this;
    const { own, leave, place } = this.data;
    const wanted = `${address} ${moving} ${own} ${leave} ${place ?? ""}`;
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.mark("other", Boolean(this.about) && this.about !== this.subject);
    this.failures = 0;
    clearTimeout(this.calm);
    if (moving) {
      this.requests.filter((request) => !request.moving).forEach((request) => request.end());
    } else {
      this.abandon();
      this.come = { number: this.asked, wanted: "" };
    }
    this.mark("state", moving ? "moving" : "fetching");
    this.further.hidden = this.further.hidden || !this.data.leave;
    this.send();
  }

  // --- Asking ---------------------------------------------------------------------------------

  abandon() {
    this.requests.forEach((request) => request.end());
  }

  send() {
    // A figure that has come and waits for the one before to be painted counts as well.
    const waits = this.waiting?.request.moving ? 1 : 0;
    if (this.requests.length + waits >= ON_THE_WAY) return;
    if ([this.come, ...this.requests].some(({ wanted }) => wanted === this.wanted)) return;
    const stop = new AbortController();
    const { moving, wanted, address, subject: about } = this;
    const number = ++this.asked;
    const query = this.query.toString();
    const place = this.data.place ?? "";
    const request = { moving, wanted, about, place, address, number, query };
    request.end = () => {
      stop.abort();
      this.requests = this.requests.filter((other) => other !== request);
    };
    this.requests.push(request);
    this.ask(request, stop.signal).catch((fault) => {
      if (!stop.signal.aborted) this.fail(request, fault);
    });
  }

  async ask(request, signal) {
    const moving = request.moving ? "&moving=1" : "";
    const [name, token] = this.data.token;
    const begin = performance.now();
    const headers = { [name]: token };
    const answer = await this.bring(this.address + moving + this.before, { signal, headers });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const last = request.moving ? await only(answer) : await this.read(answer, request);
    if (!last) throw new Error("an empty answer");
    if (last.busy) throw new Error(last.problem); // asked for again
    request.end();
    this.failures = 0;
    if (request.moving) {
      if (request.number > this.come.number) this.come = request;
      await this.take(last, request, false);
    }
    if (request.wanted !== this.wanted) this.send();
    else if (!request.moving) {
      const quick = performance.now() - begin < QUICK && last.whole && !("problem" in last);
      await this.take(last, request, true);
      if (quick) this.calm = setTimeout(() => this.lookAhead(), CALM);
    }
  }

  // What the next figure holds on to, until the controls are let go: axes, and curves that stand in
  // for those not known yet, told by the parameters that were others then.
  get before() {
    if (!this.keeping.kept || this.about !== this.subject) return "";
    const { about, query } = this.since ?? {};
    if (about !== this.subject) return this.held;
    return `${this.held}&since=${encodeURIComponent(String(others(query, this.query)))}`;
  }

  // Draw the lines of an answer as they come, and return the last.
  async read(answer, request) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
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
      await this.take(last, request, false);
    }
  }

  // The server computes what a step to either side would show, and keeps it; a busy one declines.
  async lookAhead() {
    const { near, wanted } = this;
    this.near = [];
    for (const [key, value] of near) {
      if (this.wanted !== wanted || this.ended.signal.aborted || document.hidden) return;
      const query = this.query;
      query.set(key, value);
      const answer = await this.bring(`${this.addressOf(query)}&idle=1`).catch(() => null);
      if (!answer || answer.headers.has("X-Dpviz-Busy")) return;
    }
  }

  fail(request, fault) {
    request.end();
    if (this.come === request) this.come = { ...request, wanted: "" }; // it came, but was not drawn
    if (request.wanted !== this.wanted) return this.send();
    const pause = AGAIN[Math.min(this.failures++, AGAIN.length - 1)];
    this.timer = setTimeout(() => request.wanted === this.wanted && this.send(), pause);
    if (this.failures < 3 || this.ended.signal.aborted) return;
    this.complain("The figure has not arrived; asking for it again.", true);
    console.warn(fault);
  }

  /** @param {import("./types").Line} line */
  async take(line, request, final) {
    if (request.number < this.shown) return; // a later one came first
    this.waiting = { line, request, final };
    if (request.moving) this.send();
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.waiting) {
        const next = this.waiting;
        this.waiting = null;
        if (next.request.moving) this.send();
        await this.draw(next);
      }
    } catch (fault) {
      console.error(fault); // asked for again like one that did not arrive, it would stay unnoticed
      throw fault;
    } finally {
      this.busy = false;
    }
  }

  // --- Drawing --------------------------------------------------------------------------------

  async draw({ line, request, final }) {
    if (request.number < this.shown || this.ended.signal.aborted) return;
    this.shown = request.number;
    if ("ahead" in line) {
      const others = line.ahead === 1 ? "another computation" : `${line.ahead} other computations`;
      this.going(`Waiting for ${others} to end or to pause.`, null);
      return;
    }
    if (!line.drawn) await this.put(line, request);
    line.drawn = true;
    const current = request.wanted === this.wanted;
    if (final) this.settle(request);
    if (final && current) this.rest(line);
    else if (this.data.leave && !request.moving && !("problem" in line))
      this.going(`Computing.${percent(line.done)}`, line.done);
  }

  /** @param {import("./types").Line} line */
  async put(line, request) {
    this.keeping.measure();
    if (this.about && request.about !== this.about && request.place) this.drawing.clear();
    if ("problem" in line) this.complain(line.problem, line.grave);
    else {
      this.message.hidden = true;
      this.plot.hidden = false;
      this.drawing.put(line, request.address);
      this.plot.setAttribute("aria-label", line.alt);
      const { legend } = line;
      // What stays the same is not written again: the browser would lay it out again, too.
      if (line.takeaway !== this.told.takeaway) this.headline.write(line.takeaway);
      if (legend !== this.told.legend) this.list(legend);
      if (line.exact !== this.told.exact) this.detail.innerHTML = line.exact;
      this.told = { takeaway: line.takeaway, legend, exact: line.exact };
      const [left, right] = [line.left, line.right].map(Math.round);
      const kept = `&held=${line.axes}&left=${left}&right=${right}&places=${line.places}`;
      this.held = line.axes ? kept : "";
      this.note(line.notes);
      this.page.dispatchEvent(new CustomEvent("dpviz-odds", { detail: line.odds }));
    }
    this.glossary.renew();
    this.reading.renew();
    this.focus.show();
    this.handle.place();
    this.about = request.about;
    this.mark("other", this.about !== this.subject);
    this.mark("place", request.place);
    this.keeping.stick();
    this.mark("number", Number(this.root.dataset.number) + 1);
    if (this.page === document) leave();
    this.mark("whole", Boolean(line.whole));
    const first = !request.moving && this.since?.about !== request.about;
    if (line.whole || first) this.settle(request);
    this.remark = line.remark ?? "";
    this.mark("query", request.query);
    this.mark("address", request.address);
    await painted();
  }

  settle({ about, query }) {
    this.since = { about, query: new URLSearchParams(query) };
  }

  complain(words, grave) {
    if (this.page === document) leave();
    this.message.textContent = words;
    this.message.className = grave ? "message grave" : "message";
    this.message.hidden = false;
    this.plot.hidden = true;
    this.told = {};
    this.headline.write("");
    this.legend.textContent = "";
    this.detail.textContent = "";
    this.note([]);
  }

  // Who has the keys on the switch keeps them.
  list(legend) {
    const held = this.legend.querySelector(":focus");
    this.legend.innerHTML = legend;
    if (held) this.legend.querySelector(".all-labels")?.focus({ preventScroll: true });
  }

  note(notes) {
    this.root.notes = notes;
    this.page.dispatchEvent(new CustomEvent("dpviz-notes", { detail: notes }));
  }

  mark(name, value) {
    const text = String(value);
    if (this.root.dataset[name] !== text) this.root.dataset[name] = text;
  }

  /**
   * Nothing more comes: now a screen reader announces it, once. Whoever reads on finds the sentence
   * where it stands, and not a second time.
   * @param {import("./types").Line} line
   */
  rest(line) {
    this.keeping.measure();
    this.mark("state", "rest");
    const said = this.takeaway.textContent;
    this.spoken.textContent = said;
    setTimeout(() => this.spoken.textContent === said && (this.spoken.textContent = ""), ANNOUNCED);
    this.further.hidden = Boolean(line.whole);
    if (!line.whole) {
      this.bar.hidden = true;
      this.button.textContent = "Compute further";
      this.words.textContent = `${line.remark} The code computes all of it.`.trim();
    }
    // Whoever comes back to a finished one has all of it on the page already; a run that nobody
    // began may lead a reader who just left back again. Said once: what is drawn again meanwhile
    // would run the page once more.
    const { leave, whole } = this.data;
    if (!leave || whole || !line.whole || this.finished === this.data) return;
    this.finished = this.data;
    this.trigger("finished", this.asked);
  }

  // --- Long computations ----------------------------------------------------------------------

  going(words, done) {
    this.further.hidden = false;
    this.button.textContent = "Stop";
    this.bar.hidden = false;
    if (done != null) this.bar.value = done;
    this.words.textContent = words;
  }

  press() {
    this.trigger(this.button.textContent === "Stop" ? "stop" : "compute", ++this.asked);
  }
}

/**
 * An answer to a movement has one line: it needs no reading in parts, each a wait for the browser.
 * @param {Response} answer
 * @returns {Promise<import("./types").Line | "">}
 */
async function only(answer) {
  const text = (await answer.text()).trimEnd();
  return text && JSON.parse(text.slice(text.lastIndexOf("\n") + 1));
}

function percent(done) {
  return done == null ? "" : ` ${Math.round(100 * done)}%`;
}

// A tab out of sight paints nothing.
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 100);
  });
}
