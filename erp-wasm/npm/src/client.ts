/**
 * The server's interface for JavaScript: login, retries that are safe, lists page by page, typed errors. It needs no
 * WebAssembly and runs in browsers, workers and node.
 *
 * @module erp-wasm/client
 */

import { jsonOf } from "./server_error.js";
import {
  Transport,
  newKey,
  type Credentials,
  type Options,
  type Query,
  type Sending,
  type Session,
  type TokenSource,
} from "./transport.js";
import type {
  AddressPatchBody,
  AddressRecord,
  AddressSearchResult,
  AddressesOfCustomer,
  Article,
  ConversionBody,
  Customer,
  CustomerBody,
  CustomerNumberAnswer,
  Invoice,
  Link,
  MediaRecord,
  Offer,
  OfferBody,
  OfferChangeBody,
  OfferSummary,
  Order,
  OrderBody,
  OrderNumberAnswer,
  OrderSummary,
  ZugferdBody,
} from "./wire.js";

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
  /** The currency of the prices, ISO 4217. */
  readonly waehrabk?: string;
  /** The customer whose prices, currency and language are used. */
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

interface ListBody<T> extends Page<T> {
  readonly links?: readonly Link[];
  readonly next?: string | null;
}

const number = encodeURIComponent;

/** A login at a server. Methods have the names of the operations in `/docs`. */
export class Client {
  readonly #transport: Transport;

  private constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Logs in. The token is renewed before it expires.
   *
   * @param base The address of the server, for example `https://erp.example.ch`; `""` is the page's own.
   * @param source In a page: asks the shop's back end for a token of one customer. In a back end: the shop's credentials.
   */
  static async login(base: string, source: TokenSource | Credentials, options: Options = {}): Promise<Client> {
    const transport = new Transport(base, options);
    await transport.login(source);
    return new Client(transport);
  }

  /** Continues a stored login; when it expires, requests fail with status 401. */
  static resume(base: string, session: Session, options: Options = {}): Client {
    const transport = new Transport(base, options);
    transport.resume(session);
    return new Client(transport);
  }

  /** The login, so that it can be stored; undefined after its end. */
  get session(): Session | undefined {
    return this.#transport.session;
  }

  /** Ends the login at the server. */
  logout(): Promise<void> {
    return this.#transport.logout();
  }

  /** Sends any request, for endpoints without a method here. */
  send(method: string, path: string, sending?: Sending): Promise<Response> {
    return this.#transport.send(method, path, sending);
  }

  /** The pages of any list, with links to the next page or with a cursor for `after`. */
  async *pages<T>(path: string, query: Query = {}, call: Call = {}): AsyncGenerator<Page<T>, void, void> {
    for (let next: Query | undefined = query; next !== undefined; ) {
      const page: ListBody<T> = await this.#json("GET", path, { query: next, ...call });
      yield page;
      next = following(page, next);
    }
  }

  /** The pages of the article list, each with the number of all articles. */
  articlePages(query: ArticleListQuery = {}, call?: Call): AsyncGenerator<ArticlePage, void, void> {
    return this.pages("/www/artikel", { limit: 100, ...query }, call);
  }

  /** All articles of the list, read page by page as they are needed. */
  async *listArticles(query?: ArticleListQuery, call?: Call): AsyncGenerator<Article, void, void> {
    for await (const page of this.articlePages(query, call)) yield* page.data;
  }

  /**
   * What has changed of the articles since a `stand`, in pages; all articles without one. When the mark is too old the
   * error has the code `stand_expired`: read all articles again.
   */
  articleChanges(
    stand = "",
    query: ArticleChangesQuery = {},
    call?: Call,
  ): AsyncGenerator<ArticleChanges, void, void> {
    const pages = this.pages<Article>("/www/artikel", { limit: 100, ...query, seit: stand }, call);
    return pages as AsyncGenerator<ArticleChanges, void, void>;
  }

  /** The orders that the user may see, newest first, read page by page as they are needed. */
  async *listOwnOrders(query: OrderListQuery = {}, call?: Call): AsyncGenerator<OrderSummary, void, void> {
    for await (const page of this.pages<OrderSummary>("/www/auftrag", { limit: 50, ...query }, call)) yield* page.data;
  }

  /** The offers that the user may see, newest first, read page by page as they are needed. */
  async *listOwnOffers(query: OfferListQuery = {}, call?: Call): AsyncGenerator<OfferSummary, void, void> {
    for await (const page of this.pages<OfferSummary>("/www/offerten", { limit: 50, ...query }, call)) yield* page.data;
  }

  /** One article with prices, stock and declarations. */
  readArticle(article: string, query: ArticleQuery = {}, call?: Call): Promise<Article> {
    return this.#data("GET", `/www/artikel/${number(article)}`, { query: { ...query }, ...call });
  }

  /** The pictures and texts that an article has; `readMedia` reads one. */
  listMedia(article: string, call?: Call): Promise<MediaRecord[]> {
    return this.#data("GET", `/www/artikelmedia/${number(article)}`, call);
  }

  /** A picture or text; `type` is `Bild`, `Text` or its format. */
  async readMedia(key: number, type: string, call?: Call): Promise<Blob> {
    const response = await this.send("GET", `/www/artikelmediadaten/${key}`, { query: { type }, ...call });
    return response.blob();
  }

