// The client is JavaScript, so that a page can use it without a build.

import { jsonOf } from "./server_error.js";
import { Transport, newKey } from "./transport.js";

/**
 * @import {
 *   ArticleChanges, ArticleChangesQuery, ArticleListQuery, ArticlePage, ArticleQuery, Call, Change, Credentials,
 *   OfferListQuery, Options, OrderListQuery, Page, Query, Replacement, Sending, Session, Tagged, TokenSource,
 * } from "../client_types.js"
 */
/**
 * @import {
 *   AddressPatchBody, AddressRecord, AddressSearchResult, AddressesOfCustomer, Article, ConversionBody, Customer,
 *   CustomerBody, CustomerNumberAnswer, Invoice, Link, MediaRecord, Offer, OfferBody, OfferChangeBody, OfferSummary,
 *   Order, OrderBody, OrderNumberAnswer, OrderSummary, ZugferdBody,
 * } from "../wire.js"
 */

/**
 * @template T
 * @typedef {Page<T> & { readonly links?: readonly Link[], readonly next?: string | null }} ListBody
 */

const number = encodeURIComponent;

/** A login at a server. Methods have the names of the operations in `/docs`. */
export class Client {
  #transport;

  /**
   * @private
   * @param {Transport} transport
   */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Logs in. The token is renewed before it expires.
   *
   * @param {string} base The address of the server, for example `https://erp.example.ch`; `""` is the page's own.
   * @param {TokenSource | Credentials} source In a page: asks the shop's back end for a token of one customer. In a back
   *   end: the shop's credentials.
   * @param {Options} options
   */
  static async login(base, source, options = {}) {
    const transport = new Transport(base, options);
    await transport.login(source);
    return new Client(transport);
  }

  /**
   * Continues a stored login; when it expires, requests fail with status 401.
   * @param {string} base
   * @param {Session} session
   * @param {Options} options
   */
  static resume(base, session, options = {}) {
    const transport = new Transport(base, options);
    transport.resume(session);
    return new Client(transport);
  }

  /** The login, so that it can be stored; undefined after its end. */
  get session() {
    return this.#transport.session;
  }

  /** Ends the login at the server. */
  logout() {
    return this.#transport.logout();
  }

  /**
   * Sends any request, for endpoints without a method here.
   * @param {string} method
   * @param {string} path
   * @param {Sending} [sending]
   */
  send(method, path, sending) {
    return this.#transport.send(method, path, sending);
  }

  /**
   * The pages of any list, with links to the next page or with a cursor for `after`.
   * @template T
   * @param {string} path
   * @param {Query} query
   * @param {Call} call
   * @returns {AsyncGenerator<Page<T>, void, void>}
   */
  async *pages(path, query = {}, call = {}) {
    /** @type {Query | undefined} */
    let next = query;
    while (next !== undefined) {
      /** @type {ListBody<T>} */
      const page = await this.#json("GET", path, { query: next, ...call });
      yield page;
      next = following(page, next);
    }
  }

  /**
   * The pages of the article list, each with the number of all articles.
   * @param {ArticleListQuery} query
   * @param {Call} [call]
   * @returns {AsyncGenerator<ArticlePage, void, void>}
   */
  articlePages(query = {}, call) {
    return this.pages("/www/artikel", { limit: 100, ...query }, call);
  }

  /**
   * All articles of the list, read page by page as they are needed.
   * @param {ArticleListQuery} [query]
   * @param {Call} [call]
   * @returns {AsyncGenerator<Article, void, void>}
   */
  async *listArticles(query, call) {
    for await (const page of this.articlePages(query, call)) yield* page.data;
  }

  /**
   * What has changed of the articles since a `stand`, in pages; all articles without one. When the mark is too old the
   * error has the code `stand_expired`: read all articles again.
   * @param {string} stand
   * @param {ArticleChangesQuery} query
   * @param {Call} [call]
   * @returns {AsyncGenerator<ArticleChanges, void, void>}
   */
  articleChanges(stand = "", query = {}, call) {
    const pages = this.pages("/www/artikel", { limit: 100, ...query, seit: stand }, call);
    return /** @type {AsyncGenerator<ArticleChanges, void, void>} */ (pages);
  }

