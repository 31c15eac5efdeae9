// The audit trail: who changed which records.

import { query } from "./api.js";
import { code, element, heading, link } from "./dom.js";
import { time } from "./format.js";
import { field, filter, input } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";

const AT_ONCE = 100;
/** Records of a change that are shown at once. */
const AT_FIRST = 5;
const DAY = 86_400_000;

/** Screens of records that have one. */
const SCREENS = { Auftrag: "orders", Kunde: "customers", Artikel: "articles" };

/** A record like `Auftrag 100001`, with a link where there is a screen of it. */
function record(text) {
  const [kind, ...rest] = text.split(" ");
  const screen = SCREENS[kind];
  return screen && rest.length > 0 ? link(`#${screen}/${encodeURIComponent(rest.join(" "))}`, text) : text;
}

/** The records of a change; an import may have thousands of them. */
function records({ changed, removed }) {
  const say = words();
  const each = [
    ...changed.map((text) => element("li", {}, record(text))),
    ...removed.map((text) => element("li", {}, element("del", { textContent: text }), ` ${say.removed}`)),
  ];
  if (each.length <= AT_FIRST) return element("ul", {}, each);
  const rest = each.splice(AT_FIRST);
  const more = element("details", {}, element("summary", { textContent: say.more_records(rest.length) }), element("ul", {}, rest));
  return [element("ul", {}, each), more];
}

function columns() {
  const say = words();
  return [
    [say.time, (entry) => time(entry.at), "when"],
    [say.by, (entry) => entry.user],
    [say.operation, (entry) => code(entry.operation)],
    [say.records, records, "wide"],
    [say.request, (entry) => (entry.request_id ? code(entry.request_id) : "")],
  ];
}

function fileColumns() {
  const say = words();
  return [
    [say.time, (entry) => entry.at],
    [say.by, (entry) => entry.user],
    [say.operation, (entry) => entry.operation],
    [say.records, ({ changed, removed }) => [...changed, ...removed.map((text) => `${text} ${say.removed}`)].join(", ")],
    [say.request, (entry) => entry.request_id],
  ];
}

/** The start of a day of this place, or of a later one, as the server reads it. */
function start(date, days = 0) {
  if (!date) return "";
  const begun = new Date(`${date}T00:00`);
  // Some days have 23 or 25 hours.
  begun.setDate(begun.getDate() + days);
  return begun.toISOString();
}

/** A date as its field writes it. */
const dateValue = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

export async function show({ place, api, parts: [about], signal }) {
  const say = words();
  const first = about === undefined ? dateValue(new Date(Date.now() - DAY)) : "";
  const asked = filter(
    [
      field(say.from, input("since", { type: "date", value: first })),
      field(say.until, input("until", { type: "date" })),
      field(say.user, input("user")),
      field(say.record, input("record", { value: about ?? "" }), say.record_hint),
    ],
    say.search,
  );
  place.append(heading(say.nav_audit, say.audit_about));
  await filteredList(place, asked, ({ since, until, user, record: wanted }) => ({
    caption: say.nav_audit,
    columns: columns(),
    none: say.no_changes,
    file: { name: "changes", columns: fileColumns() },
    load: async (after) => {
      const all = query({ since: start(since), until: start(until, 1), user, record: wanted, newest: true, limit: AT_ONCE, after });
      const { data, next } = await api.json(`/admin/audit${all}`, { signal });
      return { rows: data, next };
    },
  }), signal);
}
