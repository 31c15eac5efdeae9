// Users: the list, a new one, and one of them with its tokens.

import { path } from "./api.js";
import { card, code, element, heading, link, news, paragraph } from "./dom.js";
import { time } from "./format.js";
import { button, confirmed, field, form, input, run, secret, select } from "./form.js";
import { words } from "./language.js";
import { table } from "./table.js";

function roleFields(role, shop) {
  const say = words();
  const roles = ["shop", "clerk", "editor", "admin"].map((role) => [role, say[`role_${role}`]]);
  return [
    field(say.role, select("role", roles, role), say.role_hint),
    field(say.restwebshop, input("restwebshop", { value: shop ?? "" }), say.restwebshop_hint),
  ];
}

async function showUsers(place, api, signal) {
  const say = words();
  const list = element("div");
  const columns = [
    [say.user, (one) => link(`#users/${encodeURIComponent(one.name)}`, one.name), "wide"],
    [say.role, (one) => say[`role_${one.role}`] ?? one.role],
    [say.restwebshop, (one) => one.restwebshop],
  ];
  const refresh = async () => list.replaceChildren(card(say.nav_users, table(say.nav_users, columns, await api.get("/admin/users", signal)).frame));
  const made = element("div", { className: "stack" });
  const add = form({
    parts: [
      field(say.user, input("name", { maxLength: 80, required: true })),
      ...roleFields("shop"),
      field(say.password, input("password", { type: "password", autocomplete: "new-password" }), say.password_hint),
    ],
    submit: say.add_user,
    action: async ({ name, role, restwebshop, password }, sent) => {
      const body = { name, role, restwebshop: restwebshop || null, password: password || null };
      const added = await api.change("POST", "/admin/users", body);
      made.replaceChildren(added.password ? secret(say.new_password_of(added.name), added.password) : paragraph(say.user_added(added.name), "good"));
      sent.reset();
      await refresh();
    },
  });
  place.append(heading(say.nav_users, say.users_about), list, element("section", {}, element("h2", { textContent: say.new_user }), made, add));
  await refresh();
}

function changeForm(api, user) {
  const say = words();
  const done = news();
  const change = form({
    className: "fields",
    parts: roleFields(user.role, user.restwebshop),
    submit: say.save,
    action: async ({ role, restwebshop }) => {
      await api.change("PUT", path("admin", "users", user.name), { role, restwebshop: restwebshop || null });
      done.textContent = say.saved;
    },
  });
  return card(say.rights, change, done);
}

function passwordForm(api, user, refresh) {
  const say = words();
  const made = element("div");
  const change = form({
    className: "fields",
    parts: [field(say.password, input("password", { type: "password", autocomplete: "new-password" }), say.password_hint)],
    submit: say.set_password,
    action: async ({ password }, sent) => {
      const set = await api.change("PUT", path("admin", "users", user.name, "password"), { password: password || null });
      made.replaceChildren(set.password ? secret(say.new_password_of(user.name), set.password) : paragraph(say.saved, "state"));
      sent.reset();
      // The own tokens have ended, too.
      if (user.name !== api.user) await refresh();
    },
  });
  return card(say.password, paragraph(say.set_password_about, "hint"), made, change);
}

function tokensCard(tokens, count, end) {
  const say = words();
  const columns = [
    [say.token, (one) => code(one.id)],
    [say.issued, (one) => time(one.issued_at)],
    [say.ends, (one) => time(one.expires_at)],
    [say.customer, (one) => one.debinr ?? ""],
  ];
  if (count === 0) return card(say.tokens, paragraph(say.no_tokens, "hint"));
  return card(say.tokens, paragraph(say.tokens_about(count), "hint"), table(say.tokens, columns, tokens).frame, button(say.end_tokens, end, "danger"));
}

async function showUser(place, api, name, signal) {
  const say = words();
  const own = path("admin", "users", name);
  const tokens = element("div");
  const refresh = async () => {
    const { data, count } = await api.json(`${own}/tokens`, { signal });
    tokens.replaceChildren(tokensCard(data, count, () => run(place, end)));
  };
  const end = async () => {
    if (!(await confirmed(say.sure_end_tokens(name), say.end_tokens))) return;
    await api.change("DELETE", `${own}/tokens`);
    if (name === api.user) api.end();
    else await refresh();
  };
  const remove = async () => {
    if (!(await confirmed(say.sure_remove_user(name), say.remove))) return;
    await api.change("DELETE", own);
    if (!signal.aborted) location.hash = "#users";
  };
  const user = await api.get(own, signal);
  place.append(
    heading(say.user_title(name), "", button(say.remove_user, () => run(place, remove), "danger")),
    element("div", { className: "cards" }, changeForm(api, user), passwordForm(api, user, refresh)),
    tokens,
    element("p", {}, link("#users", say.back_to_users)),
  );
  await refresh();
}

export const show = ({ place, api, parts: [name], signal }) =>
  name === undefined ? showUsers(place, api, signal) : showUser(place, api, name, signal);
