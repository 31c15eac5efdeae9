// The page of an article: pictures, texts, price, stock, origin.

import { buying, stockMark, tile } from "./catalogue.js";
import { element, facts, number, table } from "./dom.js";
import { country, tagOf, words } from "./language.js";
import { stockOf, unit } from "./offers.js";

/** Attributes that are not for customers. */
const INTERNAL = ["RESTWEBSHOP"];

export async function articleView(shop, wanted, signal) {
  const { client, customer, pictures } = shop;
  const call = { signal };
  const [article, media] = await Promise.all([
    client.readArticle(wanted, { debinr: shop.number }, call),
    client.listMedia(wanted, call).catch(() => []),
  ]);
  const add = (offer, count) => shop.add(offer, count);
  const picture = tile(article, pictures);
  picture.classList.add("large");
  const parts = [
    element("p", {}, element("a", { href: shop.list.address, textContent: `← ${words().back_to_list}` })),
    element(
      "div",
      { className: "card one-article" },
      picture,
      element(
        "div",
        { className: "buying" },
        element("p", { className: "hint", textContent: `${words().article_number} ${article.ArtNr}` }),
        stockMark(article),
        ...buying(article, add),
      ),
    ),
    texts(media, customer.AdrSprache),
    details(article),
    packages(article),
    origins(article.Deklaration ?? [], customer.AdrSprache),
  ];
  return { title: article.ArtBez, lang: tagOf(customer.AdrSprache), parts };
}

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

const block = (title, ...content) =>
  element("section", { className: "card" }, element("h2", { textContent: title }), ...content);

function details(article) {
  const attributes = (article.attributes ?? []).filter(({ PHKey }) => !INTERNAL.includes(PHKey));
  const pairs = [
    [words().category, words().groups[article.ArtGruppe] ?? article.ArtGruppe],
    [words().sold_by, unit(article)],
    [words().weight, article.ArtGewicht && `${number(article.ArtGewicht)} kg`],
    [words().article_tax, article.WUSTSatz !== undefined && `${number(article.WUSTSatz)} %`],
    ...attributes.map(({ PHKey, Contents }) => [words().attributes[PHKey] ?? PHKey, Contents]),
  ];
  return block(words().details, facts(pairs.filter(([, value]) => value)));
}

/** Packages with their codes and stock, after the stock without a package. */
function packages(article) {
  if (article.AnLager !== "J" && article.HatVPE !== "J") return undefined;
  const packs = article.HatVPE === "J" ? (article.Verpackungen ?? []) : [];
  const packed = packs.map((pack) => [
    pack.VPBezeichnung ?? pack.VPEinheit,
    pack.Faktor ? number(pack.Faktor) : "1",
    pack.VPEEANNr ?? "",
    stockText(pack),
  ]);
  const loose = article.HatVPE === "J" ? words().loose : unit(article);
  const rows = [[loose, "1", article.VPEEANNr ?? "", stockText(article)], ...packed];
  const heads = [words().pack, words().contains(unit(article)), "EAN", words().stock];
  return block(words().packages, table(words().packages, heads, rows, ["wide", "amount", "amount", "amount"]));
}

function stockText(place) {
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
