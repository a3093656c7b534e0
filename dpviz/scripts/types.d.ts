// What travels: between the server and the modules here, and between the modules by events. It is for
// who reads and edits them, and for TypeScript's compiler, which `make types` asks; browsers get none.

/** Text as HTML, of which only <strong> and <span> of class "term" or "pull" are used. */
export type Html = string;

/** A line of the figure route is one of three; which one, its parts say. */
export type Line = Partial<Figure> & Partial<Problem> & Partial<Waiting>;

/** A figure, and what it says. assets/schemas/figure.json says what each part is. */
export interface Figure {
  takeaway: Html;
  detail: string;
  exact: Html;
  alt: string;
  notes: Html[];
  corrections: string[];
  odds: string;
  done: number | null;
  whole: boolean;
  remark: string;
  legend: string;
  axes: number[] | null;
  left: number;
  right: number;
  places: string[];
  spec?: object;
  svg?: string;
  scales?: Record<string, number[]>;
  drag?: Dragged | null;
  play?: Play | null;
  readings?: Reading[];
  frames?: Change[][];
}

/** What a curve, or bars, cells and points, say where: see dpviz/plot/readings.py. */
export interface Reading {
  axes: string[];
  way: string;
  places: number[][];
  said: (string | null)[];
  color: string;
  at?: string[];
  key?: string;
  width?: number;
}

/** Where the button is that plays a figure, and how long a frame stands. */
export interface Play {
  right: number;
  top: number;
  each: number;
}

/** From which part of a drawing up to which there are others, and these. */
export type Change = [from: number, to: number, svg: string];

/** Why there is no figure. */
export interface Problem {
  problem: string;
  grave: boolean;
  busy?: boolean;
  whole: boolean;
}

/** How many others come first. */
export interface Waiting {
  ahead: number;
}

/**
 * What a page says of the figure it wants (dpviz/ui/stage.py); rooms and files leave some out. varies: by
 * what the figure differs at one address, as the reader's file.
 */
export interface Wanted {
  figure: string;
  step?: string;
  query: Record<string, string>;
  numbers: Record<string, number>;
  look: Record<string, string>;
  presenting?: boolean;
  above?: number;
  below?: number;
  varies: (string | number)[];
  unlimited?: boolean;
  whole?: boolean;
  token: [name: string, token: string];
  version?: string;
}

/** A request for a figure, and what it is of; before: what of the figures before it holds on. */
export interface FigureRequest {
  about: string;
  address: string;
  before: string;
  moving: boolean;
  step: string;
  query: string;
  token: [name: string, token: string];
}

/** A line that has come; final: nothing more comes of its request. */
export interface Answer {
  line: any;
  request: any;
  final: boolean;
}

/** Who asks for figures, as scripts/requests.js needs it; waits: whether an answer is not drawn yet. */
export interface Asker {
  describe: () => FigureRequest;
  neighbours: () => string[];
  waits: () => boolean;
  take: (line: Line, request: any, final: boolean) => Promise<void>;
  complain: (words: string) => void;
}

/** What a page that stands knows of itself: dpviz/serve/standing.py. */
export interface Stands {
  wanted: Wanted;
  controls: Record<string, Range>;
  carried: string[];
  rounds: { count: number; answers: [letter: string, words: string][]; again: string } | null;
  guess: { key: string; stands: string; counts: boolean; revealed: string } | null;
}

/** The window that a figure is for; narrow: whether it is a phone's; room: the figure's width. */
export interface Pane {
  narrow: boolean;
  width: number;
  height: number;
  room: number;
}

/** What a range control is told: dpviz/ui/controls/range_control.py. */
export interface Range {
  key: string;
  text: string;
  note: string;
  number: number;
  symbol: string;
  meaning: string;
  words: [words: string, meaning: string][];
  better: string;
  log: boolean;
  whole: boolean;
  grid: string[];
  ticks: [place: number, label: string][];
}

/** A control has moved. text: its value, null where nothing came of it; near: the values beside. */
export interface Move {
  key: string;
  text: string | null;
  number: number;
  rests: boolean;
  near?: string[];
}

/**
 * What a figure has of a parameter to be dragged: a point, or a line. It stands at the value, or where
 * this one is, and goes out like the root of the value that has this power; or so far from a place,
 * each unit so wide.
 */
export interface Dragged {
  key: string;
  x: number;
  y?: number | null;
  line?: boolean;
  grip?: number;
  value?: number;
  power?: number;
  from?: number;
  each?: number;
}

/**
 * A hand on the figure moves a control: to a value, by the name of a key, "" when that is up again,
 * or not at all, to hear from the control. The control answers in what it is told.
 */
export interface Drag {
  key: string;
  value?: number;
  index?: number;
  focus?: boolean;
  last?: boolean;
  press?: string;
  control?: { label: string; text: string; now: number; last: number };
  taken?: boolean;
}

/** What Streamlit, a room or the file of a lecture calls a component with. */
export interface Call<Data> {
  data: Data;
  parentElement: any;
  setTriggerValue: (name: string, value: any) => void;
  setStateValue: (name: string, value: any) => void;
  bring?: typeof fetch;
}

declare global {
  interface Window {
    dpvizScripts: Map<string, Promise<unknown>>;
  }
  interface Document {
    dpvizStepsByKey?: boolean;
    dpvizWords?: boolean;
  }
  interface DocumentEventMap {
    "dpviz-move": CustomEvent<Move>;
    "dpviz-drag": CustomEvent<Drag>;
    "dpviz-control": CustomEvent<string>;
    "dpviz-notes": CustomEvent<Html[]>;
    "dpviz-odds": CustomEvent<string>;
    "dpviz-said": CustomEvent<{ said: string; number: number }>;
  }
  // Those of a page are HTML or SVG, which have these.
  interface Element {
    dataset: DOMStringMap;
    blur(): void;
  }
  interface EventTarget {
    closest?(selectors: string): HTMLElement | null;
  }
}

declare global {
  interface Window {
    navigation?: { canGoBack: boolean }; // not yet in the compiler's own list
  }
}
