// The articles: categories, search and order are the server's work, a page at a time.

import { card } from "./catalogue.js";
import { element, find } from "./dom.js";
import { tagOf, words } from "./language.js";
import { sentence } from "./session.js";
import { toBasket } from "./basket-panel.js";

const PAGE = 12;
const FIELDS = "ArtNr,AnLager,ArtBez,ArtGruppe,Einheit,WUSTSatz,WaehrAbk,HatVPE,Preis,Verpackungen,Bestand";
const SORTS = { name: "+ArtBez", number: "+ArtNr", changed: "-GeaendertAmUTC" };
/** How long after a key the search begins, in milliseconds. */
const PAUSE = 250;

export class ListView {
  #shop;
  #turn = new AbortController();
  #timer;
  search = "";
  group = "";
  sort = "name";
  first = 0;

  constructor(shop) {
    this.#shop = shop;
  }

  /** What is shown at first; the articles follow. */
  async view() {
    const page = await this.#read();
    return { title: words().shop, parts: [this.#build()], shown: () => this.#fill(page) };
  }

  #build() {
    const step = (text, by) => element("button", { type: "button", textContent: text, onclick: () => this.#turnTo(by) });
    this.earlier = step(words().earlier, -PAGE);
    this.later = step(words().later, PAGE);
    return element(
      "div",
      { className: "articles" },
      element("a", { className: "skip", href: "#basket", textContent: words().to_basket, onclick: toBasket }),
      element("div", { className: "search" }, this.#searchField(), this.#sortField()),
      element("fieldset", { id: "groups", className: "groups" }),
      element("p", { id: "found", className: "hint", role: "status", tabIndex: -1 }),
      element("h2", { className: "unseen", textContent: words().articles }),
      element("ul", { id: "articles", className: "grid" }),
      element("nav", { className: "row pages", "aria-label": words().pages }, this.earlier, this.later),
    );
  }

  #searchField() {
    const input = element("input", { id: "search", type: "search", maxLength: 100, value: this.search });
    input.placeholder = words().search_hint;
    input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#narrow({ search: input.value.trim() }), PAUSE);
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

  #narrow(change) {
    Object.assign(this, change, { first: 0 });
    return this.#load();
  }

  async #turnTo(by) {
    this.first = Math.max(0, this.first + by);
    await this.#load();
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
      offset: this.first,
      sorts: SORTS[this.sort],
      suche: this.search || undefined,
      artgruppe: this.group || undefined,
      gruppen: "J",
      fields: FIELDS,
    };
    const { value } = await this.#shop.client.articlePages(query, { signal }).next();
    return value;
  }

  /** Reads what is asked for now; the articles shown stay until then. */
  async #load() {
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
    const last = this.first + data.length;
    find("#found").textContent = words().shown(this.first + 1, last, count);
    this.earlier.disabled = this.first === 0;
    this.later.disabled = last >= count;
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
      return element("label", {}, input, element("span", {}, text, element("small", { textContent: ` ${count}` })));
    });
    const legend = element("legend", { className: "unseen", textContent: words().categories });
    find("#groups").replaceChildren(legend, ...choices);
    if (focused !== undefined) find(`#groups [value="${CSS.escape(focused)}"]`)?.focus();
  }
}
