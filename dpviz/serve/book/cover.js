// The first page of a book: its search.

import { watch } from "./search.js";

watch(document.getElementById("search"), document.getElementById("found"), document.body.dataset);
