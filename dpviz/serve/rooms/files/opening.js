// Who comes from a page of the app has said already that a room is to be opened there.

const form = document.querySelector("form[method=post]");
const [visit] = performance.getEntriesByType("navigation");
const from = document.referrer && new URL(document.referrer);
const led = from && from.origin === location.origin && !from.pathname.startsWith("/room");
if (led && visit?.type === "navigate") form.requestSubmit();
