// A component's module, from where browsers keep it: Streamlit's messages carry these lines only.

const folder = new URL("{folder}", location.origin);
const PAUSES = [500, 1000, 2000, 4000, 8000]; // milliseconds after which to try again

async function load(turn = 0) {
  try {
    // What failed once may stay failed under the same address, be it this module or one it imports.
    return await import(new URL(turn ? `${turn}/{name}` : "{name}", folder).href);
  } catch (fault) {
    if (turn === PAUSES.length) throw fault;
    await new Promise((go) => setTimeout(go, PAUSES[turn]));
    return load(turn + 1);
  }
}

export default (await load()).default;
