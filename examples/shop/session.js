// The login: all tabs of this browser share it until it ends, and its end shows the form again.

import { DEMO } from "/shop/demo.js";
import { Client } from "./client/client.js";
import { find } from "./dom.js";
import { onLanguage, refusal, words } from "./language.js";

const KEPT = "erp-shop";
const form = find("#login");
const { password, customer } = form.elements;
const other = find("#other-login");
/** Why the form is shown; written in the language of the page. */
let reason = () => "";
/** The login that is shown: its client, and the customer. */
let current;
let started = () => undefined;
let stopped = () => undefined;

/** The token of the customer with its end, and the customer number; never the password. */
const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? "{}");
const keep = (more) => localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...more }));

/** What an error means for a person. */
export function sentence(error) {
  if (error.status === 0) return words().no_server;
  if (error.status === 401) return words().token_ended;
  if (error.status === 429 || error.status === 503) return words().busy;
  return refusal(error);
}

/** What is read, or nothing when there is no such thing any more. */
export async function orMissing(reading) {
  try {
    return await reading;
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

const options = {
  tries: 3,
  longestWait: 5,
  language: () => document.documentElement.lang,
  onSession: (session) => {
    keep({ session });
    if (session === undefined && current !== undefined) askAgain(() => words().token_ended);
  },
};

/** Shows the form, with a reason. */
function askAgain(why) {
  current = undefined;
  stopped();
  other.hidden = true;
  form.reset();
  form.hidden = false;
  explain(why);
  const known = kept();
  if (known.number) customer.value = known.number;
  password.focus();
}

function explain(why) {
  reason = why;
  find("#login-problem").textContent = reason();
}

async function begin(client, number) {
  const { data } = await client.readCustomer(number);
  keep({ number, session: client.session });
  form.hidden = true;
  explain(() => "");
  current = { client, number, customer: data };
  await started(current);
}

/** Asks the back end of the shop for a token of the customer. Only the back end has the password of the shop's user. */
function token(number, secret) {
  const body = JSON.stringify({ customer: number, password: secret });
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  return fetch("/shop/token", { method: "POST", headers, body, cache: "no-store", credentials: "omit" });
}

/** Why there is no token. */
function refused(error) {
  if ([400, 401].includes(error.status)) return new Error(words().login_refused);
  if ([404, 405].includes(error.status)) return new Error(words().no_back_end);
  return error;
}

async function logIn() {
  const [number, secret] = [customer.value.trim(), password.value];
  if (number === "") throw new Error(words().customer_needed);
  const client = await Client.login("", () => token(number, secret), options).catch((error) => {
    throw refused(error);
  });
  await begin(client, number);
}

/** Continues the login that is kept, if any. */
async function resume() {
  const { session, number } = kept();
  if (number && session?.ends > Date.now()) {
    await attempt(() => begin(Client.resume("", session, options), number));
  }
}

export function logOut() {
  const left = current.client;
  current = undefined;
  left.logout().catch(() => undefined);
  localStorage.removeItem(KEPT);
  askAgain(() => "");
}

/** Follows the other tabs: their login, a new token, their end. */
function follow({ key }) {
  if (key !== KEPT && key !== null) return;
  const { session, number } = kept();
  if (session === undefined) {
    if (current !== undefined) askAgain(() => (number ? words().token_ended : ""));
  } else if (current?.number === number) {
    current.client = Client.resume("", session, options);
  } else {
    resume();
  }
}

/** The link that the demo server prints has the password of its customers. It replaces no login without a click. */
export async function useLink(text) {
  if (!DEMO) return;
  const take = () => {
    customer.value = customer.defaultValue;
    password.value = text;
    return attempt(logIn);
  };
  if (current === undefined) {
    await take();
    return;
  }
  find("#other-login button").onclick = () => {
    logOut();
    take();
  };
  other.hidden = false;
}

/** Continues the stored login, or uses the one of a link; otherwise the form is shown. */
export async function startSession(begun, ended, link) {
  started = begun;
  stopped = ended;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(logIn);
  });
  for (const hint of form.querySelectorAll(".demo")) hint.hidden = !DEMO;
  onLanguage(() => {
    find("#login-problem").textContent = reason();
    if (DEMO) Object.assign(customer, { defaultValue: words().demo_customer });
  });
  await resume();
  if (link !== undefined) await useLink(link);
  window.addEventListener("storage", follow);
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
