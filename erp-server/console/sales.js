// Sales: what was ordered by day and by week, and the articles that brought most.

import { query } from "./api.js";
import { card, element, heading, link, paragraph } from "./dom.js";
import { day, money, month, number, time } from "./format.js";
import { field, filter, input } from "./form.js";
import { words } from "./language.js";
import { filtered } from "./list.js";
import { plot } from "./plot.js";
import { table } from "./table.js";

const DAY = 86_400_000;
/** Days of which each has a bar: more of them would be thinner than a line. */
const MOST_BARS = 366;

const sums = (say) => [
  [say.currency, (one) => one.WaehrAbk],
  [say.nav_orders, (one) => number(one.orders), "amount"],
  [say.net, (one) => money(one.net), "amount"],
  [say.gross, (one) => money(one.gross), "amount"],
];

const shifted = (date, days) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

const lengthOf = ({ from, to }) => Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;

/** The gross sum of each day as bars, for each currency. */
function plots(sales) {
  const say = words();
  if (lengthOf(sales) > MOST_BARS) return undefined;
  const days = Array.from({ length: lengthOf(sales) }, (_, at) => shifted(sales.from, at));
  const currencies = [...new Set(sales.days.map(({ WaehrAbk }) => WaehrAbk))].sort();
  const all = currencies.map((currency) => {
    const gross = new Map(sales.days.filter(({ WaehrAbk }) => WaehrAbk === currency).map((one) => [one.day, one.gross]));
    return plot(
      say.gross_by_day(currency),
      days.map((one) => gross.get(one) ?? 0),
      (value) => money(value, currency),
      { all: say.plot_days, one: (at, value) => `${day(days[at])}: ${value}` },
    );
  });
  return element("div", { className: "plots" }, all);
}

/** The sums of rows that `key` puts together, for each currency, in the order of the rows. */
function summed(rows, key) {
  const all = Object.values(Object.groupBy(rows, (one) => `${key(one)} ${one.WaehrAbk}`));
  const sum = (some, name) => some.reduce((total, one) => total + one[name], 0);
  return all.map((some) => ({ ...some[0], orders: sum(some, "orders"), net: sum(some, "net"), gross: sum(some, "gross") }));
}

/** The sums of all days, beside those of as many days before. */
function totals(sales, before, read) {
  const say = words();
  const earlier = new Map(summed(before.days, () => "").map((one) => [one.WaehrAbk, one]));
  const change = ({ WaehrAbk, gross }) => {
    const was = earlier.get(WaehrAbk)?.gross;
    return was ? `${gross >= was ? "+" : ""}${number(Math.round((gross / was - 1) * 1_000) / 10)} %` : "–";
  };
  const columns = [
    ...sums(say),
    [say.gross_before, ({ WaehrAbk }) => money(earlier.get(WaehrAbk)?.gross ?? 0), "amount"],
    [say.change, change, "amount"],
  ];
  return card(
    say.total,
    read,
    plots(sales),
    table(say.total, columns, summed(sales.days, () => "")).frame,
    paragraph(say.days_before(day(before.from), day(before.to)), "hint"),
    before.since === null ? undefined : paragraph(say.orders_cut(number(before.orders), time(before.since)), "notice warn"),
  );
}

function shown(sales, before) {
  const say = words();
  const read = paragraph(sales.since === null ? say.orders_read(number(sales.orders)) : say.orders_cut(number(sales.orders), time(sales.since)), sales.since === null ? "hint" : "notice warn");
  if (sales.orders === 0) return [card(say.total, paragraph(say.no_sales), read)];
  const sumsBy = (title, head, cell, rows) => card(title, table(title, [[head, cell, "when"], ...sums(say)], rows).frame);
  const byArticle = [
    [say.article, (one) => link(`#articles/${encodeURIComponent(one.ArtNr)}`, one.ArtNr)],
    [say.name, (one) => one.ArtBez, "wide"],
    [say.count, (one) => [number(one.quantity), one.Einheit].filter(Boolean).join(" "), "amount"],
    [say.net, (one) => money(one.net, one.WaehrAbk), "amount"],
  ];
  return [
    totals(sales, before, read),
    element(
      "div",
      { className: "cards" },
      sumsBy(say.by_week, say.week, (one) => say.week_of(one.week, day(one.monday)), sales.weeks),
      sumsBy(say.by_month, say.month, (one) => month(one.day), summed(sales.days, (one) => one.day.slice(0, 7))),
    ),
    card(say.best_articles, table(say.best_articles, byArticle, sales.articles).frame),
    sumsBy(say.by_day, say.date, (one) => day(one.day), sales.days),
  ];
}

export async function show({ place, api, signal }) {
  const say = words();
  const asked = filter([field(say.from, input("from", { type: "date" })), field(say.until, input("to", { type: "date" }))], say.show);
  const below = element("div", { className: "stack" });
  place.append(heading(say.nav_sales, say.sales_about), asked, below);
  const read = (days) => api.get(`/admin/sales${query(days)}`, signal);
  await filtered(asked, below, async (fresh, values) => {
    const sales = await read(values);
    // As many days before.
    const length = lengthOf(sales);
    fresh.append(...shown(sales, await read({ from: shifted(sales.from, -length), to: shifted(sales.from, -1) })));
  });
}
