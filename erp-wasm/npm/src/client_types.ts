// The types of the client in `client/`, which is JavaScript.

import type { Problem } from "./error.js";
import type { Article } from "./wire.js";

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
  /**
   * The language of the messages of errors, as a tag like `de-CH`, or what tells it for each request: German, French or Italian,
   * otherwise English. Without it a browser asks for the languages that its user has set.
   */
  readonly language?: string | (() => string);
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

/** Details of an error response besides its message; they depend on its code. */
export interface ServerErrorInfo {
  /** Everything that is wrong with the body. */
  readonly problems?: readonly Problem[];
  /** `unknown`: it is not known whether the change was made. */
  readonly outcome?: string;
  readonly [name: string]: unknown;
}

/** Settings of one call. */
export interface Call {
  /** Aborts the request, its waits and its further attempts. */
  readonly signal?: AbortSignal;
}

/** Settings of a change. */
export interface Change extends Call {
  /** The idempotency key of the change; a new one by default. Keep it to repeat the same change after a failure. */
  readonly key?: string;
}

/** Settings of a change of a record that was read before. */
export interface Replacement extends Change {
  /** The `etag` that was read: the change is refused (412) when the record has changed since. */
  readonly ifMatch?: string;
}

/** A record with its entity tag for a later change. */
export interface Tagged<T> {
  /** The record. */
  readonly data: T;
  /** The value for `ifMatch` of a change; undefined if a proxy removed it. */
  readonly etag: string | undefined;
}

/** A page of a list. */
export interface Page<T> {
  /** The number of entries in the whole list, if the server returns it. */
  readonly count?: number;
  /** The entries of this page. */
  readonly data: readonly T[];
}

/** Parameters of articles. */
export interface ArticleQuery {
  /** The currency of the prices, ISO 4217; otherwise the leading one. */
  readonly waehrabk?: string;
  /** The customer whose prices and language are used. */
  readonly debinr?: string;
  /** The language of the texts, ISO 639-2/B. */
  readonly adrsprache?: string;
}

interface DocumentListQuery {
  /** The number that the shop gave the order or offer. */
  readonly AuftBestellNr?: string;
  /** Only those of this customer. */
  readonly debinr?: string;
  /** The first day, like `2026-06-01`, in the company's time zone. */
  readonly von?: string;
  /** The last day. */
  readonly bis?: string;
  /** Entries a page; 50 when left out. */
  readonly limit?: number;
  /** How many entries are left out at the start. */
  readonly offset?: number;
}

/** Parameters of the list of orders. */
export interface OrderListQuery extends DocumentListQuery {
  /** The state: N new, O open, A completed, S canceled. */
  readonly status?: "N" | "O" | "A" | "S";
}

/** Parameters of the list of offers. */
export interface OfferListQuery extends DocumentListQuery {
  /** The state: P offer, A became an order. */
  readonly status?: "P" | "A";
}

/** Parameters of the article list. */
export interface ArticleListQuery extends ArticleQuery {
  /** Articles a page; 100 when left out. */
  readonly limit?: number;
  /** How many articles are left out at the start. */
  readonly offset?: number;
  /** Fields to show, separated by commas. */
  readonly fields?: string;
  /** Fields to sort by, for example `+ArtGruppe,-ArtNr`; by default by name, with `suche` by relevance. */
  readonly sorts?: string | undefined;
  /** Words that number, description, group or class contain, with typing errors; at most 20. */
  readonly suche?: string | undefined;
  /** Only articles of this group. */
  readonly artgruppe?: string | undefined;
  /** `J`: each page also has the groups of the articles found. */
  readonly gruppen?: "J" | "N";
}

/** A page of the article list. */
export interface ArticlePage extends Page<Article> {
  /** The groups of the articles found with their number of articles, if requested by `gruppen`. */
  readonly gruppen?: readonly { readonly ArtGruppe: string; readonly Anzahl: number }[];
}

/** Parameters of the changes of articles. */
export interface ArticleChangesQuery extends ArticleQuery {
  /** Articles a page; 100 when left out. */
  readonly limit?: number;
  /** Fields to show, separated by commas. */
  readonly fields?: string;
}

/** A page of the changes of articles: replace or add `data`, remove `entfernt`. */
export interface ArticleChanges extends Page<Article> {
  /** Numbers of articles that are gone, or hidden now, the same on every page; missing when all articles are read. */
  readonly entfernt?: readonly string[];
  /** The mark for the next call, the same on every page. Keep it when the last page is read. */
  readonly stand: string;
}
