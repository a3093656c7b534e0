// @ts-check
// The browser's half of stage.py: the figure of a view with its words, for as long as it is open.
//
// Each module has one job, and what it touches is what it imports: wanted.js says which figure is
// wanted, requests.js asks for it, latest.js has answers drawn one by one, previous.js knows what a
// movement holds on to; figure.js, texts.js and progress.js put it on the page, and anchoring.js lets the
// page stand still under the hand. Here they are told of each other, and no figure is computed.
//
// Attributes say how far it is: data-number counts the figures drawn, data-state is "moving",
// "fetching" or "rest", data-whole says whether it is the finest, data-query what is drawn,
// data-address from where, data-step at which step of a class, data-other whether that is still about
// the view or the step before.

import { Figure } from "./figure.js";
import { Anchoring } from "./anchoring.js";
import { Latest } from "./latest.js";
import { narrow } from "./media.js";
import { Component, setData, mounted } from "./component.js";
import { Previous } from "./previous.js";
import { Progress } from "./progress.js";
import { Requests } from "./requests.js";
import { pageOf } from "./side.js";
import { at } from "./site.js";
import { leave } from "./standing.js";
import { Texts } from "./texts.js";
import { Wanted } from "./wanted.js";

/** Show what is wanted. */
export default mounted("stage", (place, { bring }) => new Stage(place.querySelector(".dpviz-stage"), bring));

export class Stage extends Component {
  /**
   * @param {any} root
   * @param {typeof fetch} bring asks for a figure; a file, which has no server, answers by itself
   */
  constructor(root, bring = (address, how) => fetch(at(String(address)), how)) {
    super();
    this.root = root;
    this.page = pageOf(root);
    this.finished = null; // the wish of which the server knows that all of it is drawn
    this.about = ""; // the view whose figure and sentence stand there
    this.figure = new Figure(root, bring);
    this.texts = new Texts(root);
    this.progress = new Progress(root, (word) => this.trigger(word, ++this.requests.count));
    this.wanted = new Wanted(() => this.figure.width);
    this.previous = new Previous();
    this.latest = new Latest(
      (answer) => this.receive(answer),
      () => this.requests.send(),
    );
    this.requests = new Requests(bring, {
      describe: () => this.describe(),
      neighbours: () => this.wanted.neighbours(),
      waits: () => this.latest.waits,
      take: (...answer) => this.latest.take(...answer),
      complain: (words) => this.complain(words, true),
    });
    const { takeaway, legend, detail } = this.texts;
    const growing = [takeaway, this.figure.picture, legend, detail];
    this.anchoring = new Anchoring(root, growing, this.progress.place, () => this.moving);

    const again = () => this.figure.isSeen && this.want();
    let due = 0;
    const resize = () => {
      clearTimeout(due);
      due = setTimeout(() => (this.anchoring.letGo(), again()), 300);
    };
    this.on(this.page, { "dpviz-move": this.move });
    this.on(narrow, { change: again });
    this.on(window, { resize });
    this.on(legend, { click: this.label });
  }

  stop() {
    super.stop();
    const { figure, texts, progress, requests, anchoring } = this;
    for (const part of [requests, figure, texts, progress, anchoring]) part.stop();
  }

  get moving() {
    return this.wanted.moving;
  }

  setData(name, value) {
    setData(this.root, name, value);
  }

  // --- What is wanted -------------------------------------------------------------------------

  /**
   * @param {import("./types").Wanted} data
   * @param {(name: string, value: any) => void} setTriggerValue
   */
  update(data, setTriggerValue) {
    this.trigger = setTriggerValue;
    this.wanted.update(data);
    this.page.dispatchEvent(new CustomEvent("dpviz-answer", { detail: data }));
    this.want();
  }

  /** @param {CustomEvent<import("./types").Move>} event */
  move({ detail }) {
    if (!(detail.key in this.wanted.data.query)) return;
    this.wanted.move(detail);
    this.anchoring.begin(detail.key);
    this.want();
  }

  label({ target }) {
    const button = target.closest(".all-labels");
    if (!button) return;
    this.wanted.label(button.ariaChecked !== "true");
    this.want();
  }

  want() {
    const { name, moving, subject, data } = this.wanted;
    if (name === this.requests.wanted) return;
    this.setData("other", Boolean(this.about) && this.about !== subject);
    this.setData("state", moving ? "moving" : "fetching");
    if (!data.unlimited) this.progress.hide();
    this.requests.want(name, moving);
  }

  /** Return the request for what is wanted now. */
  describe() {
    const { address, moving, subject, query, data } = this.wanted;
    const holds = this.anchoring.kept && this.about === subject;
    const before = holds ? this.previous.of(subject, query) : "";
    const { step = "", token } = data;
    return { about: subject, address, before, moving, step, query: query.toString(), token };
  }

  // --- What has come --------------------------------------------------------------------------

  /** @param {import("./types").Answer} answer */
  async receive({ line, request, final }) {
    if (this.ended.signal.aborted) return;
    if ("ahead" in line) {
      const others = line.ahead === 1 ? "another computation" : `${line.ahead} other computations`;
      this.progress.show(`Waiting for ${others} to end or to pause.`, null);
      return;
    }
    if (!line.drawn) await this.render(line, request);
    line.drawn = true;
    if (final) this.previous.settle(request);
    if (final && request.wanted === this.requests.wanted) this.rest(line);
    else if (this.wanted.data.unlimited && !request.moving && !("problem" in line))
      this.progress.show(`Computing.${percent(line.done)}`, line.done);
  }

  /** @param {import("./types").Line} line */
  async render(line, request) {
    this.anchoring.measure();
    if (this.about && request.about !== this.about && request.step) this.figure.clear();
    if ("problem" in line) this.complain(line.problem, line.grave);
    else {
      this.figure.put(line, request.address);
      this.texts.write(line);
      this.previous.hold(line);
    }
    this.texts.glossary.renew();
    this.figure.renew();
    this.about = request.about;
    this.setData("other", this.about !== this.wanted.subject);
    this.setData("step", request.step);
    this.anchoring.stick();
    this.setData("number", Number(this.root.dataset.number) + 1);
    if (this.page === document) leave();
    this.setData("whole", Boolean(line.whole));
    if (line.whole || (!request.moving && !this.previous.isAbout(request.about))) this.previous.settle(request);
    this.texts.remark = line.remark ?? "";
    this.setData("query", request.query);
    this.setData("address", request.address);
    await painted();
  }

  complain(words, grave) {
    if (this.page === document) leave();
    this.figure.hide();
    this.texts.complain(words, grave);
  }

  /**
   * Nothing more comes.
   * @param {import("./types").Line} line
   */
  rest(line) {
    this.anchoring.measure();
    this.setData("state", "rest");
    this.texts.announce();
    this.progress.rest(line);
    // Whoever comes back to a finished one has all of it on the page already; a run that nobody
    // began may lead a reader who just left back again. Said once: what is drawn again meanwhile
    // would run the page once more.
    const { data } = this.wanted;
    if (!data.unlimited || data.whole || !line.whole || this.finished === data) return;
    this.finished = data;
    this.trigger("finished", this.requests.count);
  }
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
