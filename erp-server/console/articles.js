// Articles: find one, look at it.

import { path, query } from "./api.js";
import { badge, card, element, heading, link, paragraph } from "./dom.js";
import { language, number, size, time, unitPrice } from "./format.js";
import { field, filter, input } from "./form.js";
import { words } from "./language.js";
import { edit, editLink } from "./edit.js";
import { filteredList } from "./list.js";
import { changesLink } from "./orders.js";
import { fileOf, pictures } from "./pictures.js";
import { said } from "./rows.js";
import { upload } from "./upload.js";
import { facts, table } from "./table.js";

/** The longest search that the server accepts, in characters. */
const LONGEST = 100;
const FIELDS = "ArtNr,ArtBez,ArtGruppe,Einheit,ArtikelStatus,AnLager,WaehrAbk,Preis,Bestand,Verpackungen";
const PICTURES = ".png,.jpg,.jpeg,.gif,.webp,.svg";

const articleHash = (number) => `#articles/${encodeURIComponent(number)}`;

/** A page of the articles that the server finds; what fits a search best comes first, unless a column sorts. */
async function search(api, { search: suche, sorts }, { offset, limit }, signal) {
  const asked = query({ suche, limit, offset, fields: FIELDS, sorts: sorts || (suche ? "" : "+ArtNr") });
  const { count, data } = await api.json(`/www/artikel${asked}`, { signal });
  const next = offset + data.length;
  return { data, next: next < count ? next : undefined };
}

/** The price of the company's list for the fewest that can be bought, and the unit that it is for. */
function firstPrice({ Einheit, Preis = [], Verpackungen = [] }) {
  const sold = [{ VPBezeichnung: Einheit, Preis }, ...Verpackungen].find((one) => one.Preis?.length > 0);
  return sold && { unit: sold.VPBezeichnung, price: sold.Preis.reduce((first, one) => (one.AbAnzahl < first.AbAnzahl ? one : first)) };
}

/** What is left in base units, in all places and packages; nothing where no stock is kept. */
function inStock({ AnLager, Bestand = [], Verpackungen = [] }) {
  const sum = (entries, factor) => entries.reduce((all, { LagerBestand }) => all + LagerBestand * factor, 0);
  return AnLager === "J" ? Verpackungen.reduce((all, pack) => all + sum(pack.Bestand ?? [], pack.Faktor), sum(Bestand, 1)) : undefined;
}

const activity = ({ ArtikelStatus }) => said("ArtikelStatus", ArtikelStatus === 0 ? 0 : 1);

const inUnits = (count, unit = "") => element("div", {}, count, element("div", { className: "hint", textContent: unit }));

function columns(picture) {
  const say = words();
  const priced = (one) => {
    const first = firstPrice(one);
    return first ? inUnits(unitPrice(first.price.PreisList, first.price, one.WaehrAbk), first.unit) : badge(say.no_prices, "wrong");
  };
  const left = (one) => {
    const count = inStock(one);
    return count === undefined ? "" : inUnits(count < 0 ? badge(number(count), "wrong") : number(count), one.Einheit);
  };
  return [
    [say.article, (one) => [picture(one.ArtNr), link(articleHash(one.ArtNr), one.ArtNr)], "when", "ArtNr", (one) => one.ArtNr],
    [say.name, (one) => one.ArtBez, "wide", "ArtBez", (one) => one.ArtBez],
    [say.group, (one) => one.ArtGruppe, "", "ArtGruppe", (one) => one.ArtGruppe],
    [say.price, priced, "amount", undefined, (one) => firstPrice(one)?.price.PreisList],
    [say.available, left, "amount", undefined, inStock],
    [say.state, (one) => (one.ArtikelStatus === 0 ? badge(activity(one), "wrong") : activity(one)), "when", undefined, activity],
  ];
}

/** Prices and stock of the article itself, or of each of its packages. */
function parts(article) {
  if (article.HatVPE !== "J") return [{ unit: article.Einheit, prices: article.Preis ?? [], stock: article.Bestand ?? [] }];
  const packs = (article.Verpackungen ?? []).map((pack) => ({
    unit: pack.Faktor === 1 ? pack.VPBezeichnung : `${pack.VPBezeichnung} (${number(pack.Faktor)} ${article.Einheit})`,
    prices: pack.Preis ?? [],
    stock: pack.Bestand ?? [],
  }));
  return [{ unit: article.Einheit, prices: [], stock: article.Bestand ?? [] }, ...packs];
}

function prices(article) {
  const say = words();
  const rows = parts(article).flatMap(({ unit, prices }) => prices.map((price) => ({ unit, price })));
  const columns = [
    [say.unit, ({ unit }) => unit],
    [say.from_count, ({ price }) => number(price.AbAnzahl), "amount"],
    [say.price, ({ price }) => unitPrice(price.PreisList, price, article.WaehrAbk), "amount"],
    [say.price_kind, ({ price }) => (price.Preisart === "B" ? say.gross : say.net)],
  ];
  return card(say.list_prices, rows.length > 0 ? table(say.prices, columns, rows).frame : paragraph(say.no_prices, "hint"));
}

