// The articles: categories, search and order are the server's work, a page at a time.

import { card } from "./catalogue.js";
import { element, find, number, skip } from "./dom.js";
import { tagOf, words } from "./language.js";
import { sentence } from "./session.js";
import { toBasket } from "./basket-panel.js";

const PAGE = 12;
const FIELDS = "ArtNr,AnLager,ArtBez,ArtGruppe,Einheit,WUSTSatz,WaehrAbk,HatVPE,Preis,Verpackungen,Bestand";
/** Without `sorts` the server sorts a search by relevance, and a list without a search by name. */
const SORTS = { match: undefined, name: "+ArtBez", number: "+ArtNr", changed: "-GeaendertAmUTC" };
/** The defaults for values that are not in the URL. */
const USUAL = { search: "", group: "", sort: "match", page: 1 };
/** Delay between a key press and the search, in milliseconds. */
const PAUSE = 250;

const wholePage = (text) => Math.max(1, Math.trunc(Number(text)) || 1);

export class ListView {
  #shop;
  #turn = new AbortController();
  #timer;

  constructor(shop) {
    this.#shop = shop;
  }

  /** The URL of the list with its search, so that it can be stored and shared. */
  get address() {
    const asked = { search: this.search, group: this.group, sort: this.sort, page: this.page > 1 ? this.page : "" };
    const query = new URLSearchParams(Object.entries(asked).filter(([name, value]) => value && value !== USUAL[name]));
    return ["#shop", `${query}`].filter(Boolean).join("/");
  }

  /** The first view for the URL; the articles follow. */
  async view() {
    const asked = { ...USUAL, ...Object.fromEntries(new URLSearchParams(location.hash.split("/")[1])) };
    Object.assign(this, asked, { sort: Object.hasOwn(SORTS, asked.sort) ? asked.sort : USUAL.sort, page: wholePage(asked.page) });
    const page = await this.#read();
    return { title: words().shop, parts: [this.#build()], shown: () => this.#fill(page) };
  }

  #build() {
    const step = (text, by) => element("button", { type: "button", textContent: text, onclick: () => this.#turnTo(this.page + by) });
    this.earlier = step(words().earlier, -1);
    this.later = step(words().later, 1);
    this.turned = element("input", { type: "number", min: 1, "aria-label": words().page });
    this.turned.addEventListener("change", () => this.#turnTo(wholePage(this.turned.value)));
    this.last = element("span");
    const field = element("label", {}, words().page, this.turned, this.last);
    return element(
      "div",
      { className: "articles" },
      skip(words().to_basket, toBasket),
      element("div", { className: "search" }, this.#searchField(), this.#sortField()),
      element("fieldset", { id: "groups", className: "groups" }),
      element("p", { id: "found", className: "hint", role: "status", tabIndex: -1 }),
      element("h2", { className: "unseen", textContent: words().articles }),
      skip(words().to_pages, () => this.turned.select()),
      element("ul", { id: "articles", className: "grid" }),
      element("nav", { className: "row pages", "aria-label": words().pages }, this.earlier, field, this.later),
    );
  }

  #searchField() {
    const input = element("input", { id: "search", type: "search", maxLength: 100, value: this.search });
    input.placeholder = words().search_hint;
    input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#narrow({ search: input.value.trim() }, true), PAUSE);
    });
    return element("div", { className: "field" }, element("label", { htmlFor: "search", textContent: words().search }), input);
  }

  #sortField() {
    const options = Object.keys(SORTS).map((value) =>
      element("option", { value, textContent: words().sorts[value], selected: value === this.sort }),
    );
    const select = element("select", { id: "sort", onchange: () => this.#narrow({ sort: select.value }) }, ...options);
    return element("div", { className: "field" }, element("label", { htmlFor: "sort", textContent: words().sort }), select);
  }

  /** Changes the search and shows its first page. Single letters of a search are not entries of the history. */
  #narrow(change, replace = false) {
    Object.assign(this, change, { page: 1 });
    return this.#load(replace);
  }

  async #turnTo(page) {
    this.page = Math.min(Math.max(1, page), this.pages);
    await this.#load(false);
    find("#found")?.focus({ preventScroll: true });
    find(".articles")?.scrollIntoView();
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

  /** Reads the current search; the articles shown stay until then. */
  async #load(replace) {
    if (replace) history.replaceState(null, "", this.address);
    else history.pushState(null, "", this.address);
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
    find("#found").textContent = words().shown(before + 1, before + data.length, count);
    this.earlier.disabled = this.page === 1;
    this.later.disabled = this.page >= this.pages;
    Object.assign(this.turned, { value: this.page, max: this.pages });
    this.last.textContent = words().of_pages(this.pages);
    this.#showGroups(gruppen);
    const { customer, pictures } = this.#shop;
    const add = (offer, number) => this.#shop.add(offer, number);
    const lang = tagOf(customer.AdrSprache);
    place.replaceChildren(...data.map((article) => card(article, lang, pictures, add)));
  }

  #showGroups(groups) {
    const focused = find("#groups :focus")?.value;
    const all = groups.reduce((sum, { Anzahl }) => sum + Anzahl, 0);
    const named = groups.map(({ ArtGruppe, Anzahl }) => [ArtGruppe, words().groups[ArtGruppe] ?? ArtGruppe, Anzahl]);
    const choices = [["", words().all_groups, all], ...named].map(([value, text, count]) => {
      const input = element("input", { type: "radio", name: "group", value, checked: value === this.group });
      input.addEventListener("change", () => this.#narrow({ group: value }));
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
