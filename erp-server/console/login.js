// The login.

import { ServerError, login } from "./api.js";
import { card, element, find, heading, paragraph } from "./dom.js";
import { button, field, form, input } from "./form.js";
import { words } from "./language.js";
import { onTabs } from "./tabs.js";

/** Errors of a login in words of its own. */
function explained(error) {
  const say = words();
  const text = { 401: say.login_refused, 403: say.login_no_role }[error.status];
  return text === undefined ? error : new ServerError(422, "", { problems: [{ path: "", message: text }] });
}

function loginForm(className, onLogin, known = "") {
  const say = words();
  const user = input("user", { autocomplete: "username", autocapitalize: "none", required: true, value: known });
  const password = input("password", { type: "password", autocomplete: "current-password", required: true });
  return form({
    className,
    parts: [field(say.user, user), field(say.password, password)],
    submit: say.login,
    // Blanks of a password count.
    action: (values) => login(values.user, password.value).then(onLogin, (error) => Promise.reject(explained(error))),
  });
}

/** A card with one button that logs in as the printed link of a demo says. */
function demoCard({ user, password }, onLogin) {
  const say = words();
  const entry = form({ className: "fields", parts: [], submit: say.login_as(user), action: async () => onLogin(await login(user, password)) });
  return card(say.demo, paragraph(say.demo_about), entry);
}

/** `demo` is the user and password of the link that a demo printed, or nothing. */
export function loginScreen(place, onLogin, demo) {
  const say = words();
  const entry = loginForm("card login", onLogin);
  place.append(heading(say.login_title, say.login_about), ...(demo ? [demoCard(demo, onLogin)] : []), entry);
  find(demo ? "button" : "input", place).focus();
}

/** Asks for the password above a screen, which stays as it is; another tab may be faster. Returns the login, or nothing. */
export function loginDialog(api) {
  const say = words();
  const dialog = element("dialog", { "aria-labelledby": "lapsed" }, element("h2", { id: "lapsed", textContent: say.login_ended }), paragraph(say.login_lapsed));
  return new Promise((resolve) => {
    const end = (login) => {
      stop();
      dialog.close();
      dialog.remove();
      resolve(login);
    };
    const stop = onTabs((login) => login && api.fits(login) && end(login));
    dialog.addEventListener("close", () => end());
    const entry = loginForm("login", end, api.user);
    find(".row", entry).prepend(button(say.cancel, () => end()));
    dialog.append(entry);
    document.body.append(dialog);
    dialog.showModal();
    find("[type=password]", dialog).focus();
  });
}
