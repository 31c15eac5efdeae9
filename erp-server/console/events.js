// Events: deliveries, failed ones first, and the receivers.

import { path, query } from "./api.js";
import { badge, code, element, heading, link, paragraph } from "./dom.js";
import { number, time } from "./format.js";
import { button, field, filter, form, input, run, select } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { targets } from "./targets.js";

const AT_ONCE = 50;

const stateText = ({ state }) => words()[`delivery_${state}`] ?? state;

const stateOf = (delivery) => badge(stateText(delivery), { delivered: "good", given_up: "wrong" }[delivery.state]);

/** How the last attempt ended. */
function lastAttempt({ attempts }) {
  const last = attempts.at(-1);
  if (last === undefined) return "";
  const outcome = last.status ? `HTTP ${last.status}` : (words()[`outcome_${last.outcome}`] ?? last.outcome);
  return words().attempt(attempts.length, outcome, number(last.duration_ms));
}

function deliveries(event) {
  const each = event.deliveries.map((delivery) =>
    element(
      "li",
      {},
      stateOf(delivery),
      ` ${words().target} ${delivery.target} `,
      element("span", { className: "hint", textContent: lastAttempt(delivery) }),
      delivery.next_attempt_at ? element("span", { className: "hint", textContent: ` ${words().next_attempt(time(delivery.next_attempt_at))}` }) : undefined,
    ),
  );
  return each.length > 0 ? element("ul", {}, each) : paragraph(words().no_delivery, "hint");
}

/** The first of the changed articles, and how many more there are. */
function articles([first, ...more]) {
  const linked = link(`#articles/${encodeURIComponent(first)}`, `${words().article} ${first}`);
  return more.length > 0 ? element("span", {}, linked, ` + ${number(more.length)}`) : linked;
}

/** The record of an event as text; of articles all of them. */
function recordText({ AuftNr, DebiNr, ArtNr, RechNr }) {
  const say = words();
  if (ArtNr) return `${say.article} ${ArtNr.join(", ")}`;
  if (AuftNr) return `${say.order} ${AuftNr}`;
  return RechNr ? say.invoice_title(RechNr) : `${say.customer} ${DebiNr}`;
}

/** The record with a link to its screen. */
function record(data) {
  if (data.ArtNr) return articles(data.ArtNr);
  const [screen, number] = data.AuftNr ? ["orders", data.AuftNr] : data.RechNr ? ["bills", data.RechNr] : ["customers", data.DebiNr];
  return link(`#${screen}/${encodeURIComponent(number)}`, recordText(data));
}

function columns(replay) {
  const say = words();
  const delivery = (one) => [stateText(one), `${say.target} ${one.target}`, lastAttempt(one)].filter(Boolean).join(" ");
  return [
    [say.time, (event) => time(event.timestamp), "when", (event) => event.timestamp],
    [say.record, (event) => record(event.data), "", (event) => recordText(event.data)],
    [say.by, (event) => event.data.user, "", (event) => event.data.user],
    [say.deliveries, deliveries, "wide", (event) => event.deliveries.map(delivery).join(", ")],
    [say.event, (event) => code(event.id), "when", (event) => event.id],
    [say.actions, (event) => element("div", { className: "actions" }, button(say.send_again, () => replay(event.id), "small"))],
  ];
}

function replaySince(api, told) {
  const say = words();
  return form({
    className: "card filter",
    parts: [field(say.replay_since, input("since", { type: "datetime-local", required: true }), say.replay_since_hint)],
    submit: say.send_all_again,
    action: async ({ since }) => {
      const at = new Date(since);
      const asked = query({ since: Number.isNaN(at.getTime()) ? since : at.toISOString() });
      const { deliveries } = await api.change("POST", `/admin/events/replay${asked || "?since="}`);
      told.textContent = say.replayed(deliveries);
    },
  });
}

export async function show({ place, api, signal }) {
  const say = words();
  const told = paragraph("", "state");
  told.setAttribute("role", "status");
  const replay = (id) =>
    run(place, async () => {
      const { deliveries } = await api.change("POST", path("admin", "events", "replay", id));
      told.textContent = say.replayed(deliveries);
    });
  const states = [["failed", say.only_failed], ["", say.all]];
  const asked = filter([field(say.deliveries, select("state", states, "failed"))], say.show);
  const list = element("section", { className: "stack" }, element("h2", { textContent: say.deliveries }));
  const receivers = element("section", { className: "stack" });
  place.append(heading(say.nav_events, say.events_about), told, list, element("section", { className: "stack" }, replaySince(api, told)), receivers);
  await filteredList(list, asked, ({ state }) => ({
    caption: say.deliveries,
    columns: columns(replay),
    none: state === "failed" ? say.none_failed : say.no_events,
    file: { name: "events", more: [] },
    load: async (after) => {
      const { data, next } = await api.json(`/admin/events${query({ state, limit: AT_ONCE, after })}`, { signal });
      return { rows: data, next: next ?? (data.length === AT_ONCE ? data.at(-1).id : undefined) };
    },
  }), signal);
  await targets(receivers, api, signal);
}
