// Requests with a token that is renewed in time, repeated where that is safe.

import { ServerError, jsonOf, serverError } from "./server_error.js";
import type { TokenAnswer } from "./wire.js";

/** A user of the server with the password. */
export interface Credentials {
  /** The name of the user. */
  readonly user: string;
  /** The password of the user. */
  readonly password: string;
}

/**
 * Asks the back end of the shop for a token of the customer who is logged in; called again before that expires. The response
 * has the body of the server's `POST /www/token?debinr=`; a 401 ends the login.
 */
export type TokenSource = () => Promise<Response>;

/** A login; it may be stored, for example for a reload of the page. */
export interface Session {
  /** The bearer token. */
  readonly token: string;
  /** The customer that the token is for; undefined for one of a whole shop. */
  readonly customer?: string | undefined;
  /** When the token ends, in milliseconds since 1970. */
  readonly ends: number;
}

/** How requests are sent. */
export interface Options {
  /** The maximum number of attempts per request; default: 4. */
  readonly tries?: number;
  /** The longest wait before the next attempt in seconds, default 30; a longer `Retry-After` is an error at once. */
  readonly longestWait?: number;
  /** The time limit of one attempt in seconds; default: 60. */
  readonly timeout?: number;
  /** Called with every new login, and with `undefined` when it has ended. */
  readonly onSession?: (session: Session | undefined) => void;
}

/** Query parameters; those that are `undefined` are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The optional parts of a request. */
export interface Sending {
  /** Query parameters. */
  readonly query?: Query;
  /** Sent as JSON, or as it is when it is a `Blob`. */
  readonly body?: unknown;
  /** The idempotency key of a change, so that it is executed once even if it is repeated. */
  readonly key?: string;
  /** The media type of the response; JSON without it. */
  readonly accept?: string;
  /** The `ETag` that the record must still have. */
  readonly ifMatch?: string;
  /** Ends the request, its waits and its further tries. */
  readonly signal?: AbortSignal;
}

/** How long before its end a token is renewed, in milliseconds; a shorter-lived one after half its time. */
const EARLY = 60_000;

/** A new idempotency key. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Transport {
  readonly #base: string;
  readonly #options: Options;
  #source: TokenSource | undefined;
  #session: Session | undefined;
  #renewAt = Infinity;
  #renewing: Promise<void> | undefined;

  /** `base` is the address of the server, or the start of the paths of a page's own server: `""`. */
  constructor(base: string, options: Options) {
    this.#base = base.replace(/\/+$/, "");
    this.#options = options;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  /** Continues a stored login. It cannot be renewed. */
  resume(session: Session): void {
    this.#session = session;
  }

  async login(source: Credentials | TokenSource): Promise<void> {
    this.#source = typeof source === "function" ? source : () => this.#post("/www/token", basic(source));
    await this.#renew();
  }

  async logout(): Promise<void> {
    const session = this.#session;
    this.#source = undefined;
    this.#renewAt = Infinity;
    this.#end();
    if (session !== undefined) await this.#revoke(session.token);
  }

  async #revoke(token: string): Promise<void> {
    const response = await this.#repeated(() => this.#post("/www/token/revoke", `Bearer ${token}`), true);
    if (!response.ok && response.status !== 401) throw await serverError(response);
  }

  /** Sends a request; an error response is thrown. */
  async send(method: string, path: string, sending: Sending = {}): Promise<Response> {
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

  #authorized(target: string, request: RequestInit, repeatable: boolean): Promise<Response> {
    const token = this.#session?.token ?? "";
    const headers = { ...request.headers, Authorization: `Bearer ${token}` };
    return this.#repeated(() => this.#once(target, { ...request, headers }), repeatable, request.signal);
  }

  /** Gets a new token; requests that need one at the same moment share it, and `signal` ends only the wait of one. */
  #renew(signal?: AbortSignal): Promise<void> {
    this.#renewing ??= this.#newToken().finally(() => (this.#renewing = undefined));
    return Promise.race([this.#renewing, new Promise<never>((_, reject) => onAbort(signal, reject))]);
  }

  async #newToken(): Promise<void> {
    const source = this.#source;
    if (source === undefined) return;
    const response = await this.#repeated(() => source().then(whole), true);
    if (response.status === 401) {
      this.#source = undefined;
      this.#end();
    }
    if (!response.ok) throw await serverError(response);
    const { access_token, expires_in, debinr } = await jsonOf<TokenAnswer>(response);
    const token = access_token ?? "";
    // The user logged out in the meantime.
    if (this.#source !== source) return this.#revoke(token);
    const life = (expires_in ?? 0) * 1000;
    const now = Date.now();
    this.#session = { token, ends: now + life, customer: debinr };
    this.#renewAt = now + Math.max(life - EARLY, life / 2);
    this.#options.onSession?.(this.#session);
  }

  #end(): void {
    if (this.#session === undefined) return;
    this.#session = undefined;
    this.#options.onSession?.(undefined);
  }

  /** Sends until there is a final response, at most `tries` times. */
  async #repeated(send: TokenSource, repeatable: boolean, signal?: AbortSignal | null): Promise<Response> {
    const { tries = 4, longestWait = 30 } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const response = await send().catch((cause) => failure(cause, signal));
      const pause = await pauseAfter(response, attempt, repeatable);
      const last = pause === undefined || pause > longestWait || attempt >= tries;
      if (last && response instanceof ServerError) throw response;
      if (last) return response as Response;
      await wait(pause, signal);
    }
  }

  #post(target: string, Authorization: string): Promise<Response> {
    return this.#once(target, { method: "POST", headers: { Authorization } });
  }

  async #once(target: string, request: RequestInit): Promise<Response> {
    const limit = AbortSignal.timeout((this.#options.timeout ?? 60) * 1000);
    const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
    // Without the browser's own credentials, which would open its login window after a wrong password.
    const response = await fetch(this.#base + target, { cache: "no-store", credentials: "omit", ...request, signal });
    // Others, such as an export, may be large.
    return response.headers.get("Content-Type")?.startsWith("application/json") ? whole(response) : response;
  }
}

/** Reads the body too: one that is cut is no response. */
async function whole(response: Response): Promise<Response> {
  await response.clone().arrayBuffer();
  return response;
}

/** Returns an error of the network; that of an aborted call is thrown. */
function failure(cause: unknown, signal?: AbortSignal | null): ServerError {
  signal?.throwIfAborted();
  return new ServerError(0, "network", "there is no response", {}, { cause });
}

/** The seconds to wait before a request is repeated; undefined if it must not be. */
async function pauseAfter(
  response: Response | ServerError,
  attempt: number,
  repeatable: boolean,
): Promise<number | undefined> {
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

function wait(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    onAbort(signal, (reason) => (clearTimeout(timer), reject(reason)));
  });
}

function onAbort(signal: AbortSignal | null | undefined, then: (reason: unknown) => void): void {
  if (signal?.aborted) then(signal.reason);
  else signal?.addEventListener("abort", () => then(signal.reason), { once: true });
}

/** Basic credentials in UTF-8. */
function basic({ user, password }: Credentials): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

function headersOf({ accept, body, key, ifMatch }: Sending): Record<string, string> {
  return {
    ...(body !== undefined && !(body instanceof Blob) && { "Content-Type": "application/json; charset=utf-8" }),
    ...(accept !== undefined && { Accept: accept }),
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(ifMatch !== undefined && { "If-Match": ifMatch }),
  };
}

function bodyOf({ body }: Sending): { body?: BodyInit } {
  if (body === undefined) return {};
  return { body: body instanceof Blob ? body : JSON.stringify(body) };
}
