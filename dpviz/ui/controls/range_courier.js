// Carries the values of controls that are being moved; see range_control.py.

export default function ({ data, parentElement, setStateValue }) {
  const courier = (parentElement.courier ??= start());
  courier.send = (moves) => setStateValue("moves", moves);
  courier.forget(data);
  document.dispatchEvent(new CustomEvent("dpviz-drawn", { detail: data }));
  return () => {
    if (!parentElement.isConnected) courier.stop();
  };
}

function start() {
  const stop = new AbortController();
  const moves = {};
  const courier = {
    // What has arrived is not sent again: a server that restarts would take it for news.
    forget: (numbers) =>
      Object.keys(moves).forEach((key) => {
        if (numbers[key] >= moves[key].number) delete moves[key];
      }),
    stop: () => stop.abort(),
  };
  const take = ({ detail: { key, text, number } }) => {
    moves[key] = { text, number };
    courier.send({ ...moves });
  };
  document.addEventListener("dpviz-move", take, { signal: stop.signal });
  return courier;
}
