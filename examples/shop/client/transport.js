// Requests with a token that is renewed in time, repeated where that is safe.

import { ServerError, jsonOf, serverError } from "./server_error.js";

/** @import { Credentials, Options, Sending, Session, TokenSource } from "../client_types.js" */
/** @import { TokenAnswer } from "../wire.js" */

/** How long before its end a token is renewed, in milliseconds; a shorter-lived one after half its time. */
const EARLY = 60_000;

/** A new idempotency key. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Transport {
  #base;
  #options;
  /** @type {TokenSource | undefined} */
  #source;
  /** @type {Session | undefined} */
  #session;
  #renewAt = Infinity;
  /** @type {Promise<void> | undefined} */
  #renewing;

  /**
   * @param {string} base The address of the server, or the start of the paths of a page's own server: `""`.
   * @param {Options} options
   */
  constructor(base, options) {
    this.#base = base.replace(/\/+$/, "");
    this.#options = options;
  }

  get session() {
    return this.#session;
  }

  /**
   * Continues a stored login. It cannot be renewed.
   * @param {Session} session
   */
  resume(session) {
    this.#session = session;
  }

  /** @param {Credentials | TokenSource} source */
  async login(source) {
    this.#source = typeof source === "function" ? source : () => this.#post("/www/token", basic(source));
    await this.#renew();
  }

  async logout() {
    const session = this.#session;
    this.#source = undefined;
    this.#renewAt = Infinity;
    this.#end();
    if (session !== undefined) await this.#revoke(session.token);
  }

  /** @param {string} token */
  async #revoke(token) {
    const response = await this.#repeated(() => this.#post("/www/token/revoke", `Bearer ${token}`), true);
    if (!response.ok && response.status !== 401) throw await serverError(response);
  }

  /**
   * Sends a request; an error response is thrown.
   * @param {string} method
   * @param {string} path
   * @param {Sending} sending
   */
  async send(method, path, sending = {}) {
    const { query = {}, key, signal } = sending;
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const target = text === "" ? path : `${path}?${text}`;
    const request = { method, headers: headersOf(sending), ...bodyOf(sending), ...(signal && { signal }) };
    const repeatable = method === "GET" || key !== undefined;
    if (this.#source !== undefined && Date.now() >= this.#renewAt) {
      await this.#renew(signal).catch((error) => {
        // Until its end the old token is good.
        if (Date.now() >= (this.#session?.ends ?? 0)) throw error;
      });
    }
    let response = await this.#authorized(target, request, repeatable);
    // If the token was refused, nothing was executed.
    if (response.status === 401 && this.#source !== undefined) {
      await this.#renew(signal);
      response = await this.#authorized(target, request, repeatable);
    }
    if (response.ok) return response;
    if (response.status === 401) this.#end();
    throw await serverError(response);
  }

  /**
   * @param {string} target
   * @param {RequestInit} request
   * @param {boolean} repeatable
   */
  #authorized(target, request, repeatable) {
    const token = this.#session?.token ?? "";
    const headers = { ...request.headers, Authorization: `Bearer ${token}` };
    return this.#repeated(() => this.#once(target, { ...request, headers }), repeatable, request.signal);
  }

  /**
   * Gets a new token; requests that need one at the same moment share it, and `signal` ends only the wait of one.
   * @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   */
  #renew(signal) {
    this.#renewing ??= this.#newToken().finally(() => (this.#renewing = undefined));
    return Promise.race([this.#renewing, aborted(signal)]);
  }

  /** @returns {Promise<void>} */
  async #newToken() {
    const source = this.#source;
    if (source === undefined) return;
    const response = await this.#repeated(() => source().then(whole), true);
    if (response.status === 401) {
      this.#source = undefined;
      this.#end();
    }
    if (!response.ok) throw await serverError(response);
    /** @type {TokenAnswer} */
    const { access_token, expires_in, debinr } = await jsonOf(response);
    const token = access_token ?? "";
    // The user logged out in the meantime.
    if (this.#source !== source) return this.#revoke(token);
    const life = (expires_in ?? 0) * 1000;
    const now = Date.now();
    this.#session = { token, ends: now + life, customer: debinr };
    this.#renewAt = now + Math.max(life - EARLY, life / 2);
    this.#options.onSession?.(this.#session);
  }

  #end() {
    if (this.#session === undefined) return;
    this.#session = undefined;
    this.#options.onSession?.(undefined);
  }

  /**
   * Sends until there is a final response, at most `tries` times.
   * @param {TokenSource} send
   * @param {boolean} repeatable
   * @param {AbortSignal | null} [signal]
   */
  async #repeated(send, repeatable, signal) {
    const { tries = 4, longestWait = 30 } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const response = await send().catch((cause) => failure(cause, signal));
      const pause = await pauseAfter(response, attempt, repeatable);
      if (pause === undefined || pause > longestWait || attempt >= tries) {
        if (response instanceof ServerError) throw response;
        return response;
      }
      await wait(pause, signal);
    }
  }

  /**
   * @param {string} target
   * @param {string} Authorization
   */
  #post(target, Authorization) {
    return this.#once(target, { method: "POST", headers: { Authorization } });
  }

  /**
   * @param {string} target
   * @param {RequestInit} request
   */
  async #once(target, request) {
    const limit = AbortSignal.timeout((this.#options.timeout ?? 60) * 1000);
    const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
    const { language } = this.#options;
    const wanted = typeof language === "function" ? language() : language;
    const headers = { ...request.headers, ...(wanted && { "Accept-Language": wanted }) };
    // Without the browser's own credentials, which would open its login window after a wrong password.
    const response = await fetch(this.#base + target, { cache: "no-store", credentials: "omit", ...request, headers, signal });
    // Others, such as an export, may be large.
    return response.headers.get("Content-Type")?.startsWith("application/json") ? whole(response) : response;
  }
}

/**
 * Reads the body too: one that is cut is no response.
 * @param {Response} response
 */
async function whole(response) {
  await response.clone().arrayBuffer();
  return response;
}

/**
 * Returns an error of the network; that of an aborted call is thrown.
 * @param {unknown} cause
 * @param {AbortSignal | null} [signal]
 */
function failure(cause, signal) {
  signal?.throwIfAborted();
  return new ServerError(0, "network", "there is no response", {}, { cause });
}

/**
 * The seconds to wait before a request is repeated; undefined if it must not be.
 * @param {Response | ServerError} response
 * @param {number} attempt
 * @param {boolean} repeatable
 */
async function pauseAfter(response, attempt, repeatable) {
  // Half a second, one, two, with a random part, so that clients do not repeat at the same moment.
  const own = 2 ** (attempt - 2) * (0.75 + Math.random() / 2);
  if (response instanceof ServerError) return repeatable ? own : undefined;
  if (response.status !== 429 && response.status !== 503) return undefined;
  const { code, info } = await serverError(response.clone());
  // A proxy does not know whether the request was executed.
  if (!repeatable && (code === "http" || info.outcome === "unknown")) return undefined;
  const told = Number(response.headers.get("Retry-After"));
  return told > 0 ? told : own;
}

/**
 * @param {number} seconds
 * @param {AbortSignal | null} [signal]
 * @returns {Promise<void>}
 */
function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    onAbort(signal, (reason) => (clearTimeout(timer), reject(reason)));
  });
}

/**
 * Fails when the signal says so; it never ends otherwise.
 * @param {AbortSignal} [signal]
 * @returns {Promise<never>}
 */
function aborted(signal) {
  return new Promise((_, reject) => onAbort(signal, reject));
}

/**
 * @param {AbortSignal | null | undefined} signal
 * @param {(reason: unknown) => void} then
 */
function onAbort(signal, then) {
  if (signal?.aborted) then(signal.reason);
  else signal?.addEventListener("abort", () => then(signal.reason), { once: true });
}

/**
 * Basic credentials in UTF-8.
 * @param {Credentials} credentials
 */
function basic({ user, password }) {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/**
 * @param {Sending} sending
 * @returns {Record<string, string>}
 */
function headersOf({ accept, body, key, ifMatch }) {
  return {
    ...(body !== undefined && !(body instanceof Blob) && { "Content-Type": "application/json; charset=utf-8" }),
    ...(accept !== undefined && { Accept: accept }),
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(ifMatch !== undefined && { "If-Match": ifMatch }),
  };
}

/**
 * @param {Sending} sending
 * @returns {{ body?: BodyInit }}
 */
function bodyOf({ body }) {
  if (body === undefined) return {};
  return { body: body instanceof Blob ? body : JSON.stringify(body) };
}