function stock(article) {
  const say = words();
  const rows = parts(article).flatMap(({ unit, stock }) => stock.map((entry) => ({ unit, entry })));
  const columns = [
    [say.place, ({ entry }) => [entry.LagerOrt, entry.Bereich].filter(Boolean).join(", ")],
    [say.location, ({ entry }) => number(entry.StaoNr), "amount"],
    [say.unit, ({ unit }) => unit],
    [say.stock, ({ entry }) => (entry.LagerBestand < 0 ? badge(number(entry.LagerBestand), "wrong") : number(entry.LagerBestand)), "amount"],
  ];
  return card(say.stock, rows.length > 0 ? table(say.stock, columns, rows).frame : paragraph(say.no_stock, "hint"));
}

function about(article) {
  const say = words();
  return card(
    say.article_facts,
    facts([
      [say.group, article.ArtGruppe],
      [say.m_ArtKlasse, article.ArtKlasse],
      [say.unit, article.Einheit],
      [say.tax, `${number(article.WUSTSatz)} %`],
      [say.weight, article.ArtGewicht ? `${number(article.ArtGewicht)} kg` : ""],
      [say.changed, time(article.GeaendertAmUTC)],
      ...(article.Deklaration ?? []).map((one) => [say.declaration, [one.Bezeichnung1, one.Bezeichnung2].filter(Boolean).join(", ")]),
      ...(article.attributes ?? []).map((one) => [one.PHKey, one.Contents]),
    ]),
  );
}

/** The picture of a media record, as long as the screen is shown. */
async function pictureOf(api, line, signal) {
  const file = await fileOf(api, line, signal);
  const url = URL.createObjectURL(file);
  signal.addEventListener("abort", () => URL.revokeObjectURL(url));
  return { url, bytes: file.size };
}

async function picture(api, line, signal) {
  const { url, bytes } = await pictureOf(api, line, signal);
  const { AMDDateiName = "" } = line;
  const image = element("img", { src: url, alt: AMDDateiName });
  return element("figure", {}, image, element("figcaption", { className: "hint", textContent: `${AMDDateiName} ${size(bytes)}` }));
}

async function media(api, article, signal) {
  const all = await api.get(path("www", "artikelmedia", article), signal);
  const texts = all.filter((one) => one.AMDText).map((one) =>
    element("p", { className: "note", textContent: `${language(one.AdrSprache)}: ${one.AMDText}` }),
  );
  const pictures = await Promise.all(all.filter((one) => one.AMDBildFormat).map((one) => picture(api, one, signal)));
  if (texts.length + pictures.length === 0) return undefined;
  return card(words().media, element("div", { className: "media" }, pictures), ...texts);
}

async function showArticle(place, api, number, signal) {
  const say = words();
  const article = await api.get(path("www", "artikel", number), signal);
  const cards = element("div", { className: "cards" }, about(article), prices(article), stock(article));
  place.append(heading(article.ArtNr, article.ArtBez, ...changesLink(api, `Artikel ${number}`), ...editLink(api, `${articleHash(number)}/edit`, say.edit)), cards, element("p", {}, link("#articles", say.back_to_articles)));
  const shown = await media(api, number, signal);
  if (shown !== undefined) cards.append(shown);
}

/** Lets the user choose a picture and sends it; the line that names it. `chosen` keeps its URL. */
async function chosenPicture(api, chosen, signal) {
  const chooser = element("input", { type: "file", accept: PICTURES });
  const answered = new Promise((resolve) => {
    chooser.addEventListener("change", () => resolve(chooser.files[0]));
    chooser.addEventListener("cancel", () => resolve(undefined));
  });
  chooser.click();
  const file = await answered;
  if (file === undefined) return undefined;
  const { SHA256 } = await upload(api, "/admin/media", file, "application/octet-stream", { onProgress: () => undefined, signal });
  chosen.set(SHA256, URL.createObjectURL(file));
  const format = file.name.split(".").at(-1).toLowerCase();
  return { AMDBildFormat: format, AMDVerwendung: "WEB", AMDDateiName: file.name, SHA256 };
}

/** The article as a form, or an empty one for a new article. */
function editArticle(place, api, article, signal) {
  const chosen = new Map();
  const begin = { ArtikelMedia: () => chosenPicture(api, chosen, signal) };
  const imageOf = async (line) => chosen.get(line.SHA256) ?? (await pictureOf(api, line, signal)).url;
  const done = ({ ArtNr = article } = {}) => (ArtNr ? articleHash(ArtNr) : "#articles");
  return edit({ place, api, signal, kind: "Artikel", title: article || words().new_article, asked: article && { article }, begin, imageOf, done });
}

export async function show({ place, api, parts: [article, verb], signal }) {
  if (verb === "edit") return editArticle(place, api, article, signal);
  if (article !== undefined) return showArticle(place, api, article, signal);
  const say = words();
  const sorts = input("sorts", { type: "hidden" });
  const asked = filter([sorts, field(say.search_articles, input("search", { type: "search", maxLength: LONGEST }), say.search_articles_hint)], say.search);
  const sort = (by) => {
    sorts.value = by;
    asked.requestSubmit();
  };
  place.append(heading(say.nav_articles, say.articles_about, ...editLink(api, "#articles//edit", say.new_article)));
  const picture = pictures(api, signal);
  const more = [[say.price_for, (one) => firstPrice(one)?.unit], [say.currency, (one) => one.WaehrAbk], [say.unit, (one) => one.Einheit]];
  const list = (values) => ({
    caption: say.nav_articles,
    columns: columns(picture),
    none: say.no_articles,
    order: { by: values.sorts || (values.search ? "" : "+ArtNr"), change: sort },
    file: { name: "articles", more },
    load: (offset = 0, limit) => search(api, values, { offset, limit }, signal),
  });
  return filteredList(place, asked, list, signal);
}
