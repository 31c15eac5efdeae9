// The state of the server, read again every few seconds.

import { badge, card, element, heading, link } from "./dom.js";
import { ago, duration, micros, number, size, time } from "./format.js";
import { run } from "./form.js";
import { words } from "./language.js";
import { plot } from "./plot.js";
import { facts } from "./table.js";
import { every } from "./timer.js";

const EVERY = 10_000;

/** The checks of the server; a server that is not ready returns them in its error. */
export async function readiness(signal) {
  const answer = await fetch("/health/ready", { cache: "no-store", credentials: "omit", signal });
  const body = await answer.json();
  return { ready: answer.ok, checks: answer.ok ? body.data.checks : (body.info?.checks ?? {}) };
}

function health({ ready, checks }) {
  const say = words();
  const each = Object.entries(checks).map(([name, outcome]) =>
    element("li", {}, badge(`${say[`check_${name}`] ?? name}: ${outcome === "ok" ? say.ok : say.failed}`, outcome === "ok" ? "good" : "wrong")),
  );
  return card(
    say.health,
    element("p", {}, badge(ready ? say.ready : say.not_ready, ready ? "good" : "wrong")),
    element("ul", { className: "chips" }, each),
  );
}

function server(stats) {
  const say = words();
  return card(
    say.server,
    facts([
      [say.version, stats.version],
      [say.started, `${time(stats.started)} (${ago(stats.started)})`],
      [say.store, say[`store_${stats.store?.kind}`]],
      [say.store_size, size(stats.store?.bytes)],
      [say.memory, size(stats.memoryBytes)],
      [say.connections, number(stats.connections)],
    ]),
  );
}

function lastBackup({ lastBackup: last }, api) {
  const say = words();
  const told = last
    ? facts([[say.proved, `${time(last)} (${ago(last)})`]])
    : element("p", { className: "notice warn", textContent: say.no_backup });
  const to = api.may("createBackup") ? element("p", {}, link("#backup", say.to_backup)) : undefined;
  return card(say.last_backup, told, to);
}

function eventsCard({ events }, api) {
  const say = words();
  return card(
    say.nav_events,
    facts([
      [say.waiting, number(events.waiting)],
      [say.not_delivered, events.failed > 0 ? badge(number(events.failed), "wrong") : "0"],
      [say.oldest_waiting, events.oldestWaitingSeconds ? duration(events.oldestWaitingSeconds) : ""],
    ]),
    api.may("listEvents") ? element("p", {}, link("#events", say.to_events)) : undefined,
  );
}

function requests({ requests: by, orders }) {
  const say = words();
  return card(
    say.since_start,
    facts([
      [say.answered, number(by["2xx"])],
      [say.refused_requests, number(by["4xx"])],
      [say.errors, by["5xx"] > 0 ? badge(number(by["5xx"]), "wrong") : "0"],
      [say.orders_placed, number(orders)],
    ]),
  );
}

function plots({ history }) {
  const say = words();
  const all = [
    [say.plot_requests, history.requests, number],
    [say.plot_errors, history.errors, number],
    [say.plot_time, history.p50Micros, micros],
    [say.plot_orders, history.orders, number],
  ];
  return card(
    say.last_hour,
    element("div", { className: "plots" }, all.map(([title, points, form]) => plot(title, points, form))),
  );
}

export async function show({ place, api, signal }) {
  const say = words();
  const cards = element("div", { className: "cards" });
  place.append(heading(say.nav_state, say.state_about), cards);
  const refresh = async () => {
    const [checks, stats] = await Promise.all([readiness(signal), api.get("/admin/stats", signal)]);
    if (signal.aborted) return;
    cards.replaceChildren(health(checks), requests(stats), eventsCard(stats, api), plots(stats), server(stats), lastBackup(stats, api));
  };
  await refresh();
  every(EVERY, signal, () => run(place, refresh));
}
