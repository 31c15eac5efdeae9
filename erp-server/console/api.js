// The server's interface as the console uses it.

const KEPT = "erp-console-login";
const TRIES = 3;
const JSON_TYPE = "application/json; charset=utf-8";

/** An error response of the server, or `status` 0 if there was no response. */
export class ServerError extends Error {
  constructor(status, description, { code = "", problems = [], limit } = {}) {
    super(description);
    Object.assign(this, { status, code, problems, limit });
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

export class Api {
  #token;
  #me;

  constructor(user, token, onEnd) {
    this.user = user;
    this.#token = token;
    this.onEnd = onEnd;
  }

  get authorization() {
    return `Bearer ${this.#token}`;
  }

  /** Sends a request; reads that exceed the rate limit are repeated at the time the server names. */
  async send(path, { method = "GET", type, accept, match, body, signal } = {}) {
    const wanted = { "Content-Type": type, Accept: accept, "If-Match": match };
    const headers = { Authorization: this.authorization, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)) };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(path, { method, headers, body, signal });
      if (answer.ok) return answer;
      if (answer.status === 429 && method === "GET" && attempt < TRIES) {
        await wait(Number(answer.headers.get("Retry-After")) || 1);
        continue;
      }
      if (answer.status === 401) this.onEnd();
      throw refusal(answer.status, await answer.json().catch(() => ({})));
    }
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

  /** Ends the token; a token that has ended already is no error. */
  async logout() {
    forget();
    await this.send("/www/token/revoke", { method: "POST" }).catch(() => undefined);
  }
}

/** Logs someone of the office in and keeps the token for this tab. */
export async function login(user, password, onEnd) {
  const headers = { Authorization: basic(user, password) };
  const answer = await ask("/www/token", { method: "POST", headers });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw refusal(answer.status, body);
  const api = new Api(user, body.access_token, onEnd);
  try {
    await api.ask();
  } catch (error) {
    await api.logout();
    throw error;
  }
  sessionStorage.setItem(KEPT, JSON.stringify({ user, token: body.access_token }));
  return api;
}

export const forget = () => sessionStorage.removeItem(KEPT);

/** The login this tab has kept, or nothing. */
export function kept(onEnd) {
  const text = sessionStorage.getItem(KEPT);
  if (text === null) return undefined;
  const { user, token } = JSON.parse(text);
  return new Api(user, token, onEnd);
}