  /** A customer with the latest orders: at most `order` of them, of the states `status`. */
  readCustomer(
    customer: string,
    query: { readonly order?: number; readonly status?: string } = {},
    call?: Call,
  ): Promise<Tagged<Customer>> {
    return this.#tagged("GET", `/www/kunden/${number(customer)}`, { query: { ...query }, ...call });
  }

  /** Stores a customer; the server assigns the number. */
  createCustomer(body: CustomerBody, change?: Change): Promise<CustomerNumberAnswer> {
    return this.#data("POST", "/www/kunden", keyed(body, change));
  }

  /** Replaces a customer by the fields of the body; fields that only the back office sets are kept. */
  replaceCustomer(customer: string, body: CustomerBody, change?: Replacement): Promise<Tagged<Customer>> {
    return this.#tagged("PUT", `/www/kunden/${number(customer)}`, keyed(body, change));
  }

  /** The addresses of a customer by their use. */
  listAddresses(customer: string, call?: Call): Promise<AddressesOfCustomer> {
    return this.#data("GET", "/www/adressen", { query: { debinr: customer }, ...call });
  }

  /** One address. */
  readAddress(address: number, call?: Call): Promise<Tagged<AddressRecord>> {
    return this.#tagged("GET", `/www/adressen/${address}`, call);
  }

  /** Changes the named fields of an address. */
  async changeAddress(address: number, body: AddressPatchBody, change?: Replacement): Promise<void> {
    await this.send("PATCH", `/www/adressen/${address}`, keyed(body, change));
  }

  /** The one customer with an address that meets all criteria. */
  findCustomer(criteria: Readonly<Record<string, string>>, call?: Call): Promise<AddressSearchResult> {
    return this.#data("GET", "/www/adressensuche", { query: criteria, ...call });
  }

  /** Places an order. */
  createOrder(body: OrderBody, change?: Change): Promise<OrderNumberAnswer> {
    return this.#data("POST", "/www/auftrag", keyed(body, change));
  }

  /** An order with its totals. */
  readOrder(order: string, call?: Call): Promise<Tagged<Order>> {
    return this.#tagged("GET", `/www/auftrag/${number(order)}`, call);
  }

  /** The invoice of an order, or a credit note (`RechNr`, `GutschriftNr`). */
  readInvoice(invoice: string, call?: Call): Promise<Tagged<Invoice>> {
    return this.#tagged("GET", `/www/rechnung/${number(invoice)}`, call);
  }

  /** The same as a file: readable pages with the XML in them, or the XML alone. */
  async invoiceFile(invoice: string, accept: "application/pdf" | "application/xml", call?: Call): Promise<Blob> {
    return (await this.send("GET", `/www/rechnung/${number(invoice)}`, { accept, ...call })).blob();
  }

  /** Creates an offer; without a customer it is a template. */
  createOffer(body: OfferBody, change?: Change): Promise<Tagged<Offer>> {
    return this.#tagged("POST", "/www/offerte", keyed(body, change));
  }

  /** An offer with its totals. */
  readOffer(offer: string, call?: Call): Promise<Tagged<Offer>> {
    return this.#tagged("GET", "/www/offerte", { query: { OffertNr: offer }, ...call });
  }

  /** Changes an offer: its positions, its addresses, or the customer of a template. */
  changeOffer(offer: string, body: OfferChangeBody, change?: Replacement): Promise<Tagged<Offer>> {
    return this.#tagged("PATCH", "/www/offerte", { query: { OffertNr: offer }, ...keyed(body, change) });
  }

  /** Converts an offer to an order, only once. */
  convertOffer(body: ConversionBody, change?: Replacement): Promise<OrderNumberAnswer> {
    return this.#data("PUT", "/www/auftrag", keyed(body, change));
  }

  /** Combines, extracts or checks an e-invoice: a file, or the report as JSON. */
  processInvoice(body: ZugferdBody, change?: Change): Promise<Response> {
    return this.send("POST", "/www/zugferd", keyed(body, change));
  }

  async #json<T>(method: string, path: string, sending?: Sending): Promise<T> {
    return jsonOf(await this.send(method, path, sending));
  }

  async #data<T>(method: string, path: string, sending?: Sending): Promise<T> {
    return (await this.#json<{ data: T }>(method, path, sending)).data;
  }

  async #tagged<T>(method: string, path: string, sending?: Sending): Promise<Tagged<T>> {
    const response = await this.send(method, path, sending);
    const { data } = await jsonOf<{ data: T }>(response);
    return { data, etag: response.headers.get("ETag") ?? undefined };
  }
}

/** A change with its idempotency key. */
function keyed(body: unknown, change: Replacement = {}): Sending {
  return { body, key: newKey(), ...change };
}

/** The query of the next page, without the host of the link: behind a proxy it may differ. */
function following<T>({ links, next }: ListBody<T>, query: Query): Query | undefined {
  if (typeof next === "string") return { ...query, after: next };
  const href = links?.find(({ rel }) => rel === "next")?.href;
  return href ? Object.fromEntries(new URL(href, "http://localhost").searchParams) : undefined;
}

export type { Problem } from "./error.js";
export { ServerError, type ServerErrorInfo } from "./server_error.js";
export {
  newKey,
  type Credentials,
  type Options,
  type Query,
  type Sending,
  type Session,
  type TokenSource,
} from "./transport.js";
export type * from "./wire.js";
