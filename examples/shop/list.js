// The articles: categories, search and order are the server's work, a page at a time.

import { articles, crumbs } from "./catalogue.js";
import { element, find, nothing, number, skip } from "./dom.js";
import { title, words } from "./language.js";
import { pager } from "./pager.js";
import { sentence } from "./session.js";

const PAGE = 12;
export const FIELDS = "ArtNr,ArtikelStatus,AnLager,ArtBez,ArtGruppe,Einheit,WUSTSatz,WaehrAbk,HatVPE,Preis,Verpackungen,Bestand";
/** Without `sorts` the server sorts a search by relevance, and a list without a search by name. */
const SORTS = { match: undefined, name: "+ArtBez", number: "+ArtNr", changed: "-GeaendertAmUTC" };
/** The defaults for values that are not in the URL. */
const USUAL = { search: "", group: "", sort: "match", page: 1 };

const wholePage = (text) => Math.max(1, Math.trunc(Number(text)) || 1);

export class ListView {
  #shop;
  #turn = new AbortController();

  constructor(shop) {
    this.#shop = shop;
    Object.assign(this, USUAL);
  }

  /** The URL of a list, so that it can be stored and shared. */
  addressOf(asked) {
    const known = Object.entries({ ...USUAL, ...asked }).filter(([name, value]) => value !== USUAL[name]);
    return ["#shop", `${new URLSearchParams(known)}`].filter(Boolean).join("/");
  }

  /** The URL of the list that was shown last. */
  get address() {
    const { search, group, sort, page } = this;
    return this.addressOf({ search, group, sort, page });
  }

  /** The first view for the URL; the articles follow. */
  async view() {
    const { search, group, sort, page } = { ...USUAL, ...Object.fromEntries(new URLSearchParams(location.hash.split("/")[1])) };
    Object.assign(this, { search, group, sort: Object.hasOwn(SORTS, sort) ? sort : USUAL.sort, page: wholePage(page) });
    const found = await this.#read();
    return { title: this.#title, isHeaded: true, parts: [this.#build()], shown: () => this.#fill(found) };
  }

  get #title() {
    const group = this.group ? (words().groups[this.group] ?? this.group) : words().all_articles;
    return this.search ? words().found_for(this.search) : group;
  }

  #build() {
    return element(
      "div",
      { className: "articles" },
      crumbs(),
      element("div", { className: "row" }, element("h1", { id: "list-title" }), element("p", { id: "found", className: "hint", role: "status" })),
      element("div", { className: "search" }, element("fieldset", { id: "groups", className: "groups" }), this.#sortField()),
      element("h2", { className: "unseen", textContent: words().articles }),
      skip(words().to_pages, () => find("#pages a")?.focus()),
      element("ul", { id: "articles", className: "grid" }),
      element("div", { id: "pages" }),
    );
  }

  #sortField() {
    const select = element("select", { id: "sort", onchange: () => this.narrow({ sort: select.value }) });
    return element("div", { className: "sort" }, element("label", { htmlFor: "sort", textContent: words().sort }), select);
  }

  /** The orders of the list: what matches best is a question of a search only, and without one that order is by name. */
  #showSorts() {
    const { match, name, ...rest } = words().sorts;
    const texts = this.search ? { match, name, ...rest } : { match: name, ...rest };
    const shown = this.search || this.sort !== "name" ? this.sort : "match";
    const options = Object.entries(texts).map(([value, textContent]) => element("option", { value, textContent, selected: value === shown }));
    find("#sort").replaceChildren(...options);
  }

  async #read() {
    this.#turn.abort();
    this.#turn = new AbortController();
    const { signal } = this.#turn;
    const query = {
      debinr: this.#shop.number,
      limit: PAGE,
      offset: (this.page - 1) * PAGE,
      sorts: SORTS[this.sort],
      suche: this.search || undefined,
      artgruppe: this.group || undefined,
      gruppen: "J",
      fields: FIELDS,
    };
    const { value } = await this.#shop.client.articlePages(query, { signal }).next();
    this.pages = Math.max(1, Math.ceil(value.count / PAGE));
    if (this.page <= this.pages) return value;
    // The address of an old list may name a page that is no more.
    this.page = this.pages;
    return this.#read();
  }

  /**
   * Changes the search and shows its first page; the articles shown stay until then. Single letters of a search are not
   * entries of the history.
   */
  async narrow(change, replace = false) {
    if (Object.entries(change).every(([name, value]) => this[name] === value)) return;
    Object.assign(this, change, { page: 1 });
    if (replace) history.replaceState(null, "", this.address);
    else history.pushState(null, "", this.address);
    this.#shop.moved();
    find("#articles").setAttribute("aria-busy", "true");
    find("#found").textContent = words().loading;
    try {
      this.#fill(await this.#read());
    } catch (error) {
      if (error.name !== "AbortError" && find("#found")) find("#found").textContent = sentence(error);
    }
  }

  #fill({ count, data, gruppen = [] }) {
    const place = find("#articles");
    if (place === null) return;
    place.removeAttribute("aria-busy");
    const before = (this.page - 1) * PAGE;
    find("#list-title").textContent = this.#title;
    title(this.#title);
    find("#found").textContent = words().shown(before + 1, before + data.length, count);
    const { search, group, sort } = this;
    const none = count === 0 && nothing(words().no_match, "#shop", words().all_articles);
    const pages = pager(this.page, this.pages, (page) => this.addressOf({ search, group, sort, page }));
    find("#pages").replaceChildren(...(none ? [none] : pages));
    this.#showGroups(gruppen);
    this.#showSorts();
    place.replaceChildren(...articles(this.#shop, data));
  }

  #showGroups(groups) {
    const focused = find("#groups :focus")?.value;
    const all = groups.reduce((sum, { Anzahl }) => sum + Anzahl, 0);
    const named = groups.map(({ ArtGruppe, Anzahl }) => [ArtGruppe, words().groups[ArtGruppe] ?? ArtGruppe, Anzahl]);
    const choices = [["", words().all_groups, all], ...named].map(([value, text, count]) => {
      const input = element("input", { type: "radio", name: "group", value, checked: value === this.group });
      input.addEventListener("change", () => this.narrow({ group: value }));
      return element("label", {}, input, element("span", {}, text, element("small", { textContent: ` ${number(count)}` })));
    });
    const legend = element("legend", { className: "unseen", textContent: words().categories });
    const row = find("#groups");
    row.replaceChildren(legend, ...choices);
    // A phone shows a part of the row.
    row.scrollLeft = (row.querySelector(":checked")?.parentElement.offsetLeft ?? 0) - 16;
    if (focused !== undefined) find(`#groups [value="${CSS.escape(focused)}"]`)?.focus();
  }
}
