// @ts-check
// Where the site is: a page is right below it, unless it says otherwise (data-site). What the server
// names from the site on ("/figure/promise/odds") may be below a path here ("/dp/figure/promise/odds").

let known = "";

function site() {
  // Once: what goes on in the address of a page later says nothing of where its site is.
  known ||= new URL(document.documentElement?.dataset?.site ?? "./", location.href).pathname;
  return known;
}

/**
 * Return the address of something of the site.
 * @param {string} path
 */
export const at = (path) => site() + path.replace(/^[/]/, "");

/**
 * Return a place of the site, as `at` takes it.
 * @param {{ pathname: string, search: string }} place
 */
export const named = ({ pathname, search }) => `/${pathname.slice(site().length)}${search}`;
