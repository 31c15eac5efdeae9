// The state of the server, read again every few seconds.

import { badge, card, element, heading, link, paragraph } from "./dom.js";
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
  const shown = (text, isFine) => badge(text, isFine ? "good" : "wrong");
  const each = Object.entries(checks).map(([name, outcome]) => element("li", {}, shown(`${say[`check_${name}`] ?? name}: ${outcome === "ok" ? say.ok : say.failed}`, outcome === "ok")));
  return card(say.health, element("p", {}, shown(ready ? say.ready : say.not_ready, ready)), element("ul", { className: "chips" }, each));
}

/** When the last backup was verified. */
export const lastBackup = ({ lastBackup: last }) => (last ? facts([[words().proved, `${time(last)} (${ago(last)})`]]) : paragraph(words().no_backup, "notice warn"));

function cards(stats, api) {
  const say = words();
  const { events, requests: by, history, store } = stats;
  const noneIsGood = (count) => (count > 0 ? badge(number(count), "wrong") : "0");
  const leads = (operation, hash, text) => (api.may(operation) ? element("p", {}, link(hash, text)) : undefined);
  const plots = [
    [say.plot_requests, history.requests, number],
    [say.plot_errors, history.errors, number],
    [say.plot_time, history.p50Micros, micros],
    [say.plot_orders, history.orders, number],
  ];
  const requests = [
    [say.answered, number(by["2xx"])],
    [say.refused_requests, number(by["4xx"])],
    [say.errors, noneIsGood(by["5xx"])],
    [say.orders_placed, number(stats.orders)],
  ];
  const deliveries = [
    [say.waiting, number(events.waiting)],
    [say.not_delivered, noneIsGood(events.failed)],
    [say.oldest_waiting, events.oldestWaitingSeconds ? duration(events.oldestWaitingSeconds) : ""],
  ];
  const server = [
    [say.version, stats.version],
    [say.started, `${time(stats.started)} (${ago(stats.started)})`],
    [say.store, say[`store_${store?.kind}`]],
    [say.store_size, size(store?.bytes)],
    [say.memory, size(stats.memoryBytes)],
    [say.connections, number(stats.connections)],
  ];
  return [
    card(say.since_start, facts(requests)),
    card(say.nav_events, facts(deliveries), leads("listEvents", "#events", say.to_events)),
    card(say.last_hour, element("div", { className: "plots" }, plots.map((one) => plot(...one)))),
    card(say.server, facts(server)),
    card(say.last_backup, lastBackup(stats), leads("createBackup", "#backup", say.to_backup)),
  ];
}

export async function show({ place, api, signal }) {
  const shown = element("div", { className: "cards" });
  place.append(heading(words().nav_state, words().state_about), shown);
  const refresh = async () => {
    const [checks, stats] = await Promise.all([readiness(signal), api.get("/admin/stats", signal)]);
    if (!signal.aborted) shown.replaceChildren(health(checks), ...cards(stats, api));
  };
  await refresh();
  every(EVERY, signal, () => run(place, refresh));
}
