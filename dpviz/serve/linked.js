// The browser's half of dpviz/plot/linked.py: draws a figure whose parts answer to each other, and
// lets a hand move its control. It computes nothing: all it shows is looked up in what came along.

(() => {
  const QUIET = Object.fromEntries(
    ["level", "error", "warn", "info", "debug"].map((name) => [name, () => QUIET]),
  );
  const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

  // moved: is told a control's key and value when a hand has let go of it; said: what is chosen.
  // A control without a key is moved here only, and stays where it is as long as it has these stops.
  class Linked {
    constructor(place, { moved = () => {}, said = () => {} } = {}) {
      Object.assign(this, { place, moved, said, text: "", held: null });
      // The place has a name and takes keys; what is drawn in it says nothing more to who hears it.
      this.drawn = document.createElement("div");
      this.drawn.setAttribute("aria-hidden", "true");
      place.replaceChildren(this.drawn);
      this.ended = new AbortController();
      const { signal } = this.ended;
      const end = () => this.letGo();
      window.addEventListener("pointerup", end, { signal });
      window.addEventListener("pointercancel", end, { signal });
      place.addEventListener("keydown", (event) => this.press(event), { signal });
      this.sized = new ResizeObserver(() => this.fit());
      this.sized.observe(place);
    }

    stop() {
      this.ended.abort();
      this.sized.disconnect();
      this.view?.finalize();
    }

    // The drawn figure stays, and the brush on it, as long as only what it shows is another.
    async draw(figure) {
      this.figure = figure;
      const text = JSON.stringify(figure.specification);
      if (text === this.text) this.exchange(figure);
      else this.make(figure);
      this.text = text;
      this.stops = figure.controls.map(({ stops }) => stops.join());
      await this.fit();
    }

    make({ specification, values, tables, controls }) {
      this.view?.finalize();
      const given = Object.entries(values).map(([name, value]) => ({ name, value }));
      const params = [...(specification.params ?? []), ...given];
      const { spec } = vegaLite.compile(
        { ...specification, params, datasets: tables },
        { logger: QUIET },
      );
      for (const layer of spec.marks.flatMap(({ marks }) => marks ?? [])) {
        // A pointer on what is brushed means the marks below; what a hand takes hold of has to feel.
        if (layer.name?.endsWith("_brush")) layer.interactive = false;
        if (controls.some(({ marks }) => layer.name?.startsWith(`${marks}_`)))
          layer.interactive = true;
      }
      const runtime = vega.parse(spec, null, { ast: true }); // the page forbids to evaluate text
      this.view = new vega.View(runtime, {
        expr: vegaInterpreter.expressionInterpreter,
        renderer: "svg",
        container: this.drawn,
        hover: true,
        logger: QUIET,
        loader: { load: () => Promise.reject(new Error("nothing is loaded")), sanitize: null },
      });
      for (const kind of ["pointerdown", "pointermove"])
        this.view.addEventListener(kind, (event, item) => this.pull(kind, event, item));
    }

    exchange({ values, tables, controls }) {
      const stays = ({ key, stops }, number) => !key && stops.join() === this.stops[number];
      const own = controls.filter(stays);
      const kept = [...own, this.held].map((control) => control?.signal);
      for (const [name, value] of Object.entries(values))
        if (!kept.includes(name)) this.view.signal(name, value);
      for (const [name, rows] of Object.entries(tables)) this.view.data(name, rows);
    }

    async fit() {
      const wide = this.place.clientWidth;
      if (!wide || !this.view) return;
      for (const [name, [share, less]] of Object.entries(this.figure.sizes))
        this.view.signal(name, Math.max(share * wide - less, 60));
      await this.view.runAsync();
      if (this.figure.told) this.place.dataset.told = this.view.signal(this.figure.told);
    }

    // --- The controls ---------------------------------------------------------------------------

    pull(kind, event, item) {
      if (!(event.buttons & 1)) return;
      const drawn = item?.mark?.name ?? "";
      const over = this.figure.controls.find(({ marks }) => drawn.startsWith(`${marks}_`));
      if (!over) return;
      if (kind === "pointerdown") {
        this.held = over;
        // A finger feels but the mark it came down on until that is let go of.
        const { target, pointerId } = event;
        if (target.hasPointerCapture?.(pointerId)) target.releasePointerCapture(pointerId);
      }
      if (this.held !== over) return;
      event.preventDefault();
      this.view.signal(over.signal, item.datum.place).runAsync();
    }

    letGo() {
      const { held } = this;
      this.held = null;
      if (held?.key) this.moved(held.key, held.stops[this.view.signal(held.signal)]);
      if (this.view && this.figure.told) setTimeout(() => this.tell());
    }

    async tell() {
      await this.view.runAsync();
      const words = this.view.signal(this.figure.told);
      if (words !== this.place.dataset.told) this.said(words);
      this.place.dataset.told = words;
    }

    // --- The brush, by keys ---------------------------------------------------------------------

    // An arrow chooses the next group, with Shift one more; Escape lets all go.
    press(event) {
      const step = STEPS[event.key];
      const { brush } = this.figure ?? {};
      if (!brush || (!step && event.key !== "Escape")) return;
      event.preventDefault();
      const count = brush.middles.length - 1;
      const inside = (group) => Math.min(Math.max(group, 0), count);
      const last = step && this.chosen ? inside(this.chosen[1] + step) : step < 0 ? count : 0;
      const first = event.shiftKey && this.chosen ? this.chosen[0] : last;
      this.chosen = step ? [first, last] : null;
      const ends = [first, last].sort((a, b) => a - b).map((group) => brush.middles[group]);
      const tuple = { unit: brush.view, fields: brush.fields, values: [ends] };
      this.view.data(`${brush.name}_store`, step ? [tuple] : []);
      this.tell();
    }
  }

  window.dpvizLinked = Linked;
})();
