// A room that has ended leaves nothing in a browser.

import { forget } from "./kept.js";
import { named } from "./site.js";

const [, , code] = named(location).split(/[/?]/);
if (document.body.dataset.ended) for (const kind of ["phone", "lead", "begun"]) forget(kind, code);
