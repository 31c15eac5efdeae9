import type { Article, OrderBody, OrderHeader, Position, PositionBody, TaxRecapEntry } from "./wire.js";

/** Net (without tax) or gross. */
export type PriceKind = "N" | "B";

/** What the business system knows and article answers do not tell. Everything may be left out. */
export interface Settings {
  /** The basket is an offer: prices named in positions do not count, delivery costs neither. */
  readonly offer?: boolean;
  /** The currency of a basket that names none; else that of the first article. */
  readonly currency?: string;
  /** Where no price list is hit; `N` when left out. */
  readonly priceKind?: PriceKind;
  /** Percent. The rate of the customer's own tax code, which replaces all others. */
  readonly customerTaxRate?: number;
  /** Percent. The rate of delivery costs that no position can carry. */
  readonly deliveryTaxRate?: number;
  /** The coin the payable amount is rounded to, for example 0.05. */
  readonly cashRounding?: number;
  /** Tax codes by `ArtNr`: two codes with one rate are taxed apart. */
  readonly taxCodes?: Readonly<Record<string, string>>;
  /** How many base units the price of the base unit is for, by `ArtNr`; 1 when left out. */
  readonly priceBases?: Readonly<Record<string, number>>;
}

/** The part of an order's or offer's body that counts for its price. */
export type Basket = Pick<OrderBody, "GrundDaten" | "Positionen"> | OrderBody;

/** A record of which only some fields are known. */
export type Partly<T> = T extends readonly (infer E)[]
  ? readonly Partly<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Partly<T[K]> | undefined }
    : T;

/** An entry of `GET /www/artikel`, or what is known of it: a price needs `Preis` or `Verpackungen`, and `WUSTSatz`. */
export type PricedArticle = Partly<Article>;

/** A position; without an `ArtNr` one of the first article. */
export type PricedPosition = PositionBody;

/** A tax rate of a basket, with its code where `Settings.taxCodes` names one. */
export type BasketTax = Omit<TaxRecapEntry, "PosWUSTCode" | "PosWUSTKlasse"> &
  Partial<Pick<TaxRecapEntry, "PosWUSTCode" | "PosWUSTKlasse">>;

/** What a basket comes to, with the members of the order it would become. */
export interface Totals {
  /** Of which kind unit prices and line totals are. */
  readonly Preisart: PriceKind;
  /** What the customer pays: `AuftBrutto`, rounded to the coin where one is set. */
  readonly payable: number;
  /** The currency and the sums. */
  readonly GrundDaten: Pick<OrderHeader, "WaehrAbk" | "AuftLiefKost" | "AuftNetto" | "AuftWUST" | "AuftBrutto">;
  /** By their ordering number; rounding to the coin is the last one, with `PosNr` 0. */
  readonly Positionen: readonly Position[];
  /** One entry per tax code, or per rate where `Settings.taxCodes` names none. */
  readonly MWSTRekapitulation: readonly BasketTax[];
}

/** The price of one position, with the members it has in an order. */
export type Price = Omit<Position, "PosNr" | "VisPosNr"> & {
  /** Of which kind the unit price and the total are. */
  readonly Preisart: PriceKind;
  /** The currency, ISO 4217. */
  readonly WaehrAbk: string;
};
