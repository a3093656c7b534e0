// @ts-check
// Where the site is: a page is right below it, unless it says otherwise (data-site). What the server
// names from the site on ("/figure/promise/odds") may be below a path here ("/dp/figure/promise/odds").

// At once: what goes on in the address of a page later says nothing of where its site is.
const SITE = globalThis.document
  ? new URL(document.documentElement.dataset.site ?? "./", location.href).pathname
  : "/";

/**
 * Return the address of something of the site.
 * @param {string} path
 */
export const at = (path) => SITE + path.replace(/^[/]/, "");

/**
 * Return a place of the site, as `at` takes it.
 * @param {{ pathname: string, search: string }} place
 */
export const named = ({ pathname, search }) => `/${pathname.slice(SITE.length)}${search}`;
