// Fields, forms, buttons, and their error messages.

import { ServerError } from "./api.js";
import { element, find, paragraph } from "./dom.js";
import { words } from "./language.js";

let fields = 0;

export const input = (name, properties = {}) =>
  element("input", { name, type: "text", autocomplete: "off", spellcheck: false, ...properties });

/** A choice of `[value, text]`. */
export function select(name, options, value = "") {
  const made = element(
    "select",
    { name },
    options.map(([value, text]) => element("option", { value, textContent: text })),
  );
  made.value = value;
  return made;
}

/** A control with its label, a hint and a place for its error. */
export function field(label, control, hint) {
  fields += 1;
  const id = `field-${fields}`;
  control.id = id;
  control.setAttribute("aria-describedby", hint ? `${id}-hint ${id}-problem` : `${id}-problem`);
  return element(
    "div",
    { className: "field" },
    element("label", { htmlFor: id, textContent: label }),
    control,
    hint ? element("p", { id: `${id}-hint`, className: "hint", textContent: hint }) : undefined,
    element("p", { id: `${id}-problem`, className: "problem" }),
  );
}

export function button(text, action, className = "") {
  const made = element("button", { type: "button", className, textContent: text });
  made.addEventListener("click", action);
  return made;
}

/** The message of an error, with what the user can do. */
export function told(error) {
  const say = words();
  if (!(error instanceof ServerError)) return say.failed_here(error.message);
  if (error.status === 0) return say.no_server;
  if (error.status === 401) return say.login_ended;
  if (error.status === 429) return say.busy;
  if (error.problems.length > 0) return say.refused_because(error.status);
  return say.refused(error.message, error.status);
}

/** Runs an action and shows in `place` why it failed, with every problem. `mend(path)` is where to put a problem right. */
export async function run(place, action, mend = (path) => path) {
  find(":scope > .failure", place)?.remove();
  place.setAttribute("aria-busy", "true");
  try {
    return await action();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    const problems = (error.problems ?? []).map((problem) => element("li", {}, mend(problem.path), problem.path ? ": " : "", problem.message));
    const list = problems.length > 0 ? element("ul", {}, problems) : undefined;
    place.prepend(element("div", { className: "notice failure", role: "alert" }, paragraph(told(error)), list));
    return undefined;
  } finally {
    place.removeAttribute("aria-busy");
  }
}

/** Runs an action; a control is switched off meanwhile. */
export async function resting(control, action) {
  control.disabled = true;
  try {
    return await action();
  } finally {
    control.disabled = false;
  }
}

/** A form whose `action` gets the values; problems from the server are shown at their fields. With a `bar`, what is in it and the button stay in sight. */
export function form({ parts, submit, action, bar, className = "card" }) {
  const state = element("p", { className: "problem wide", role: "alert" });
  const send = element("button", { className: "main", textContent: submit });
  const end = bar ? element("div", { className: "wide bar" }, state, element("div", { className: "row" }, bar, send)) : [element("div", { className: "wide row" }, send), state];
  const made = element("form", { className, noValidate: true }, parts, end);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    clear(made, state);
    resting(send, async () => action(valuesOf(made), made)).catch((error) => tell(made, state, error));
  });
  return made;
}

/** What was written; chosen files are read by their parts. Blanks of a password count. */
function valuesOf(made) {
  const written = [...new FormData(made)].filter(([, value]) => typeof value === "string");
  return Object.fromEntries(written.map(([name, value]) => [name, made.elements[name].type === "password" ? value : value.trim()]));
}

function clear(made, state) {
  state.textContent = "";
  for (const wrong of made.querySelectorAll("[aria-invalid]")) {
    wrong.removeAttribute("aria-invalid");
    find(`#${wrong.id}-problem`, made).textContent = "";
  }
}

function tell(made, state, error) {
  const problems = error.problems ?? [];
  const elsewhere = problems.filter((problem) => !mark(made, problem));
  if (problems.length === 0) state.textContent = told(error);
  else state.textContent = elsewhere.map((problem) => [problem.path, problem.message].filter(Boolean).join(": ")).join(" · ");
  const wrong = [...made.querySelectorAll("[aria-invalid]")];
  // The tab of the first one is open in the end.
  for (const one of wrong.toReversed()) reveal(one);
  wrong[0]?.focus();
}

/** The control or list of this name in a form; nothing when there is none. */
export const control = (made, path) => [...made.elements].find(({ name }) => name === path && name !== "");

