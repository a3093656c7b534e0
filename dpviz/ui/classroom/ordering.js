// The browser's half of ordering.py: a list whose parts are dragged, or moved by the arrow keys.

export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector(".order");
  list.tell = setTriggerValue;
  const about = JSON.stringify(data);
  if (list.about === about) return;
  list.about = about;
  const focused = list.focused; // the place of what the keys have moved
  list.focused = undefined;
  list.replaceChildren(...data.map((title, place) => part(list, title, place)));
  list.children[focused]?.focus();
}

function part(list, title, place) {
  const item = document.createElement("li");
  item.textContent = title;
  item.tabIndex = 0;
  item.dataset.place = place;
  item.setAttribute("aria-label", `${place + 1}. ${title}. Arrow keys move it.`);
  item.onkeydown = (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    move(item, by);
    item.focus();
    list.focused = [...list.children].indexOf(item);
    tell(list);
  };
  item.onpointerdown = (event) => {
    item.setPointerCapture(event.pointerId);
    item.classList.add("held");
  };
  item.onpointermove = ({ clientY }) => {
    if (!item.classList.contains("held")) return;
    const { top, bottom } = item.getBoundingClientRect();
    if (clientY < top) move(item, -1);
    else if (clientY > bottom) move(item, 1);
  };
  item.onpointerup = item.onpointercancel = () => {
    item.classList.remove("held");
    tell(list);
  };
  return item;
}

function move(item, by) {
  if (by < 0) item.previousElementSibling?.before(item);
  else item.nextElementSibling?.after(item);
}

function tell(list) {
  const places = [...list.children].map((item) => Number(item.dataset.place));
  if (places.some((place, at) => place !== at)) list.tell("order", { places, at: Date.now() });
}
