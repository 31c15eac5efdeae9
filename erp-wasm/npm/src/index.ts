/**
 * The rules of the business system in the browser: what is wrong with a body, which town is meant, what
 * a basket costs.
 *
 * @module erp-wasm
 */

import { text, type Json, type Source } from "./border.js";
import type { Problem } from "./error.js";
import { Part, reading, type Reading, type Speaking } from "./part.js";
import type { Basket, Price, PricedArticle, PricedPosition, Settings, Totals } from "./prices.js";
import type { TownAnswer, TownQuestion } from "./towns.js";
import * as glue from "./wasm/shop/erp_wasm.js";
import type {
  AddressBody,
  AddressPatchBody,
  ConversionBody,
  CustomerBody,
  OfferBody,
  OfferChangeBody,
  OrderBody,
} from "./wire.js";

const part = new Part(
  glue,
  new URL("./wasm/shop/erp_wasm_bg.wasm", import.meta.url),
  new URL("./towns_ch_li.txt", import.meta.url),
);

/** Starts the module; everything else needs it first. Calling it again costs nothing. */
export function init(source?: Source | WebAssembly.Module): Promise<void> {
  return part.init(source);
}

/**
 * Loads towns for `checkTown` and returns the number of names: without an argument those of
 * Switzerland and Liechtenstein, which are part of the package. A custom table (comma-separated,
 * columns `country`, `postal_code`, `town`) replaces the towns of its countries.
 */
export function loadTowns(source?: Source): Promise<number> {
  return part.loadTowns(source);
}

/** The version of the package. */
export function version(): string {
  return part.version();
}

/** Everything that is wrong with an address; empty when nothing is. */
export function validateAddress(address: Json<AddressBody>, how?: Reading): Problem[] {
  return part.validateAddress(address, how);
}

/** How postal code and town of an address fit together; needs `loadTowns` first. */
export function checkTown(address: Json<TownQuestion>, how?: Speaking): TownAnswer {
  return part.checkTown(address, how);
}

/** Everything that is wrong with a body of `POST /www/kunden`. */
export function validateCustomer(body: Json<CustomerBody>, how?: Reading): Problem[] {
  return part.ask((module) => module.validateCustomer(text(body), ...reading(how)));
}

/**
 * Everything that is wrong with a body of `POST /www/auftrag`. Only the server knows whether its customer
 * and articles exist; `totalsOf` uses article responses.
 */
export function validateOrder(body: Json<OrderBody>, how?: Reading): Problem[] {
  return part.ask((module) => module.validateOrder(text(body), ...reading(how)));
}

/** Everything that is wrong with a body of `POST /www/offerte`. */
export function validateOffer(body: Json<OfferBody>, how?: Reading): Problem[] {
  return part.ask((module) => module.validateOffer(text(body), ...reading(how)));
}

/** Everything that is wrong with a body of `PUT /www/auftrag`, which converts an offer to an order. */
export function validateConversion(body: Json<ConversionBody>, how?: Reading): Problem[] {
  return part.ask((module) => module.validateConversion(text(body), ...reading(how)));
}

/** Everything that is wrong with a body of `PATCH /www/offerte`. */
export function validateOfferChange(body: Json<OfferChangeBody>, how?: Reading): Problem[] {
  return part.ask((module) => module.validateOfferChange(text(body), ...reading(how)));
}

/** Everything that is wrong with a body of `PATCH /www/adressen/{AdrNr}`. */
export function validateAddressChange(body: Json<AddressPatchBody>, how?: Reading): Problem[] {
  return part.ask((module) => module.validateAddressChange(text(body), ...reading(how)));
}

/**
 * The price of one position: `Menge`, and optionally `VPEinheit`, `GRabSatz`, `Preis`.
 *
 * @param articles An entry of `GET /www/artikel`, or a list of them.
 * @throws {ErpError} `invalid`, for example when there is no price for the quantity.
 */
export function priceOf(
  position: Json<PricedPosition>,
  articles: Json<PricedArticle | readonly PricedArticle[]>,
  settings?: Json<Settings>,
): Price {
  return part.ask((module) => module.priceOf(text(position), text(articles), text(settings)));
}

/**
 * What a basket costs, to the cent as the server computes it.
 *
 * @param basket The body of an order or offer; customer, addresses and dates may be missing.
 * @param articles Entries of `GET /www/artikel`. Several for one article (of several price lists or
 *   currencies) are tried in their order.
 * @throws {ErpError} `invalid`, with every position that has no price.
 */
export function totalsOf(
  basket: Json<Basket>,
  articles: Json<PricedArticle | readonly PricedArticle[]>,
  settings?: Json<Settings>,
): Totals {
  return part.ask((module) => module.totalsOf(text(basket), text(articles), text(settings)));
}

export type { Json, Source } from "./border.js";
export { ErpError, type ErpErrorCode, type ErpErrorInfo, type PdfaReason, type Problem } from "./error.js";
export type { Reading, Speaking } from "./part.js";
export type { Basket, BasketTax, Partly, Price, PriceKind, PricedArticle, PricedPosition, Settings, Totals } from "./prices.js";
export type { Outcome, Place, Stage, TownAnswer, TownQuestion } from "./towns.js";
export type * from "./wire.js";