/** Opens what hides a control: a fold, a tab, a filter of lines. */
export function reveal(found) {
  for (let around = found; around; around = around.parentElement) {
    if (around.tagName === "DETAILS") around.open = true;
    if (around.tagName === "TR") around.hidden = false;
    if (around.role === "tabpanel") find(`[aria-controls="${around.id}"]`).click();
  }
}

/** Panels as `[text, node]`, of which the tabs above show one. */
export function tabs(label, panels) {
  const show = (chosen) => panels.forEach(([, node], at) => {
    node.hidden = at !== chosen;
    all[at].ariaSelected = String(at === chosen);
    all[at].tabIndex = at === chosen ? 0 : -1;
  });
  const all = panels.map(([text, node], at) => {
    const tab = button(text, () => show(at), "quiet");
    tab.id = `tab-${(fields += 1)}`;
    node.id = `${tab.id}-panel`;
    node.role = "tabpanel";
    tab.role = "tab";
    tab.setAttribute("aria-controls", node.id);
    node.setAttribute("aria-labelledby", tab.id);
    return tab;
  });
  const list = element("div", { className: "tabs", role: "tablist", "aria-label": label }, all);
  list.addEventListener("keydown", ({ key, target }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    const next = all.at((all.indexOf(target) + step) % all.length);
    next.click();
    next.focus();
  });
  show(0);
  return [list, ...panels.map(([, node]) => node)];
}

/** Writes a problem at its field; returns whether there is one. */
export function mark(made, problem) {
  const wrong = control(made, problem.path);
  if (wrong === undefined || wrong.type === "fieldset") return false;
  wrong.setAttribute("aria-invalid", "true");
  find(`#${wrong.id}-problem`, made).textContent = problem.message;
  return true;
}

/** A filter above a list: `onValues` gets its values whenever it is sent. */
export function filter(parts, submit) {
  // Not awaited: while a slow search runs, another one can start.
  const made = form({ parts, submit, className: "card filter", action: (values) => void made.onValues(values) });
  made.values = () => valuesOf(made);
  return made;
}

/** Asks before something that cannot be undone, or before the `details` that are shown below the question. */
export function confirmed(question, verb, not = words().cancel, details = []) {
  return new Promise((resolve) => {
    const close = (agreed) => () => {
      resolve(agreed);
      dialog.close();
    };
    const text = element("p", { id: "question", textContent: question });
    const dialog = element(
      "dialog",
      { "aria-labelledby": "question" },
      text,
      details,
      element(
        "div",
        { className: "row" },
        button(not, close(false)),
        button(verb, close(true), details.length > 0 ? "main" : "main danger"),
      ),
    );
    dialog.addEventListener("close", () => {
      resolve(false);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The form on the screen with changes that are not saved: one says so by `data-edited`. */
const edited = () => find("form[data-edited]");
let asking = false;

/** Asks before the changes of the form are lost, and then goes on with `leave`; else with `stay`. */
async function askToLeave(event, leave, stay = () => undefined) {
  if (edited() === null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (asking) return;
  asking = true;
  const say = words();
  const agreed = await confirmed(say.sure_leave, say.leave, say.stay);
  asking = false;
  if (agreed) delete edited()?.dataset.edited;
  (agreed ? leave : stay)();
}

window.addEventListener("beforeunload", (event) => edited() && event.preventDefault());
document.addEventListener("click", (event) => {
  if (event.target.matches("#logout, [name=language]")) askToLeave(event, () => event.target.click());
}, { capture: true });
// Before the page shows what the address names.
window.addEventListener("hashchange", (event) => {
  // The link that skips to the content leads nowhere.
  if (location.hash === "#main" || !event.oldURL) return;
  askToLeave(event, () => window.dispatchEvent(new HashChangeEvent("hashchange")), () => history.pushState(null, "", event.oldURL));
}, { capture: true });

/** A text that is shown once, with a button that copies it. */
export function secret(about, value) {
  const copied = element("span", { className: "hint", role: "status" });
  const copy = button(words().copy, async () => {
    await navigator.clipboard.writeText(value);
    copied.textContent = words().copied;
  });
  // Browsers copy only for pages of a secure origin.
  const shown = element("p", { className: "row" }, element("code", { className: "secret", textContent: value }), copied, navigator.clipboard ? copy : undefined);
  return element("div", { className: "good stack", role: "status" }, paragraph(about), shown);
}
