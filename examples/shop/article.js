// The page of an article: picture, price, stock, texts, packages, origin, and others of its group.

import { articles, buying, crumbs, stockMark, tile } from "./catalogue.js";
import { capital, element, facts, number, table } from "./dom.js";
import { country, tagOf, words } from "./language.js";
import { FIELDS } from "./list.js";
import { nameOf, packName, stockOf, unit } from "./packs.js";

/** Attributes that are not for customers. */
const INTERNAL = ["RESTWEBSHOP", "WEBSHOPVPE"];
/** How many articles of the same group are shown. */
const RELATED = 4;

export async function view(shop, wanted, signal) {
  const { client, customer, list } = shop;
  const call = { signal };
  const [article, media] = await Promise.all([
    client.readArticle(wanted, { debinr: shop.number }, call),
    client.listMedia(wanted, call).catch(() => []),
  ]);
  const related = await sameGroup(shop, article, call);
  const lang = tagOf(customer.AdrSprache);
  const group = words().groups[article.ArtGruppe] ?? article.ArtGruppe;
  const picture = tile(article, shop.pictures);
  picture.classList.add("large");
  const parts = [
    crumbs([list.address, words().all_articles], ...(group ? [[list.addressOf({ group: article.ArtGruppe }), group]] : [])),
    element(
      "div",
      { className: "one-article" },
      picture,
      element(
        "div",
        { className: "buying" },
        element("div", {}, element("h1", { textContent: nameOf(article), lang }), element("p", { className: "hint", textContent: `${words().article_number} ${article.ArtNr}` })),
        stockMark(article, true),
        ...buying(shop, article, true),
        texts(media, customer.AdrSprache),
        block(words().details, details(article, customer.WUSTSatz ?? article.WUSTSatz)),
        packages(article),
        origins(article.Deklaration ?? [], customer.AdrSprache),
      ),
    ),
    related.length > 0 &&
      element("section", {}, element("h2", { textContent: words().related }), element("ul", { className: "grid" }, ...articles(shop, related))),
  ];
  return { title: nameOf(article), isHeaded: true, parts };
}

/** Other articles of the group, which are no reason to show no article when they cannot be read. */
async function sameGroup(shop, { ArtNr, ArtGruppe }, call) {
  if (!ArtGruppe) return [];
  const query = { debinr: shop.number, artgruppe: ArtGruppe, sorts: "+ArtNr", limit: RELATED + 1, fields: FIELDS };
  const page = await shop.client.articlePages(query, call).next().catch(() => undefined);
  return (page?.value.data ?? []).filter((one) => one.ArtNr !== ArtNr).slice(0, RELATED);
}

const block = (title, ...content) => element("section", { className: "block" }, element("h2", { textContent: title }), ...content);

/** The texts in a language, else in German, as paragraphs. */
function texts(media, language) {
  const plain = media.filter(({ AMDText, AMDTextFormat }) => AMDText && AMDTextFormat === "txt");
  const own = plain.filter(({ AdrSprache }) => AdrSprache === language);
  const shown = own.length > 0 ? own : plain.filter(({ AdrSprache }) => AdrSprache === "ger");
  if (shown.length === 0) return undefined;
  const lang = tagOf(shown[0].AdrSprache);
  const paragraphs = shown.map(({ AMDText }) => element("p", { className: "text", lang, textContent: AMDText }));
  return block(words().description, ...paragraphs);
}

function details(article, rate) {
  const attributes = (article.attributes ?? []).filter(({ PHKey }) => !INTERNAL.includes(PHKey));
  const pairs = [
    [words().category, words().groups[article.ArtGruppe] ?? article.ArtGruppe],
    [words().sold_by, unit(article)],
    [words().weight, article.ArtGewicht && `${number(article.ArtGewicht)} kg`],
    [words().article_tax, rate !== undefined && `${number(rate)} %`],
    ...attributes.map(({ PHKey, Contents }) => [words().attributes[PHKey] ?? PHKey, Contents]),
  ];
  return facts(pairs.filter(([, value]) => value));
}

/** Packages with their codes and stock, after the stock without a package. */
function packages(article) {
  if (article.HatVPE !== "J") return undefined;
  const packed = (article.Verpackungen ?? []).map((pack) => [
    capital(packName(pack.VPEinheit, pack.VPBezeichnung)),
    pack.Faktor ? number(pack.Faktor) : "1",
    pack.VPEEANNr ?? "",
    stockText(article, pack),
  ]);
  const rows = [[words().loose, "1", "", stockText(article, article)], ...packed];
  const heads = [words().pack, words().contains(unit(article)), "EAN", words().stock];
  return block(words().packages, table(words().packages, heads, rows, ["wide", "amount", "amount", "amount"]));
}

function stockText({ AnLager }, place) {
  if (AnLager !== "J") return "";
  const sum = stockOf(place);
  return sum > 0 ? number(sum) : words().out_of_stock;
}

function origins(declarations, language) {
  if (declarations.length === 0) return undefined;
  const own = declarations.filter(({ AdrSprache }) => AdrSprache === language);
  const pairs = (own.length > 0 ? own : declarations).map((one) => [
    one.OrtLand ? country(one.OrtLand) : "",
    [one.Bezeichnung1, one.Bezeichnung2].filter(Boolean).join(", ") || one.KurzBezeichnung,
  ]);
  return block(words().origin, facts(pairs));
}
