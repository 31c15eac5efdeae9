// The first page of a customer: categories, and some articles.

import { articleAddress, articles, tile } from "./catalogue.js";
import { FEATURED } from "./company.js";
import { element, number } from "./dom.js";
import { words } from "./language.js";
import { nameOf } from "./packs.js";
import { orMissing } from "./session.js";

export async function view(shop, _, signal) {
  const { client, list } = shop;
  const query = { debinr: shop.number };
  const [groups, featured] = await Promise.all([
    shop.groups(),
    Promise.all(FEATURED.map((one) => orMissing(client.readArticle(one, query, { signal })))),
  ]);
  const pictured = await Promise.all(groups.map(({ ArtGruppe }) => firstOf(shop, ArtGruppe, signal)));
  const tiles = groups.map(({ ArtGruppe, Anzahl }, at) => {
    const name = words().groups[ArtGruppe] ?? ArtGruppe;
    const count = element("small", { textContent: words().article_count(Anzahl) });
    const picture = tile(pictured[at] ?? { ArtBez: name, ArtGruppe }, shop.pictures);
    const link = element("a", { href: list.addressOf({ group: ArtGruppe }) }, picture, element("span", {}, name, count));
    return element("li", {}, link);
  });
  const shown = featured.filter(Boolean);
  return {
    title: words().home,
    isHeaded: true,
    parts: [
      hero(shop, groups, shown[0]),
      section(words().categories, element("ul", { className: "group-tiles" }, ...tiles)),
      shown.length > 0 && section(words().featured, element("ul", { className: "grid" }, ...articles(shop, shown))),
    ],
  };
}

/** What the shop is, for whom, and an article in large. */
function hero({ customer, number: key, pictures }, groups, article) {
  const all = groups.reduce((sum, { Anzahl }) => sum + Anzahl, 0);
  const ways = element(
    "div",
    { className: "row start" },
    element("a", { className: "button main", href: "#shop", textContent: words().all_of(number(all)) }),
    element("a", { className: "button", href: "#orders", textContent: words().order_again }),
  );
  const welcome = element("p", { className: "lead", textContent: words().welcome(customer.KundBez ?? key) });
  const text = element("div", { className: "hero-text" }, element("h1", { textContent: words().claim }), welcome, ways);
  const picture = article && element("a", { href: articleAddress(article.ArtNr), "aria-label": nameOf(article) }, tile(article, pictures));
  return element("div", { className: "hero" }, text, picture);
}

const section = (title, content) => element("section", {}, element("h2", { textContent: title }), content);

/** The article whose picture stands for a group. */
async function firstOf(shop, group, signal) {
  const query = { debinr: shop.number, artgruppe: group, sorts: "+ArtNr", limit: 1, fields: "ArtNr,ArtBez,ArtGruppe" };
  const { value } = await shop.client.articlePages(query, { signal }).next();
  return value.data[0];
}
