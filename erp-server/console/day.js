// The day: what there is to do, and the newest orders.

import { query } from "./api.js";
import { card, element, heading, link, paragraph } from "./dom.js";
import { number } from "./format.js";
import { run } from "./form.js";
import { words } from "./language.js";
import { columns, counted } from "./orders.js";
import { readiness } from "./state.js";
import { table } from "./table.js";
import { every } from "./timer.js";

const EVERY = 60_000;
const NEWEST = 10;
/** What of an article is little, as the link says it; and the most requests that count such articles. */
const LITTLE = 5;
const MOST_PAGES = 5;

/** How many articles there is little of. A page may be short, so several are read. */
async function lowStock(api, signal) {
  let count = 0;
  let after;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data, next } = await api.json(`/admin/stock${query({ max: LITTLE, limit: 200, after })}`, { signal });
    count += data.length;
    if (!next) return number(count);
    after = next;
  }
  return `${number(count)}+`;
}

function figures(counts, unsellable, low) {
  const say = words();
  const all = [
    [say.status_N, number(counts.N), "#orders?status=N"],
    [say.status_O, number(counts.O), "#orders?status=O"],
    [say.to_invoice, counted(counts.toInvoice), "#orders?status=toInvoice"],
    [say.not_sellable, number(unsellable.articles), "#stock"],
    [say.low_stock(LITTLE), low, `#stock${query({ max: LITTLE })}`],
  ];
  const each = all.map(([text, figure, href]) => element("li", {}, element("a", { href, className: "card" }, element("strong", { textContent: figure }), text)));
  return element("ul", { className: "figures" }, each);
}

/** The server's health in a line. */
function health({ ready, checks }) {
  const say = words();
  const failed = Object.keys(checks).filter((name) => checks[name] !== "ok").map((name) => say[`check_${name}`] ?? name);
  return element(
    "p",
    { className: `health ${ready ? "fine" : "failed"}` },
    ready ? say.ready : [say.not_ready, ...failed].join(", "),
    " · ",
    link("#state", say.nav_state),
  );
}

export async function show({ place, api, signal }) {
  const say = words();
  const shown = element("div", { className: "stack" });
  const setup = element("div");
  place.append(heading(say.nav_day, say.day_about), setup, shown);
  const refresh = async () => {
    const [counts, stats, checks, low, orders] = await Promise.all([
      api.get("/admin/orders/count", signal),
      api.get("/admin/stats", signal),
      readiness(signal),
      lowStock(api, signal),
      api.get(`/admin/orders${query({ limit: NEWEST })}`, signal),
    ]);
    const newest = orders.length > 0 ? table(say.newest_orders, columns(), orders).frame : paragraph(say.no_orders_yet);
    shown.replaceChildren(figures(counts, stats.unsellable, low), card(say.newest_orders, newest, element("p", {}, link("#orders", say.back_to_orders))), health(checks));
    return orders.length;
  };
  if ((await refresh()) === 0) setup.replaceWith(await (await import("./setup.js")).setupCard(api, signal));
  every(EVERY, signal, () => run(place, refresh));
}
