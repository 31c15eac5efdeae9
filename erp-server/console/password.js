// The own password.

import { heading } from "./dom.js";
import { field, form, input } from "./form.js";
import { words } from "./language.js";

export async function show({ place, api }) {
  const say = words();
  const secret = (name, autocomplete) => input(name, { type: "password", autocomplete, required: true });
  const change = form({
    parts: [
      field(say.old_password, secret("old", "current-password")),
      field(say.new_password, secret("new", "new-password"), say.new_password_hint),
    ],
    submit: say.set_password,
    action: async (passwords) => {
      await api.change("PUT", "/admin/me/password", passwords);
      api.end();
    },
  });
  place.append(heading(say.nav_password, say.password_about), change);
}
