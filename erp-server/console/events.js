// Events: deliveries, failed ones first, and the receivers.

import { path, query } from "./api.js";
import { badge, code, element, heading, link, news, paragraph } from "./dom.js";
import { number, time } from "./format.js";
import { button, field, filter, form, input, run, select } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { targets } from "./targets.js";

const stateText = ({ state }) => words()[`delivery_${state}`] ?? state;

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
      badge(stateText(delivery), { delivered: "good", given_up: "wrong" }[delivery.state]),
      ` ${words().target} ${delivery.target} `,
      element("span", { className: "hint", textContent: lastAttempt(delivery) }),
      delivery.next_attempt_at ? element("span", { className: "hint", textContent: ` ${words().next_attempt(time(delivery.next_attempt_at))}` }) : undefined,
    ),
  );
  return each.length > 0 ? element("ul", {}, each) : paragraph(words().no_delivery, "hint");
}

/** The record of an event: its screen, its number, and what it is called; of several articles the first. */
function recordOf({ AuftNr, DebiNr, ArtNr, RechNr }) {
  const say = words();
  if (ArtNr) return ["articles", ArtNr[0], ArtNr.length > 1 ? `${say.article} ${ArtNr[0]} + ${number(ArtNr.length - 1)}` : `${say.article} ${ArtNr[0]}`];
  if (AuftNr) return ["orders", AuftNr, `${say.order} ${AuftNr}`];
  return RechNr ? ["bills", RechNr, say.invoice_title(RechNr)] : ["customers", DebiNr, `${say.customer} ${DebiNr}`];
}

function record({ data }) {
  const [screen, number, text] = recordOf(data);
  return link(`#${screen}/${encodeURIComponent(number)}`, text);
}

function columns(replay) {
  const say = words();
  const delivery = (one) => [stateText(one), `${say.target} ${one.target}`, lastAttempt(one)].filter(Boolean).join(" ");
  return [
    [say.time, (event) => time(event.timestamp), "when", (event) => event.timestamp],
    [say.record, record, "", ({ data }) => (data.ArtNr ? `${say.article} ${data.ArtNr.join(", ")}` : recordOf(data)[2])],
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
  const told = news();
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
    file: { name: "events" },
    load: (after, limit) => api.json(`/admin/events${query({ state, limit, after })}`, { signal }),
  }), signal);
  await targets(receivers, api, signal);
}