  /**
   * The orders that the user may see, newest first, read page by page as they are needed.
   * @param {OrderListQuery} query
   * @param {Call} [call]
   * @returns {AsyncGenerator<OrderSummary, void, void>}
   */
  async *listOwnOrders(query = {}, call) {
    /** @type {AsyncGenerator<Page<OrderSummary>, void, void>} */
    const pages = this.pages("/www/auftrag", { limit: 50, ...query }, call);
    for await (const page of pages) yield* page.data;
  }

  /**
   * The offers that the user may see, newest first, read page by page as they are needed.
   * @param {OfferListQuery} query
   * @param {Call} [call]
   * @returns {AsyncGenerator<OfferSummary, void, void>}
   */
  async *listOwnOffers(query = {}, call) {
    /** @type {AsyncGenerator<Page<OfferSummary>, void, void>} */
    const pages = this.pages("/www/offerten", { limit: 50, ...query }, call);
    for await (const page of pages) yield* page.data;
  }

  /**
   * One article with prices, stock and declarations.
   * @param {string} article
   * @param {ArticleQuery} query
   * @param {Call} [call]
   * @returns {Promise<Article>}
   */
  readArticle(article, query = {}, call) {
    return this.#data("GET", `/www/artikel/${number(article)}`, { query: { ...query }, ...call });
  }

  /**
   * The pictures and texts that an article has; `readMedia` reads one.
   * @param {string} article
   * @param {Call} [call]
   * @returns {Promise<MediaRecord[]>}
   */
  listMedia(article, call) {
    return this.#data("GET", `/www/artikelmedia/${number(article)}`, call);
  }

  /**
   * A picture or text; `type` is `Bild`, `Text` or its format.
   * @param {number} key
   * @param {string} type
   * @param {Call} [call]
   */
  async readMedia(key, type, call) {
    const response = await this.send("GET", `/www/artikelmediadaten/${key}`, { query: { type }, ...call });
    return response.blob();
  }

  /**
   * A customer with the latest orders: at most `order` of them, of the states `status`.
   * @param {string} customer
   * @param {{ readonly order?: number; readonly status?: string }} query
   * @param {Call} [call]
   * @returns {Promise<Tagged<Customer>>}
   */
  readCustomer(customer, query = {}, call) {
    return this.#tagged("GET", `/www/kunden/${number(customer)}`, { query: { ...query }, ...call });
  }

  /**
   * Stores a customer; the server assigns the number.
   * @param {CustomerBody} body
   * @param {Change} [change]
   * @returns {Promise<CustomerNumberAnswer>}
   */
  createCustomer(body, change) {
    return this.#data("POST", "/www/kunden", keyed(body, change));
  }

  /**
   * Replaces a customer by the fields of the body; fields that only the back office sets are kept.
   * @param {string} customer
   * @param {CustomerBody} body
   * @param {Replacement} [change]
   * @returns {Promise<Tagged<Customer>>}
   */
  replaceCustomer(customer, body, change) {
    return this.#tagged("PUT", `/www/kunden/${number(customer)}`, keyed(body, change));
  }

  /**
   * The addresses of a customer by their use.
   * @param {string} customer
   * @param {Call} [call]
   * @returns {Promise<AddressesOfCustomer>}
   */
  listAddresses(customer, call) {
    return this.#data("GET", "/www/adressen", { query: { debinr: customer }, ...call });
  }

  /**
   * One address.
   * @param {number} address
   * @param {Call} [call]
   * @returns {Promise<Tagged<AddressRecord>>}
   */
  readAddress(address, call) {
    return this.#tagged("GET", `/www/adressen/${address}`, call);
  }

  /**
   * Changes the named fields of an address.
   * @param {number} address
   * @param {AddressPatchBody} body
   * @param {Replacement} [change]
   */
  async changeAddress(address, body, change) {
    await this.send("PATCH", `/www/adressen/${address}`, keyed(body, change));
  }

  /**
   * The one customer with an address that meets all criteria.
   * @param {Readonly<Record<string, string>>} criteria
   * @param {Call} [call]
   * @returns {Promise<AddressSearchResult>}
   */
  findCustomer(criteria, call) {
    return this.#data("GET", "/www/adressensuche", { query: criteria, ...call });
  }

  /**
   * Places an order.
   * @param {OrderBody} body
   * @param {Change} [change]
   * @returns {Promise<OrderNumberAnswer>}
   */
  createOrder(body, change) {
    return this.#data("POST", "/www/auftrag", keyed(body, change));
  }

