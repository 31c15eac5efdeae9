// The server's interface as the console uses it.

import { askTabs, keep, tellTabs } from "./tabs.js";

const TRIES = 3;
const JSON_TYPE = "application/json; charset=utf-8";

/** An error response of the server, or `status` 0 if there was no response. */
export class ServerError extends Error {
  constructor(status, description, { code = "", problems = [], limit, mismatch = [] } = {}) {
    super(description);
    Object.assign(this, { status, code, problems, limit, mismatch });
  }
}

const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function ask(path, options) {
  try {
    // Without credentials of the browser's own, which would open its window for a wrong password.
    const headers = { ...options.headers, "Accept-Language": document.documentElement.lang };
    return await fetch(path, { cache: "no-store", credentials: "omit", ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, "no response");
  }
}

/** The error of a response that is not a success. */
export function refusal(status, body) {
  return new ServerError(status, body.error_description ?? "", { code: body.error, ...body.info });
}

/** Basic credentials in UTF-8. */
function basic(user, password) {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** A path from its parts, each of which may contain any character. */
export const path = (...parts) => `/${parts.map(encodeURIComponent).join("/")}`;

/** A query string without what is empty. */
export function query(values) {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return kept.length > 0 ? `?${new URLSearchParams(kept)}` : "";
}

/** A value as the content of a request. */
export const jsonBody = (value) => ({ type: JSON_TYPE, body: JSON.stringify(value) });

/** The server as a user of the office sees it. `onEnd` is called when the login has ended, `onLapse` asks for the password again. */
export class Api {
  #token;
  #me;
  #refused = new Set();
  #renewing;

  constructor({ user, token }) {
    this.user = user;
    this.#token = token;
  }

  get authorization() {
    return `Bearer ${this.#token}`;
  }

  /**
   * Sends a request. One that exceeds the rate limit was not carried out and is repeated at the time the server names; one
   * whose token has ended is repeated with the next token.
   */
  async send(path, { method = "GET", type, accept, match, body, signal } = {}) {
    const wanted = { "Content-Type": type, Accept: accept, "If-Match": match };
    const others = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
    for (let attempt = 1; ; attempt += 1) {
      const { authorization } = this;
      const answer = await ask(path, { method, headers: { Authorization: authorization, ...others }, body, signal });
      if (answer.ok) return answer;
      if (answer.status === 429 && attempt < TRIES) await wait(Number(answer.headers.get("Retry-After")) || 1);
      else if (answer.status !== 401 || !(await this.renewed(authorization))) throw refusal(answer.status, await answer.json().catch(() => ({})));
    }
  }

  /** Puts another token in place of the one that was refused; returns whether there is one. */
  async renewed(authorization) {
    if (authorization !== this.authorization) return true;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew() {
    this.#refused.add(this.#token);
    const other = await askTabs((login) => this.fits(login));
    // Before anything is shown, nothing can be lost.
    const token = other?.token ?? (await (this.#me ? this.onLapse() : this.onEnd()));
    if (token === undefined) return false;
    this.#token = token;
    keep({ user: this.user, token });
    return true;
  }

  /** Whether a login is one of the same user that may still count. */
  fits({ user, token }) {
    return user === this.user && !this.#refused.has(token);
  }

  /** Asks once who the user is and what the role may do. */
  async ask(signal) {
    this.#me ??= await this.get("/admin/me", signal);
  }

  get role() {
    return this.#me.role;
  }

  /** The name of the company. */
  get company() {
    return this.#me.company;
  }

  /** Whether the user's role may use an operation, by its `operationId`. */
  may(operation) {
    return this.#me.may.includes(operation);
  }

  /** The whole JSON of a response, or nothing of an empty one. */
  async json(path, options) {
    const answer = await this.send(path, options);
    return answer.status === 204 ? undefined : answer.json();
  }

  async get(path, signal) {
    return (await this.json(path, { signal })).data;
  }

  /** The content of a response, and the tag of its record, which a compressed response calls weak. */
  async tagged(path, options) {
    const answer = await this.send(path, options);
    return { data: (await answer.json()).data, tag: answer.headers.get("ETag").replace(/^W\//, "") };
  }

  async change(method, path, body) {
    return (await this.json(path, { method, ...(body === undefined ? {} : jsonBody(body)) }))?.data;
  }

  /** Ends the login in all tabs. */
  end() {
    tellTabs();
    this.onEnd();
  }

  /** Ends the token; a token that has ended already is no error. */
  async logout() {
    await ask("/www/token/revoke", { method: "POST", headers: { Authorization: this.authorization } }).catch(() => undefined);
  }
}

/** Logs someone of the office in, for all tabs. */
export async function login(user, password) {
  const answer = await ask("/www/token", { method: "POST", headers: { Authorization: basic(user, password) } });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw refusal(answer.status, body);
  const made = { user, token: body.access_token };
  const api = new Api(made);
  try {
    await api.ask();
  } catch (error) {
    await api.logout();
    throw error;
  }
  keep(made);
  tellTabs(made);
  return made;
}
