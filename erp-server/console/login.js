// The login.

import { ServerError, login } from "./api.js";
import { card, find, heading, paragraph } from "./dom.js";
import { field, form, input } from "./form.js";
import { words } from "./language.js";

/** Errors of a login in words of its own. */
function explained(error) {
  const say = words();
  const text = { 401: say.login_refused, 403: say.login_no_role }[error.status];
  return text === undefined ? error : new ServerError(422, "", { problems: [{ path: "", message: text }] });
}

/** A card with one button that logs in as the printed link of a demo says. */
function demoCard({ user, password }, onEnd, onLogin) {
  const say = words();
  const entry = form({ className: "fields", parts: [], submit: say.login_as(user), action: async () => onLogin(await login(user, password, onEnd)) });
  return card(say.demo, paragraph(say.demo_about), entry);
}

/** `demo` is the user and password of the link that a demo printed, or nothing. */
export function loginScreen(place, onEnd, onLogin, demo) {
  const say = words();
  const user = input("user", { autocomplete: "username", autocapitalize: "none", required: true });
  const password = input("password", { type: "password", autocomplete: "current-password", required: true });
  const entry = form({
    className: "card login",
    parts: [field(say.user, user), field(say.password, password)],
    submit: say.login,
    action: async (values) => {
      try {
        // Blanks of a password count.
        onLogin(await login(values.user, password.value, onEnd));
      } catch (error) {
        throw explained(error);
      }
    },
  });
  place.append(heading(say.login_title, say.login_about), ...(demo ? [demoCard(demo, onEnd, onLogin)] : []), entry);
  (demo ? find("button", place) : user).focus();
}
