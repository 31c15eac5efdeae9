// Lists of documents page by page, and their pages as links.

import { element, number } from "./dom.js";
import { words } from "./language.js";

const DOCUMENTS = 10;
const PATHS = { orders: "/www/auftrag", offers: "/www/offerten" };

/** One page of a list of documents, and the links to the others. */
export async function listPage(shop, list, argument, signal) {
  const page = Math.max(1, Math.trunc(Number(new URLSearchParams(argument).get("page"))) || 1);
  const query = { limit: DOCUMENTS, offset: (page - 1) * DOCUMENTS };
  const { value } = await shop.client.pages(PATHS[list], query, { signal }).next();
  // Of very many documents the server does not say how many there are.
  const pages = value.count === undefined ? page + 1 : Math.ceil(value.count / DOCUMENTS);
  return { entries: value.data, pages: pager(page, pages, (to) => `#${list}/page=${to}`) };
}

/** A phone has room for so many pages; of more it leaves out those next to the one that is shown. */
const FEW = 3;

/** Nothing for one page; else first, last, and those next to `page`. `address` is the URL of a page. */
export function pager(page, pages, address) {
  if (pages < 2) return [];
  const link = (to, text, more) => element("a", { href: address(to), textContent: text, ...more });
  const shown = [1, page - 1, page, page + 1, pages].filter((one) => one >= 1 && one <= pages);
  const parts = [...new Set(shown)].flatMap((one, at, all) => {
    const name = { "aria-label": words().page_number(number(one)), className: pages > FEW && Math.abs(one - page) === 1 ? "near" : "" };
    const made = link(one, number(one), one === page ? { ...name, "aria-current": "page" } : name);
    return at > 0 && one - all[at - 1] > 1 ? [element("span", { textContent: "…" }), made] : [made];
  });
  if (page > 1) parts.unshift(link(page - 1, "‹", { "aria-label": words().earlier, rel: "prev" }));
  if (page < pages) parts.push(link(page + 1, "›", { "aria-label": words().later, rel: "next" }));
  return [element("nav", { className: "pages", "aria-label": words().pages }, ...parts)];
}
