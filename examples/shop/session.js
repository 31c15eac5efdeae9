// The login of this tab: it survives a reload, and its end shows the form again.

import { Client } from "./erp-wasm/client.js";
import { find } from "./dom.js";
import { onLanguage, words } from "./language.js";

const KEPT = "erp-shop";
const form = find("#login");
/** Why the form is shown; written in the language of the page. */
let reason = () => "";
let client;
let started = () => undefined;
let stopped = () => undefined;

const kept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
const keep = (more) => sessionStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...more }));

/** What an error means for a person. */
export function sentence(error) {
  if (error.status === 0) return words().no_server;
  if (error.status === 401) return words().token_ended;
  if (error.status === 429 || error.status === 503) return words().busy;
  return error.message;
}

const options = {
  tries: 3,
  longestWait: 5,
  onSession: (session) => {
    keep({ session });
    if (session === undefined && client !== undefined) askAgain(() => words().token_ended);
  },
};

/** Shows the form, with a reason. */
function askAgain(why) {
  client = undefined;
  stopped();
  form.hidden = false;
  explain(why);
  const { user, number, password } = kept();
  if (user) form.elements.user.value = user;
  if (number) form.elements.customer.value = number;
  form.elements.password.value = password ?? "";
  find(password ? "#login button" : "#password").focus();
}

function explain(why) {
  reason = why;
  find("#login-problem").textContent = reason();
}

/** Begins with a login whose customer is known to the server. */
async function begin(made, number) {
  const { data: customer } = await made.readCustomer(number).catch((error) => {
    throw error.status === 404 ? new Error(words().no_customer(number)) : error;
  });
  client = made;
  keep({ number, session: made.session });
  form.hidden = true;
  explain(() => "");
  await started({ client, number, customer });
}

async function logIn() {
  const user = form.elements.user.value.trim();
  const password = form.elements.password.value;
  const number = form.elements.customer.value.trim();
  if (number === "") throw new Error(words().customer_needed);
  const made = await Client.login("", { user, password }, options).catch((error) => {
    throw error.status === 401 ? new Error(words().login_refused) : error;
  });
  keep({ user });
  await begin(made, number);
}

export function logOut() {
  const left = client;
  client = undefined;
  left?.logout().catch(() => undefined);
  askAgain(() => "");
}

/** The link that the demo server prints has its user and password, which never leave this tab. */
function demo(text) {
  const [, user, password] = /^([^:]+):(.*)$/.exec(decodeURIComponent(text)) ?? [];
  if (user === undefined) return false;
  keep({ user, password });
  Object.assign(form.elements.user, { value: user });
  Object.assign(form.elements.password, { value: password });
  return true;
}

/** Continues the kept login or takes the one of a demo link; else the form waits. */
export async function startSession(begun, ended, demoLink) {
  started = begun;
  stopped = ended;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(logIn);
  });
  onLanguage(() => (find("#login-problem").textContent = reason()));
  const { session, number, user, password } = kept();
  if (demoLink && demo(demoLink)) await attempt(logIn);
  else if (session && number) await attempt(() => begin(Client.resume("", session, options), number));
  else if (user) Object.assign(form.elements.user, { value: user });
  if (password && client === undefined) form.elements.password.value = password;
  form.dataset.ready = "";
}

async function attempt(work) {
  const button = form.querySelector("button");
  button.disabled = true;
  explain(() => "");
  try {
    await work();
  } catch (error) {
    explain(() => sentence(error));
  }
  button.disabled = false;
}
