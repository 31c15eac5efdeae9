// The company: its data, its attributes, and the settings the server runs with.

import { path, query } from "./api.js";
import { code, element, heading, link, paragraph } from "./dom.js";
import { button, confirmed, field, form, input, run } from "./form.js";
import { words } from "./language.js";
import { edit, linesOf, memberLink } from "./edit.js";
import { labelOf, lackingForInvoices } from "./rows.js";
import { table } from "./table.js";

const EDIT = "#attributes/edit";

/** One attribute: its name, a field for its contents, and buttons. */
function row(api, attribute, refresh, place, done) {
  const say = words();
  const name = attribute.PHKey;
  const own = path("admin", "attributes", name);
  const contents = input("Contents", { value: attribute.Contents, maxLength: 200, "aria-label": `${say.contents}: ${name}` });
  const save = async () => {
    await api.change("PUT", own, { Contents: contents.value });
    done.textContent = say.attribute_saved(name);
  };
  const remove = async () => {
    if (!(await confirmed(say.sure_remove_attribute(name), say.remove))) return;
    await api.change("DELETE", own);
    await refresh();
    done.textContent = say.attribute_removed(name);
  };
  const act = (action) => () => run(place, action);
  return { name, contents, actions: [button(say.save, act(save), "small"), button(say.remove, act(remove), "small danger")] };
}

function settingsTable(settings) {
  const say = words();
  const columns = [
    [say.setting, (one) => code(one.name), "wide"],
    [say.value, (one) => (one.value === one.default ? (one.value ?? "") : element("strong", { textContent: one.value ?? "" }))],
    [say.default, (one) => one.default],
    [say.unit, (one) => one.unit],
  ];
  const shown = element("details", { className: "card" }, element("summary", { textContent: say.settings }));
  shown.append(paragraph(say.settings_about, "hint"), table(say.settings, columns, settings).frame);
  return shown;
}

const COMPANY = { company: "true" };

/** The company as a line of an import; nothing while there is none. */
async function company(api, signal) {
  const lines = linesOf(await (await api.send(`/admin/export${query(COMPANY)}`, { signal })).text());
  return lines.find(([kind]) => kind === "Firma")?.[1];
}

/** Company, tax codes and payment conditions as forms. */
async function editCompany(place, api, signal) {
  const known = await company(api, signal);
  const blank = known === undefined ? [["Firma", {}]] : [];
  const adds = [["Steuer", () => ({ Saetze: [{}] })]];
  const needed = lackingForInvoices(known ?? {});
  return edit({ place, api, signal, title: words().company, asked: COMPANY, blank, adds, needed, done: () => "#attributes" });
}

/** What the company lacks for invoices, each with a link to its field. */
function lacking(known) {
  const paths = lackingForInvoices(known ?? {});
  if (paths.length === 0) return [];
  const links = paths.flatMap((path, at) => [at > 0 ? ", " : " ", memberLink(EDIT, path, labelOf(path))]);
  return [element("p", { className: "notice" }, words().invoices_need, links)];
}

export async function show({ place, api, parts: [verb], signal }) {
  if (verb === "edit") return editCompany(place, api, signal);
  const say = words();
  const done = element("p", { className: "state", role: "status" });
  const list = element("section", { className: "card" });
  const columns = [
    [say.name, (one) => code(one.name)],
    [say.contents, (one) => one.contents, "wide"],
    [say.actions, (one) => element("div", { className: "actions" }, one.actions)],
  ];
  const refresh = async () => {
    const all = await api.get("/admin/attributes", signal);
    const rows = all.map((one) => row(api, one, refresh, place, done));
    list.replaceChildren(rows.length > 0 ? table(say.nav_attributes, columns, rows).frame : paragraph(say.no_attributes, "hint"));
  };
  const add = form({
    parts: [
      field(say.name, input("PHKey", { maxLength: 12, required: true }), say.attribute_hint),
      field(say.contents, input("Contents", { maxLength: 200 })),
    ],
    submit: say.set_attribute,
    action: async ({ PHKey, Contents }, sent) => {
      await api.change("PUT", path("admin", "attributes", PHKey), { Contents });
      sent.reset();
      await refresh();
      done.textContent = say.attribute_saved(PHKey);
    },
  });
  place.append(heading(say.nav_attributes, say.attributes_about, link(EDIT, say.edit_company)), ...lacking(await company(api, signal)), done, list, element("h2", { textContent: say.new_attribute }), add);
  await refresh();
  place.append(settingsTable(await api.get("/admin/settings", signal)));
}