  /**
   * An order with its totals.
   * @param {string} order
   * @param {Call} [call]
   * @returns {Promise<Tagged<Order>>}
   */
  readOrder(order, call) {
    return this.#tagged("GET", `/www/auftrag/${number(order)}`, call);
  }

  /**
   * Cancels a new order of the user's own, where the server lets shops cancel.
   * @param {string} order
   * @param {Replacement} [change]
   */
  async cancelOrder(order, change) {
    await this.send("DELETE", `/www/auftrag/${number(order)}`, change);
  }

  /**
   * The invoice of an order, or a credit note (`RechNr`, `GutschriftNr`).
   * @param {string} invoice
   * @param {Call} [call]
   * @returns {Promise<Tagged<Invoice>>}
   */
  readInvoice(invoice, call) {
    return this.#tagged("GET", `/www/rechnung/${number(invoice)}`, call);
  }

  /**
   * The same as a file: readable pages with the XML in them, or the XML alone.
   * @param {string} invoice
   * @param {"application/pdf" | "application/xml"} accept
   * @param {Call} [call]
   */
  async invoiceFile(invoice, accept, call) {
    return (await this.send("GET", `/www/rechnung/${number(invoice)}`, { accept, ...call })).blob();
  }

  /**
   * Creates an offer; without a customer it is a template.
   * @param {OfferBody} body
   * @param {Change} [change]
   * @returns {Promise<Tagged<Offer>>}
   */
  createOffer(body, change) {
    return this.#tagged("POST", "/www/offerte", keyed(body, change));
  }

  /**
   * An offer with its totals.
   * @param {string} offer
   * @param {Call} [call]
   * @returns {Promise<Tagged<Offer>>}
   */
  readOffer(offer, call) {
    return this.#tagged("GET", "/www/offerte", { query: { OffertNr: offer }, ...call });
  }

  /**
   * Changes an offer: its positions, its addresses, or the customer of a template.
   * @param {string} offer
   * @param {OfferChangeBody} body
   * @param {Replacement} [change]
   * @returns {Promise<Tagged<Offer>>}
   */
  changeOffer(offer, body, change) {
    return this.#tagged("PATCH", "/www/offerte", { query: { OffertNr: offer }, ...keyed(body, change) });
  }

  /**
   * Converts an offer to an order, only once.
   * @param {ConversionBody} body
   * @param {Replacement} [change]
   * @returns {Promise<OrderNumberAnswer>}
   */
  convertOffer(body, change) {
    return this.#data("PUT", "/www/auftrag", keyed(body, change));
  }

  /**
   * Combines, extracts or checks an e-invoice: a file, or the report as JSON.
   * @param {ZugferdBody} body
   * @param {Change} [change]
   */
  processInvoice(body, change) {
    return this.send("POST", "/www/zugferd", keyed(body, change));
  }

  /**
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {Sending} [sending]
   * @returns {Promise<T>}
   */
  async #json(method, path, sending) {
    return jsonOf(await this.send(method, path, sending));
  }

  /**
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {Sending} [sending]
   * @returns {Promise<T>}
   */
  async #data(method, path, sending) {
    /** @type {{ data: T }} */
    const { data } = await this.#json(method, path, sending);
    return data;
  }

  /**
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {Sending} [sending]
   * @returns {Promise<Tagged<T>>}
   */
  async #tagged(method, path, sending) {
    const response = await this.send(method, path, sending);
    /** @type {{ data: T }} */
    const { data } = await jsonOf(response);
    return { data, etag: response.headers.get("ETag") ?? undefined };
  }
}

/**
 * A change with its idempotency key.
 * @param {unknown} body
 * @param {Replacement} change
 * @returns {Sending}
 */
function keyed(body, change = {}) {
  return { body, key: newKey(), ...change };
}

/**
 * The query of the next page, without the host of the link: behind a proxy it may differ.
 * @param {ListBody<unknown>} page
 * @param {Query} query
 * @returns {Query | undefined}
 */
function following({ links, next }, query) {
  if (typeof next === "string") return { ...query, after: next };
  const href = links?.find(({ rel }) => rel === "next")?.href;
  return href ? Object.fromEntries(new URL(href, "http://localhost").searchParams) : undefined;
}

export { ServerError } from "./server_error.js";
export { newKey } from "./transport.js";
