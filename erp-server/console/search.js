// One search over orders, offers, invoices, customers and articles.

import { path, query } from "./api.js";
import { card, element, heading, link, news } from "./dom.js";
import { run } from "./form.js";
import { words } from "./language.js";
import { table } from "./table.js";

const AT_MOST = 10;
/** What the number of an order, an offer or an invoice may be; other digits are those of a phone or of an EAN. */
const NUMBER = /^[1-9]\d{0,9}$/;

/** What each list finds: its screen, its operation, its rows, and a row as `[number, text]`. */
function lists(api, asked, signal) {
  const say = words();
  const found = { limit: AT_MOST };
  const read = (path) => async () => [await api.get(path, signal)].flat();
  const whole = (operation, path) => (NUMBER.test(asked) && api.may(operation) ? read(path) : async () => []);
  const named = (...parts) => parts.filter(Boolean).join(", ");
  const articles = async () => {
    const rows = await api.get(`/www/artikel${query({ ...found, suche: asked, fields: "ArtNr,ArtBez" })}`, signal);
    // The server finds what is written alike, but another number is another article.
    return /^\d+$/.test(asked) ? rows.filter(({ ArtNr, ArtBez }) => `${ArtNr} ${ArtBez}`.includes(asked)) : rows;
  };
  return [
    [say.nav_orders, "orders", read(`/admin/orders${query({ ...found, search: asked.slice(0, 80) })}`), (one) => [one.AuftNr, named(say[`status_${one.AuftStatus}`], one.Name, one.AuftBestellNr)]],
    [say.nav_offers, "offers", whole("readOffer", `/www/offerte${query({ OffertNr: asked })}`), (one) => [one.OffertNr, named(one.GrundDaten.KundNr, one.Adressen.KontaktAdr?.AdrFirma)]],
    [say.nav_bills, "bills", whole("readInvoice", path("www", "rechnung", asked)), (one) => [one.RechNr, named(one.Kaeufer.Name, `${say.order} ${one.AuftNr}`)]],
    [say.nav_customers, "customers", read(`/admin/customers${query({ ...found, search: asked })}`), (one) => [one.KundNr, named(one.Name, one.OrtName)]],
    [say.nav_articles, "articles", articles, (one) => [one.ArtNr, one.ArtBez]],
  ];
}

export async function show({ place, api, parts: [asked = ""], signal }) {
  const say = words();
  const state = news("hint");
  state.textContent = say.searching;
  const results = element("div", { className: "stack" });
  place.append(heading(say.search_title(asked), ""), state, results);
  const places = lists(api, asked, signal).map(async ([title, screen, read, line]) => {
    const own = element("div", { className: "stack" });
    results.append(own);
    await run(own, async () => {
      const rows = await read().catch((error) => (error.status === 404 || error.code === "too_broad" ? [] : Promise.reject(error)));
      const columns = [
        [say.number, (one) => link(`#${screen}/${encodeURIComponent(line(one)[0])}`, line(one)[0])],
        [say.name, (one) => line(one)[1], "wide"],
      ];
      if (rows.length > 0) own.append(card(title, table(title, columns, rows).frame));
    });
    return own.childElementCount;
  });
  const all = await Promise.all(places);
  state.textContent = all.some(Boolean) ? "" : say.nothing_found;
}
