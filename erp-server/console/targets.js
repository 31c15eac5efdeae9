// Receivers of events.

import { path } from "./api.js";
import { badge, card, element, paragraph } from "./dom.js";
import { number, time } from "./format.js";
import { button, confirmed, field, form, input, run, secret, select, told } from "./form.js";
import { words } from "./language.js";
import { table } from "./table.js";

const names = () => ({ REST_Auft: words().nav_orders, REST_Kunde: words().nav_customers, REST_Artikel: words().nav_articles, REST_Rechnung: words().nav_bills });

const kindText = (kinds) => (kinds.length > 0 ? kinds : ["REST_Auft", "REST_Kunde"]).map((kind) => names()[kind] ?? kind).join(", ");

/** Sends a test delivery and shows the result next to the button. */
async function test(api, target, result) {
  result.replaceChildren();
  try {
    const { status, millis, error } = await api.change("POST", `${path("admin", "events", "targets", String(target.id))}/test`);
    const good = status >= 200 && status < 300;
    result.replaceChildren(error ? badge(words()[`outcome_${error}`] ?? error, "wrong") : badge(`HTTP ${status}, ${number(millis)} ms`, good ? "good" : "wrong"));
  } catch (error) {
    result.replaceChildren(badge(told(error), "wrong"));
  }
}

function actions(api, target, refresh, place) {
  const say = words();
  const own = path("admin", "events", "targets", String(target.id));
  const result = element("span", { role: "status" });
  const toggle = async () => {
    await api.change("PUT", own, { enabled: !target.enabled });
    await refresh();
  };
  const remove = async () => {
    if (!(await confirmed(say.sure_remove_target(target.url), say.remove))) return;
    await api.change("DELETE", own);
    await refresh();
  };
  return element(
    "div",
    { className: "actions" },
    button(say.test, () => test(api, target, result), "small"),
    button(target.enabled ? say.switch_off : say.switch_on, () => run(place, toggle), "small"),
    button(say.remove, () => run(place, remove), "small danger"),
    result,
  );
}

/** The receivers with a form for a new one. */
export async function targets(place, api, signal) {
  const say = words();
  const list = element("div");
  const columns = [
    ["ID", (one) => String(one.id)],
    [say.url, (one) => one.url, "wide"],
    [say.kinds, (one) => kindText(one.kinds)],
    [say.state, (one) => badge(one.enabled ? say.on : say.off, one.enabled ? "good" : "wrong")],
    [say.added_at, (one) => time(one.created_at)],
    [say.actions, (one) => actions(api, one, refresh, place)],
  ];
  const refresh = async () => {
    const all = await api.get("/admin/events/targets", signal);
    list.replaceChildren(card(say.receivers, all.length > 0 ? table(say.receivers, columns, all).frame : paragraph(say.no_receivers, "hint")));
  };
  const made = element("div");
  const add = form({
    parts: [
      field(say.url, input("url", { type: "url", inputMode: "url", required: true })),
      // Orders with customers, each kind, and all.
      field(say.kinds, select("kinds", [["", kindText([])], ...Object.entries(names()), [Object.keys(names()).join(), say.all]])),
      field(say.secret, input("secret"), say.secret_hint),
    ],
    submit: say.add_receiver,
    action: async ({ url, kinds: kind, secret: given }, sent) => {
      const body = { url, kinds: kind ? kind.split(",") : [], secret: given || null };
      const added = await api.change("POST", "/admin/events/targets", body);
      made.replaceChildren(added.secret ? secret(say.new_secret, added.secret) : paragraph(say.saved, "state"));
      sent.reset();
      await refresh();
    },
  });
  place.append(list, element("h2", { textContent: say.new_receiver }), made, add);
  await refresh();
}
