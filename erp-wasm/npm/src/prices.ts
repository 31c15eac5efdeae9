import type { Article, OrderBody, OrderHeader, Position, PositionBody, TaxRecapEntry } from "./wire.js";

/** Net (without tax) or gross. */
export type PriceKind = "N" | "B";

/** Values that the business system knows but article responses do not contain. All are optional. */
export interface Settings {
  /** The basket is an offer: prices in positions and delivery costs are ignored. */
  readonly offer?: boolean;
  /** The currency of a basket that names none; else that of the first article. */
  readonly currency?: string;
  /** Used if no price list applies; default: `N`. */
  readonly priceKind?: PriceKind;
  /** Percent. The rate of the customer's own tax code, which replaces all others: `WUSTSatz` of the customer. */
  readonly customerTaxRate?: number;
  /** Percent. The rate of delivery costs that cannot be spread over positions. */
  readonly deliveryTaxRate?: number;
  /** The coin the payable amount is rounded to, for example 0.05. */
  readonly cashRounding?: number;
  /** Tax codes by `ArtNr`: two codes with the same rate are taxed separately. */
  readonly taxCodes?: Readonly<Record<string, string>>;
  /** `PosPreisBasis` of articles by `ArtNr`, for what no entry of `Preis` tells: sent prices without a list price, and `PosPreisEinzel` of packages. */
  readonly priceBases?: Readonly<Record<string, number>>;
  /** The language of problems as a tag like `de-CH`: German, French or Italian, otherwise English. */
  readonly language?: string;
}

/** The part of an order's or offer's body that determines its price. */
export type Basket = Pick<OrderBody, "GrundDaten" | "Positionen"> | OrderBody;

/** A record of which only some fields are known. */
export type Partly<T> = T extends readonly (infer E)[]
  ? readonly Partly<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Partly<T[K]> | undefined }
    : T;

/** An entry of `GET /www/artikel`, or a part of it: a price needs `Preis` or `Verpackungen`, and `WUSTSatz`. */
export type PricedArticle = Partly<Article>;

/** A position; without `ArtNr` it is for the first article. */
export type PricedPosition = PositionBody;

/** A tax rate of a basket, with its code if `Settings.taxCodes` has one. */
export type BasketTax = Omit<TaxRecapEntry, "PosWUSTCode" | "PosWUSTKlasse"> &
  Partial<Pick<TaxRecapEntry, "PosWUSTCode" | "PosWUSTKlasse">>;

/** The totals of a basket, with the members of the order it would become. */
export interface Totals {
  /** The kind of unit prices and line totals. */
  readonly Preisart: PriceKind;
  /** The amount that the customer pays: `AuftBrutto`, rounded to `cashRounding` if it is set. */
  readonly payable: number;
  /** The currency and the sums. */
  readonly GrundDaten: Pick<OrderHeader, "WaehrAbk" | "AuftLiefKost" | "AuftNetto" | "AuftWUST" | "AuftBrutto">;
  /** By their ordering number; rounding to the coin is the last one, with `PosNr` 0. */
  readonly Positionen: readonly Position[];
  /** One entry per tax code, or per rate if `Settings.taxCodes` has none. */
  readonly MWSTRekapitulation: readonly BasketTax[];
}

/** The price of one position, with the members it has in an order. */
export type Price = Omit<Position, "PosNr" | "VisPosNr"> & {
  /** The kind of the unit price and the total. */
  readonly Preisart: PriceKind;
  /** The currency, ISO 4217. */
  readonly WaehrAbk: string;
};
