// Made from the tables of the interface by `cargo run -p erp-tests --example wire_types`.

/** The stable codes of problems. They only ever grow. */
export type ProblemCode =
  | "required"
  | "wrong_type"
  | "too_long"
  | "too_many"
  | "out_of_range"
  | "too_precise"
  | "malformed"
  | "control_character"
  | "unknown_member"
  | "unknown_value"
  | "unknown_country"
  | "unknown_currency"
  | "unknown_language"
  | "contradiction"
  | "unknown_customer"
  | "unknown_offer"
  | "unknown_article"
  | "unknown_packaging_unit"
  | "positions_missing"
  | "unknown_position"
  | "unknown_tax_code"
  | "not_sold"
  | "out_of_stock"
  | "no_price"
  | "not_a_whole_package"
  | "unknown_file"
  | "address_check"
  | "shop_only"
  | "invoice_rule";

/** `data` of an order. */
export interface Order {
  /** Header of the order. */
  GrundDaten: OrderHeader;
  /** The three addresses, copied when the order was made. */
  Adressen: OrderAddresses;
  /** The positions, by their ordering number. */
  Positionen: Position[];
  /** Tax recap, one entry per tax code. */
  MWSTRekapitulation: TaxRecapEntry[];
  /** Additional payment information. */
  Zahlung: Payment[];
}

/** `GrundDaten` of an order. Dates are sent under both spellings with the same value. */
export interface OrderHeader {
  /** Order number. At most 10 characters. */
  AuftNr: string;
  /** Customer number. At most 8 characters. */
  KundNr: string;
  /** Description. At most 80 characters. */
  AuftBez?: string;
  /** Order number in the foreign system. At most 36 characters. */
  AuftBestellNr?: string;
  /** Order reference. At most 60 characters. */
  AuftBestellRef?: string;
  /** Order date, RFC 3339 in UTC. */
  AuftBestellT: string;
  /** Order date, RFC 3339 in UTC; the same value as `AuftBestellT`. */
  AuftBestellTUTC: string;
  /** Delivery date, RFC 3339 in UTC. */
  AuftLieferT?: string;
  /** Delivery date, RFC 3339 in UTC; the same value as `AuftLieferT`. */
  AuftLieferTUTC?: string;
  /** Currency, ISO 4217. At most 4 characters. */
  WaehrAbk: string;
  /** Comment. At most 255 characters. */
  AuftKomment?: string;
  /** Customer payment condition. */
  KundBedTyp?: number;
  /** Delivery costs. */
  AuftLiefKost: number;
  /** Order location. */
  StaoNr: number;
  /** Status: N new, O open, A completed, S canceled. At most 1 characters. */
  AuftStatus: string;
  /** Net amount. */
  AuftNetto: number;
  /** Tax amount. */
  AuftWUST: number;
  /** Gross amount: net amount plus tax amount. */
  AuftBrutto: number;
  /** Number of its invoice. At most 10 characters. */
  RechNr?: string;
  /** Number of the credit note that cancels its invoice. At most 10 characters. */
  GutschriftNr?: string;
}

/** `Adressen` of an order or offer: always all three, also when they are identical. */
export interface OrderAddresses {
  /** Contact address. */
  KontaktAdr?: OrderAddress;
  /** Delivery address. */
  LiefAdr?: OrderAddress;
  /** Billing address. */
  RechAdr?: OrderAddress;
}

/** An address in orders and offers (table "response, in orders and offers"). Its address lines are longer than declared when they were sent so (up to 60 characters). */
export interface OrderAddress {
  /** Address number. */
  AdrNr?: number;
  /** Company name; a body has this or `AdrName`. At most 36 characters. */
  AdrFirma?: string;
  /** Company name addition. At most 36 characters. */
  AdrFirma2?: string;
  /** First name. At most 36 characters. */
  AdrVorname?: string;
  /** Last name; a body has this or `AdrFirma`. At most 36 characters. */
  AdrName?: string;
  /** Street and number. At most 36 characters. */
  AdrAdresse1: string;
  /** Addition to the street. At most 36 characters. */
  AdrAdresse2?: string;
  /** Mobile number. At most 28 characters. */
  AdrTelex?: string;
  /** Direct phone. At most 28 characters. */
  AdrTf1?: string;
  /** Central phone. At most 28 characters. */
  AdrTf2?: string;
  /** Fax. At most 28 characters. */
  AdrFax?: string;
  /** Town. At most 48 characters. */
  OrtName: string;
  /** Postal code. At most 10 characters. */
  OrtPLZ: string;
  /** Country, ISO 3166-1 alpha-2. At most 4 characters. */
  OrtLand: string;
  /** Country, ISO 3166-1 alpha-2; the same value as `OrtLand`. At most 4 characters. */
  ISOLandA2: string;
  /** E-mail address. At most 255 characters. */
  EmailAdress?: string;
}

/** An entry of `Positionen` in orders and offers. */
export interface Position {
  /** Position number, stable within the document. */
  PosNr: number;
  /** Ordering number. */
  VisPosNr: number;
  /** Article number; absent in a cash rounding position. At most 15 characters. */
  ArtNr?: string;
  /** Position description. At most 2048 characters. */
  PosBez?: string;
  /** Ordered quantity in the base unit. */
  PosAnzBest: number;
  /** How many base units `PosPreisEinzel` is for. */
  PosPreisBasis: number;
  /** Unit price. */
  PosPreisEinzel: number;
  /** Total price after discount. */
  PosPreisTotal: number;
  /** Tax value of the position. */
  PosPreisWUSTBetrag: number;
  /** Quantity in the packaging unit. */
  VPEAnzBest?: number;
  /** Price of one packaging unit. */
  VPEPreisEinzel?: number;
  /** Packaging unit. At most 30 characters. */
  VPEinheit?: string;
  /** Tax rate in percent. */
  WUSTSatz: number;
  /** Discount rate in percent; absent in a cash rounding position. */
  GRabSatz?: number;
  /** Discount designation; declared float in the table, a number therefore. */
  GRabBez?: number;
}

/** An entry of `MWSTRekapitulation`: what the positions of one tax code sum up to. */
export interface TaxRecapEntry {
  /** Fixed section name for the tax recap. */
  Abschnitt: string;
  /** Currency, ISO 4217. At most 4 characters. */
  WaehrAbk: string;
  /** Tax value of the positions, summed per rate. */
  PosWUST: number;
  /** Tax form figure for the input tax amount. */
  PosVSTSZiffer?: string;
  /** Tax rate in percent. */
  PosWUSTSatz: number;
  /** Designation of the tax rate. */
  PosWUSTBez?: string;
  /** Net amount of the positions, summed per rate. */
  PosBetragNetto: number;
  /** Tax form figure for the sales tax amount. */
  PosUSTSZiffer?: string;
  /** Internal tax code of the business system. */
  PosWUSTCode: string;
  /** Layout of the tax return: D German, C Swiss, X other. */
  PosWUSTKlasse: string;
  /** Tax form figure for the turnover amount. */
  PosUSTUZiffer?: string;
}

/** A payment entry (`Zahlung`): additional payment information. */
export interface Payment {
  /** Name, for example of a transaction id; `Dienstleister` and `TransID` are reserved for later assignment. At most 255 characters. */
  Bezeichnung?: string;
  /** Value, for example the transaction id. At most 200 characters. */
  Wert?: string;
  /** Unique assignment within the order. At most 12 characters. */
  Key: string;
}

/** `data` of the response to a created order or a converted offer. */
export interface OrderNumberAnswer {
  /** Number of the order. At most 10 characters. */
  AuftNr: string;
}

/** An entry of the order list. */
export interface OrderSummary {
  /** Order number. At most 10 characters. */
  AuftNr: string;
  /** Customer number. At most 8 characters. */
  KundNr: string;
  /** Order number in the foreign system. At most 36 characters. */
  AuftBestellNr?: string;
  /** Status: N new, O open, A completed, S canceled. At most 1 characters. */
  AuftStatus: string;
  /** Capture date, RFC 3339 in UTC. */
  AuftErf: string;
  /** Capture date; the same value as `AuftErf`. */
  AuftErfUTC: string;
  /** Currency, ISO 4217. At most 4 characters. */
  WaehrAbk: string;
  /** Net amount. */
  AuftNetto: number;
  /** Tax amount. */
  AuftWUST: number;
  /** Gross amount: net amount plus tax amount. */
  AuftBrutto: number;
  /** Linked resources. */
  links: Link[];
}

/** `data` of an invoice. */
export interface Invoice {
  /** Invoice number; a credit note has its own of the same sequence. At most 10 characters. */
  RechNr: string;
  /** Kind: 380 invoice, 381 credit note. At most 3 characters. */
  RechTyp: string;
  /** Day of the invoice, in the time zone of the company. At most 10 characters. */
  RechDatum: string;
  /** The invoice that a credit note cancels. At most 10 characters. */
  RechZuNr?: string;
  /** Day of the invoice that a credit note cancels. At most 10 characters. */
  RechZuDatum?: string;
  /** Order number. At most 10 characters. */
  AuftNr: string;
  /** Customer number. At most 8 characters. */
  KundNr: string;
  /** Order number in the foreign system, otherwise the order reference. At most 60 characters. */
  AuftBestellNr?: string;
  /** Routing id of a public buyer; the XML is an XRechnung then. At most 46 characters. */
  LeitwegID?: string;
  /** Day of the delivery: the delivery date of the order, otherwise the order date. At most 10 characters. */
  LieferDatum: string;
  /** Day on which it is due. At most 10 characters. */
  FaelligAm?: string;
  /** Payment terms, in the language of the customer. At most 255 characters. */
  ZahlText?: string;
  /** Language of its texts. At most 4 characters. */
  AdrSprache: string;
  /** Currency of all amounts. At most 4 characters. */
  WaehrAbk: string;
  /** Kind of the order: N net, B gross. The amounts of an invoice are net in both. At most 1 characters. */
  Preisart: string;
  /** Who invoices. */
  Verkaeufer: InvoiceParty;
  /** Who is invoiced. */
  Kaeufer: InvoiceParty;
  /** Where it was delivered to. */
  LiefAdr?: InvoiceParty;
  /** How it is or was paid (UNTDID 4461): 30 transfer, 58 SEPA transfer, 48 card, 68 payment online, 97 set off. At most 3 characters. */
  ZahlArtCode?: string;
  /** What the payment states: the QR reference or creditor reference of the QR-bill, otherwise the invoice number. At most 27 characters. */
  ZahlReferenz: string;
  /** Whether its pages end with a Swiss QR-bill: J or N. At most 1 characters. */
  QRRechnung: string;
  /** Account to pay to. At most 34 characters. */
  IBAN?: string;
  /** Bank of the account. At most 11 characters. */
  BIC?: string;
  /** The lines, in the order of the positions. */
  Positionen: InvoiceLine[];
  /** Taxes, one entry for each category and rate. */
  Steuern: InvoiceTax[];
  /** Sum of the lines. */
  PosNetto: number;
  /** Delivery costs without tax. */
  LiefKostNetto: number;
  /** Sum without tax. */
  RechNetto: number;
  /** Sum of the tax. */
  RechWUST: number;
  /** Sum with tax. */
  RechBrutto: number;
  /** Difference from rounding to the smallest coin. */
  Rundung: number;
  /** What the order said is paid. */
  RechBezahlt: number;
  /** Amount to pay. */
  RechZahlbar: number;
  /** The credit note that cancels it. At most 10 characters. */
  GutschriftNr?: string;
}

/** Seller, buyer or place of delivery of an invoice. */
export interface InvoiceParty {
  /** Company, or first and last name. At most 255 characters. */
  Name: string;
  /** A further line of the name. At most 80 characters. */
  NameZusatz?: string;
  /** Street and number. At most 60 characters. */
  AdrAdresse1: string;
  /** Addition to the street. At most 60 characters. */
  AdrAdresse2?: string;
  /** Postal code. At most 10 characters. */
  OrtPLZ: string;
  /** Town. At most 48 characters. */
  OrtName: string;
  /** Country. At most 4 characters. */
  OrtLand: string;
  /** VAT identifier. At most 24 characters. */
  UStIdNr?: string;
  /** Tax number. At most 20 characters. */
  SteuerNummer?: string;
  /** Entry in the commercial register. At most 60 characters. */
  RegisterNr?: string;
  /** Person or office to ask. At most 80 characters. */
  KontaktName?: string;
  /** Phone. At most 28 characters. */
  AdrTf1?: string;
  /** E-mail address. At most 255 characters. */
  EmailAdress?: string;
}

/** A line of an invoice. */
export interface InvoiceLine {
  /** Number of the position as the order shows it; its `PosNr` where two show the same. */
  PosNr: number;
  /** Article number. At most 15 characters. */
  ArtNr: string;
  /** Description. At most 2048 characters. */
  PosBez?: string;
  /** Quantity in the unit. */
  Anzahl: number;
  /** Unit: the packaging unit, otherwise that of the article. At most 30 characters. */
  Einheit?: string;
  /** Code of the unit in UN/ECE recommendations 20 and 21. At most 3 characters. */
  EinheitCode: string;
  /** Net price of `PreisBasis` units, before the discount. */
  Preis: number;
  /** How many units the price is for. */
  PreisBasis: number;
  /** Net amount before the discount. */
  BetragVorRabatt: number;
  /** Discount in percent. */
  GRabSatz: number;
  /** Discount, net. */
  Rabatt: number;
  /** Net amount after the discount. */
  PosBetragNetto: number;
  /** Price of `PosPreisBasis` units before the discount, net or gross like the order. */
  PosPreisEinzel: number;
  /** How many units the price of the order is for. */
  PosPreisBasis: number;
  /** Amount as the order shows it, net or gross like the order. */
  PosPreisTotal: number;
  /** Tax category. At most 2 characters. */
  Kategorie: string;
  /** Tax rate in percent. */
  WUSTSatz: number;
}

/** The tax of one category and rate. */
export interface InvoiceTax {
  /** Tax category: S taxed, Z rate 0, E exempt, AE reverse charge, K within the EU, G export, O not subject. At most 2 characters. */
  Kategorie: string;
  /** Rate in percent. */
  WUSTSatz: number;
  /** Sum without tax, with the share of the delivery costs. */
  BetragNetto: number;
  /** The tax. */
  BetragWUST: number;
  /** Delivery costs that are part of it, without tax. */
  LiefKostNetto: number;
  /** Why no tax is charged. At most 1000 characters. */
  BefreiungsGrund?: string;
  /** Code of this reason. At most 40 characters. */
  BefreiungsCode?: string;
}

/** `data` of the response to a new invoice or credit note. */
export interface InvoiceNumberAnswer {
  /** Number of the invoice or the credit note. At most 10 characters. */
  RechNr: string;
  /** What the office should know: it is of an earlier day than the one before it; why it has no Swiss QR-bill; what its pages show otherwise than its XML. The same each time, in the language of the response. At most 4000 characters. */
  Hinweis?: string;
}

/** Body of `POST /www/auftrag`, or of `POST /www/offerte`, which has no prices, costs and payments of its own. */
export interface OrderBody {
  /** The header. */
  GrundDaten?: OrderBodyHeader | null;
  /** Addresses for this document only, instead of the customer's. */
  Adressen?: AddressesBody | null;
  /** The positions. */
  Positionen?: PositionBody[] | null;
  /** Additional payment information. */
  Zahlung?: PaymentBody[] | null;
}

/** `GrundDaten` of a new order or offer. */
export interface OrderBodyHeader {
  /** Customer number; an offer without one is a template. At most 8 characters. */
  KundNr?: string | null;
  /** Order number in the foreign system. At most 36 characters. */
  AuftBestellNr?: string | null;
  /** Description. At most 80 characters. */
  AuftBez?: string | null;
  /** Order reference. At most 60 characters. */
  AuftBestellRef?: string | null;
  /** Order date, RFC 3339; default: now. */
  AuftBestellT?: string | null;
  /** Delivery date, RFC 3339. */
  AuftLieferT?: string | null;
  /** Currency, ISO 4217; default: the leading currency. At most 4 characters. */
  WaehrAbk?: string | null;
  /** Comment. At most 255 characters. */
  AuftKomment?: string | null;
  /** Cost bearer. At most 6 characters. */
  KTNr?: string | null;
  /** Order location; default: the company's. */
  StaoNr?: number | null;
  /** Customer payment condition. */
  KundBedTyp?: number | null;
  /** Delivery costs. */
  AuftLiefKost?: number | null;
}

/** An entry of `Positionen` in a new order or offer. */
export interface PositionBody {
  /** Article number. At most 15 characters. */
  ArtNr?: string | null;
  /** Quantity in the base unit. */
  Menge?: number | null;
  /** Position description; default: the article's. At most 2048 characters. */
  PosBez?: string | null;
  /** Unit price; default: determined by the business system. */
  Preis?: number | null;
  /** How many base units or packages the sent price is for; default: as the list price of this quantity, else as the article. Without a price it does not count. A package position that was read is sent back with its `VPEPreisEinzel` as `Preis` and a basis of 1. */
  PosPreisBasis?: number | null;
  /** Packaging unit. At most 30 characters. */
  VPEinheit?: string | null;
  /** Discount rate in percent. */
  GRabSatz?: number | null;
  /** Ordering number; default: 10, 20, 30 and so on. */
  VisPosNr?: number | null;
}

/** An entry of `Zahlung` in a new order. When the value is a payment method, the name is `payment_method`. */
export interface PaymentBody {
  /** Name, for example of a transaction id. At most 255 characters. */
  Bezeichnung?: string | null;
  /** Value, for example the transaction id. At most 200 characters. */
  Wert?: string | null;
}

/** Body of `PUT /www/auftrag`: makes an order of an offer. */
export interface ConversionBody {
  /** Which offer, for which customer. */
  GrundDaten?: ConversionBodyHeader | null;
  /** Additional payment information. */
  Zahlung?: PaymentBody[] | null;
}

/** `GrundDaten` of a conversion. */
export interface ConversionBodyHeader {
  /** Customer number. At most 8 characters. */
  KundNr?: string | null;
  /** Offer number. At most 10 characters. */
  OffertNr?: string | null;
}

/** `data` of an offer. */
export interface Offer {
  /** Offer number. At most 10 characters. */
  OffertNr: string;
  /** Header of the offer. */
  GrundDaten: OfferHeader;
  /** The three addresses, copied when the offer was made. */
  Adressen: OrderAddresses;
  /** The positions, by their ordering number. */
  Positionen: Position[];
  /** Tax recap, one entry per tax code. */
  MWSTRekapitulation: TaxRecapEntry[];
  /** Additional payment information; only in the response to GET. */
  Zahlung?: Payment[];
}

/** `GrundDaten` of an offer. Dates are sent under both spellings with the same value. */
export interface OfferHeader {
  /** Order location. */
  StaoNr: number;
  /** Customer number. At most 8 characters. */
  KundNr?: string;
  /** Comment. At most 255 characters. */
  AuftKomment?: string;
  /** Whether this is a template: `true` not assigned to a customer, `false` assigned. */
  Template: boolean;
  /** Payment condition text in the language of the contact. At most 255 characters. */
  KundBedBez?: string;
  /** Customer payment condition. */
  KundBedTyp?: number;
  /** Order date, RFC 3339 in UTC; the same value as `AuftBestellT`. */
  AuftBestellTUTC: string;
  /** Delivery date, RFC 3339 in UTC; the same value as `AuftLieferT`. */
  AuftLieferTUTC?: string;
  /** Delivery costs. */
  AuftLiefKost: number;
  /** Status: N new, O open, A completed, S canceled, P offer. At most 1 characters. */
  AuftStatus: string;
  /** Order reference. At most 60 characters. */
  AuftBestellRef?: string;
  /** Currency, ISO 4217. At most 4 characters. */
  WaehrAbk: string;
  /** Tax amount. */
  AuftWUST: number;
  /** Gross amount: net amount plus tax amount. */
  AuftBrutto: number;
  /** Net amount. */
  AuftNetto: number;
  /** Number of the order the offer became. At most 10 characters. */
  AuftNr?: string;
  /** Description. At most 80 characters. */
  AuftBez?: string;
  /** Order number in the foreign system. At most 36 characters. */
  AuftBestellNr?: string;
  /** Order date, RFC 3339 in UTC. */
  AuftBestellT: string;
  /** Delivery date, RFC 3339 in UTC. */
  AuftLieferT?: string;
}

/** An entry of the offer list. */
export interface OfferSummary {
  /** Offer number. At most 10 characters. */
  OffertNr: string;
  /** Customer number; absent in a template. At most 8 characters. */
  KundNr?: string;
  /** Company or person of the contact address. At most 80 characters. */
  Name?: string;
  /** Whether this is a template: `true` not assigned to a customer, `false` assigned. */
  Template: boolean;
  /** Order number in the foreign system. At most 36 characters. */
  AuftBestellNr?: string;
  /** Status: P offer, A became an order. At most 1 characters. */
  AuftStatus: string;
  /** Number of the order the offer became. At most 10 characters. */
  AuftNr?: string;
  /** Capture date, RFC 3339 in UTC. */
  AuftErf: string;
  /** Capture date; the same value as `AuftErf`. */
  AuftErfUTC: string;
  /** Currency, ISO 4217. At most 4 characters. */
  WaehrAbk: string;
  /** Net amount. */
  AuftNetto: number;
  /** Tax amount. */
  AuftWUST: number;
  /** Gross amount: net amount plus tax amount. */
  AuftBrutto: number;
  /** Linked resources. */
  links: Link[];
}

/** Body of `POST /www/auftrag`, or of `POST /www/offerte`, which has no prices, costs and payments of its own. */
export interface OfferBody {
  /** The header. */
  GrundDaten?: OfferBodyHeader | null;
  /** Addresses for this document only, instead of the customer's. */
  Adressen?: AddressesBody | null;
  /** The positions. */
  Positionen?: OfferPositionBody[] | null;
}

/** `GrundDaten` of a new order or offer. */
export interface OfferBodyHeader {
  /** Customer number; an offer without one is a template. At most 8 characters. */
  KundNr?: string | null;
  /** Order number in the foreign system. At most 36 characters. */
  AuftBestellNr?: string | null;
  /** Description. At most 80 characters. */
  AuftBez?: string | null;
  /** Order reference. At most 60 characters. */
  AuftBestellRef?: string | null;
  /** Order date, RFC 3339; default: now. */
  AuftBestellT?: string | null;
  /** Delivery date, RFC 3339. */
  AuftLieferT?: string | null;
  /** Currency, ISO 4217; default: the leading currency. At most 4 characters. */
  WaehrAbk?: string | null;
  /** Comment. At most 255 characters. */
  AuftKomment?: string | null;
}

/** An entry of `Positionen` in a new order or offer. */
export interface OfferPositionBody {
  /** Article number. At most 15 characters. */
  ArtNr?: string | null;
  /** Quantity in the base unit. */
  Menge?: number | null;
  /** Position description; default: the article's. At most 2048 characters. */
  PosBez?: string | null;
  /** Packaging unit. At most 30 characters. */
  VPEinheit?: string | null;
  /** Discount rate in percent. */
  GRabSatz?: number | null;
  /** Ordering number; default: 10, 20, 30 and so on. */
  VisPosNr?: number | null;
}

/** Body of `PATCH /www/offerte`. */
export interface OfferChangeBody {
  /** The customer a template is given to. */
  GrundDaten?: OfferChangeBodyHeader | null;
  /** Changed, new and deleted positions. */
  Positionen?: PositionChangeBody[] | null;
  /** Addresses that replace those of the offer; each must be complete. */
  Adressen?: AddressesBody | null;
}

/** `GrundDaten` of an offer change. */
export interface OfferChangeBodyHeader {
  /** Customer number; converts a template offer to this customer. At most 8 characters. */
  KundNr?: string | null;
}

/** An entry of `Positionen` in an offer change. */
export interface PositionChangeBody {
  /** Position number; without one the entry is a new position. */
  PosNr?: number | null;
  /** Article number; required for a new position. At most 15 characters. */
  ArtNr?: string | null;
  /** Position description. At most 2048 characters. */
  PosBez?: string | null;
  /** Quantity in the base unit; 0 deletes the position. */
  Menge?: number | null;
  /** Packaging unit of a new position; that of an existing one does not change. At most 30 characters. */
  VPEinheit?: string | null;
  /** Discount rate in percent. */
  GRabSatz?: number | null;
}

/** `data` of a customer. Only `status` and `links` are there of one that was forgotten. */
export interface Customer {
  /** Credit: 1 when the credit limit is greater than 0, otherwise 0. */
  status: number;
  /** Customer currency, ISO 4217. At most 4 characters. */
  WaehrAbk?: string;
  /** Industry id; only the back office sets it. At most 12 characters. */
  BrancheID?: string;
  /** Language, ISO 639-2/B; default: that of the contact address. */
  AdrSprache?: string;
  /** Delivery address key. */
  KundLief?: number;
  /** Billing address key. */
  KundRech?: number;
  /** Contact address key. */
  KundKontakt?: number;
  /** Shipping condition type, client-specific codes. At most 12 characters. */
  VBTyp?: string;
  /** Payment methods, comma separated: K credit card (outside the business system), R invoice (via the business system). */
  ZahlungsMethode?: string;
  /** Customer designation. At most 24 characters. */
  KundBez?: string;
  /** Comment on the customer. At most 255 characters. */
  Kommentar?: string;
  /** Payment condition of its orders, unless an order names another one. */
  KundBedTyp?: number;
  /** Payment condition text in the language of the contact; only in the response to GET. At most 255 characters. */
  KundBedBez?: string;
  /** Today's tax rate of the customer in percent, in place of those of articles; only with a tax code of its own, and only in the response to GET. */
  WUSTSatz?: number;
  /** Attributes of the customer. */
  attributes?: Attribute[];
  /** Linked resources. */
  links: Link[];
  /** Orders of the customer, newest first. */
  Auftrag?: CustomerOrder[];
}

/** An entry of `Auftrag` of a customer. */
export interface CustomerOrder {
  /** Status: N new, O open in processing, A completed, S canceled. At most 1 characters. */
  PlanStatus: string;
  /** Capture date, RFC 3339 in UTC. */
  AuftErf: string;
  /** Capture date; the same value as `AuftErf`. */
  AuftErfUTC: string;
  /** Order number. At most 10 characters. */
  AuftNr: string;
  /** Linked resources. */
  links: Link[];
}

/** `data` of the response to a stored customer. */
export interface CustomerNumberAnswer {
  /** Number of the customer. */
  DebiNr: string;
}

/** Body of `POST /www/kunden` and `PUT /www/kunden/{DebiNr}`. */
export interface CustomerBody {
  /** Header of the customer. */
  GrundDaten?: CustomerBodyHeader | null;
  /** Addresses; the contact address is required. */
  Adressen?: CustomerAddressesBody | null;
}

/** `GrundDaten` of a customer to be stored. */
export interface CustomerBodyHeader {
  /** Customer currency, ISO 4217. At most 4 characters. */
  WaehrAbk?: string | null;
  /** Language, ISO 639-2/B; default: that of the contact address. */
  AdrSprache?: string | null;
  /** Payment type: L direct debit, B cash or credit card, others. At most 1 characters. */
  FAKTZahlArt?: string | null;
  /** Payment methods, comma separated: K credit card (outside the business system), R invoice (via the business system). */
  ZahlungsMethode?: string | null;
  /** Shipping condition type, client-specific codes. At most 12 characters. */
  VBTyp?: string | null;
  /** Transport insurance type. At most 12 characters. */
  TVTyp?: string | null;
  /** Expense calculation value. At most 32 characters. */
  AUFT_SPESEN?: string | null;
  /** Comment on the customer. At most 255 characters. */
  Kommentar?: string | null;
  /** Tax number. At most 20 characters. */
  SteuerNummer?: string | null;
  /** Web address of the company. At most 20 characters. */
  FirmenURL?: string | null;
  /** Credit limit in whole units of the currency; 0 is blocked and the default. */
  KreditLimit?: number | null;
}

/** An article, alone or as an entry of the article list. */
export interface Article {
  /** Article number. At most 15 characters. */
  ArtNr?: string;
  /** Stock-managed: J yes, N no. At most 1 characters. */
  AnLager?: string;
  /** Article description. At most 255 characters. */
  ArtBez?: string;
  /** Status: 1 active; 0 inactive, which is not sold; further values are open. */
  ArtikelStatus?: number;
  /** Article unit. At most 12 characters. */
  Einheit?: string;
  /** Colour marker #rrggbb; not the colour of the article. At most 12 characters. */
  Farbe?: string;
  /** Stored tax rate, else the standard rate. */
  WUSTSatz?: number;
  /** Time of the last modification. */
  GeaendertAmUTC?: string;
  /** Article group. At most 12 characters. */
  ArtGruppe?: string;
  /** Article class. At most 8 characters. */
  ArtKlasse?: string;
  /** Currency of the prices, ISO 4217. At most 4 characters. */
  WaehrAbk?: string;
  /** Procurement type. At most 1 characters. */
  BeschaffungsArt?: string;
  /** Processing type: C batch-managed, N not batch-managed. At most 1 characters. */
  VerarbeitungsArt?: string;
  /** Linked resources. */
  links?: Link[];
  /** Attributes of the article. */
  attributes?: Attribute[];
  /** Packaging units: J exist, N do not, then price and stock stand on the article. At most 1 characters. */
  HatVPE?: string;
  /** Packaging units, when `HatVPE` is J. */
  Verpackungen?: PackagingUnit[];
  /** Price tiers of the article, when `HatVPE` is N. */
  Preis?: PriceTier[];
  /** Stock entries. */
  Bestand?: StockEntry[];
  /** Declarations of origin, only in the response for a single article. */
  Deklaration?: Declaration[];
  /** Weight of the article, only in the response for a single article. */
  ArtGewicht?: number;
}

/** An entry of `Verpackungen`. */
export interface PackagingUnit {
  /** Packaging unit id code. At most 30 characters. */
  VPEinheit: string;
  /** EAN of the packaging. At most 30 characters. */
  VPEEANNr?: string;
  /** Packaging designation. */
  VPBezeichnung?: string;
  /** Conversion factor from article to packaging weight. */
  Gewicht?: number;
  /** Weight of the packaging unit. */
  VPEGewicht?: number;
  /** Weight of the content. */
  GewichtInhalt?: number;
  /** Quantity factor to the base unit. */
  Faktor: number;
  /** Price tiers of the packaging unit. */
  Preis?: PriceTier[];
  /** Stock of the packaging unit. */
  Bestand?: StockEntry[];
}

/** An entry of `Preis`. */
export interface PriceTier {
  /** Article number. At most 15 characters. */
  ArtNr: string;
  /** Price range. At most 15 characters. */
  Bereich?: string;
  /** Validity from this quantity. */
  AbAnzahl?: number;
  /** Validity up to this quantity; absent in the last tier. */
  BisAnzahl?: number;
  /** List price in `WaehrAbk`. */
  PreisList: number;
  /** How many units of `VPEinheit`, or base units, the price is for, where it is not 1. */
  PosPreisBasis?: number;
  /** Price kind: N net, B gross. At most 1 characters. */
  Preisart: string;
  /** Packaging unit id code. At most 30 characters. */
  VPEinheit?: string;
  /** Time of the last modification. */
  GeaendertAmUTC?: string;
  /** Linked resources. */
  links?: Link[];
}

/** An entry of `Bestand`: stock after subtracting reservations in released warehouses. */
export interface StockEntry {
  /** Article number. At most 15 characters. */
  ArtNr: string;
  /** Warehouse location. */
  LagerOrt?: string;
  /** Location number. */
  StaoNr?: number;
  /** Stock after reservation; may be negative. */
  LagerBestand: number;
  /** Packaging unit id code. At most 30 characters. */
  VPEinheit?: string;
  /** Stock range. At most 15 characters. */
  Bereich?: string;
  /** Linked resources. */
  links?: Link[];
}

/** An entry of `Deklaration`: a declaration of origin. */
export interface Declaration {
  /** Unique assignment number. */
  Nr: number;
  /** Language, ISO 639-2/B. At most 4 characters. */
  AdrSprache?: string;
  /** Article number. At most 15 characters. */
  ArtNr: string;
  /** First designation. */
  Bezeichnung1?: string;
  /** Second designation. */
  Bezeichnung2?: string;
  /** Short designation. */
  KurzBezeichnung?: string;
  /** Country of origin, ISO 3166-1 alpha-2. At most 4 characters. */
  OrtLand?: string;
  /** Linked resources. */
  links?: Link[];
}

/** An entry of `attributes` of customers and articles. */
export interface Attribute {
  /** Value of the attribute. At most 200 characters. */
  Contents?: string;
  /** Unique name of the attribute. At most 12 characters. */
  PHKey: string;
}

/** An entry of `links`: a linked resource. */
export interface Link {
  /** Absolute address. At most 2048 characters. */
  href: string;
  /** HTTP method that applies to the link. At most 2048 characters. */
  type: string;
  /** Name of the relation. At most 2048 characters. */
  rel: string;
}

/** An address of the address endpoints (table "response of the address endpoints"). */
export interface AddressRecord {
  /** Address number; in lists. */
  AdrNr?: number;
  /** Language, ISO 639-2/B. At most 4 characters. */
  AdrSprache: string;
  /** E-mail address. At most 255 characters. */
  EmailAdress?: string;
  /** Street and number. At most 60 characters. */
  AdrAdresse1: string;
  /** Addition to the street. At most 60 characters. */
  AdrAdresse2?: string;
  /** Salutation: 0 company or general, 1 mister, 2 miss. */
  AdrAnrede: number;
  /** Salutation text in the language of the address. */
  AdrAnredeText?: string;
  /** Fax. At most 28 characters. */
  AdrFax?: string;
  /** Company name; a body has this or `AdrName`. At most 36 characters. */
  AdrFirma?: string;
  /** Company name addition. At most 36 characters. */
  AdrFirma2?: string;
  /** First name. At most 36 characters. */
  AdrVorname?: string;
  /** Last name; a body has this or `AdrFirma`. At most 36 characters. */
  AdrName?: string;
  /** Mobile number. At most 28 characters. */
  AdrTelex?: string;
  /** Direct phone. At most 28 characters. */
  AdrTf1?: string;
  /** Central phone. At most 28 characters. */
  AdrTf2?: string;
  /** Country, ISO 3166-1 alpha-2. At most 4 characters. */
  OrtLand: string;
  /** Town. At most 48 characters. */
  OrtName: string;
  /** Postal code. At most 10 characters. */
  OrtPLZ: string;
  /** Linked resources; in lists. */
  links?: Link[];
}

/** `data` of `GET /www/adressen?debinr=`: the addresses of a customer by their use. */
export interface AddressesOfCustomer {
  /** Contact addresses. */
  KundKontakt: AddressRecord[];
  /** Delivery addresses. */
  KundLief: AddressRecord[];
  /** Billing addresses. */
  KundRech: AddressRecord[];
}

/** `data` of `GET /www/adressensuche`: the one customer that was found. */
export interface AddressSearchResult {
  /** Delivery address key. */
  KundLief?: number;
  /** Billing address key. */
  KundRech?: number;
  /** Contact address key. */
  KundKontakt?: number;
  /** Customer number. */
  DebiNr?: string;
  /** Links to the addresses and the customer. */
  links?: Link[];
}

/** `Adressen` of a body; each replaces the customer's for this document only. */
export interface AddressesBody {
  /** Contact address. */
  KontaktAdr?: AddressBody | null;
  /** Delivery address. */
  LiefAdr?: AddressBody | null;
  /** Billing address. */
  RechAdr?: AddressBody | null;
}

/** `Adressen` of a body; each replaces the customer's for this document only. */
export interface CustomerAddressesBody {
  /** Contact address. */
  KontaktAdr?: AddressBody | null;
  /** Delivery address. */
  LiefAdr?: AddressBody | null;
  /** Billing address. */
  RechAdr?: AddressBody | null;
}

/** An address in the body of an order, offer or customer (table "input"). */
export interface AddressBody {
  /** Language, ISO 639-2/B. */
  AdrSprache?: string | null;
  /** E-mail address. At most 255 characters. */
  EmailAdress?: string | null;
  /** Street and number. At most 60 characters. */
  AdrAdresse1?: string | null;
  /** Addition to the street. At most 60 characters. */
  AdrAdresse2?: string | null;
  /** Salutation: 0 company or general, 1 mister, 2 miss. */
  AdrAnrede?: number | null;
  /** Fax. At most 28 characters. */
  AdrFax?: string | null;
  /** Company name; a body has this or `AdrName`. At most 36 characters. */
  AdrFirma?: string | null;
  /** Company name addition. At most 36 characters. */
  AdrFirma2?: string | null;
  /** First name. At most 36 characters. */
  AdrVorname?: string | null;
  /** Last name; a body has this or `AdrFirma`. At most 36 characters. */
  AdrName?: string | null;
  /** Mobile number. At most 28 characters. */
  AdrTelex?: string | null;
  /** Direct phone. At most 28 characters. */
  AdrTf1?: string | null;
  /** Central phone. At most 28 characters. */
  AdrTf2?: string | null;
  /** Country, ISO 3166-1 alpha-2. At most 4 characters. */
  OrtLand?: string | null;
  /** Town. At most 48 characters. */
  OrtName?: string | null;
  /** Postal code. At most 10 characters. */
  OrtPLZ?: string | null;
  /** Whether the town is checked against the postal code: 1 yes, 0 no; default 1 for Swiss addresses, else 0. */
  AdrCheck?: number | null;
}

/** An entry of `GET /www/artikelmedia/{ArtNr}`: an image, a text, or both. */
export interface MediaRecord {
  /** Unique key of the file. */
  IDKey: number;
  /** Image format. At most 12 characters. */
  AMDBildFormat?: string;
  /** Text format. At most 12 characters. */
  AMDTextFormat?: string;
  /** Usage, steered by the attribute `VERWENDUNG`. At most 12 characters. */
  AMDVerwendung?: string;
  /** Language of the file, ISO 639-2/B. At most 4 characters. */
  AdrSprache?: string;
  /** Country assignment, ISO 3166-1 alpha-2. At most 4 characters. */
  OrtLand?: string;
  /** Time of the last change. */
  Modified_UTC: string;
  /** Article group. At most 12 characters. */
  ArtGruppe?: string;
  /** Article number. At most 15 characters. */
  ArtNr: string;
  /** File name. At most 255 characters. */
  AMDDateiName?: string;
  /** Text output. */
  AMDText?: string;
  /** Comment on the media file. At most 255 characters. */
  Kommentar?: string;
  /** Relations to the media data and to the article. */
  links: Link[];
}

/** Body of `POST /www/zugferd`. */
export interface ZugferdBody {
  /** What to do: `Combine` embeds the XML in the PDF, `Extract` takes the XML out of the PDF, `Check` reports the rules that the invoice breaks, `Report` does so as an HTML document to save, `Read` tells what it says. */
  Operation?: string | null;
  /** The PDF, Base64; `Check`, `Report` and `Read` use it where there is no `XML`. */
  PDF?: string | null;
  /** The XML, Base64; used by `Combine`, `Check`, `Report` and `Read`. */
  XML?: string | null;
  /** The file name of the invoice to take out where there are several; used by `Extract`, `Check`, `Report` and `Read`. At most 1000 characters. */
  Datei?: string | null;
  /** The password of an encrypted PDF, the user's or the owner's; `Combine` removes the encryption then. No log and no work file has it. At most 127 characters. */
  Passwort?: string | null;
  /** Whether to write verbose output to the server log. */
  Verbose?: boolean | null;
  /** Whether to keep the work files. */
  Debug?: boolean | null;
}

/** A fresh token. */
export interface TokenAnswer {
  /** The token for bearer authentication. */
  access_token: string;
  /** How the token is used: `Bearer`. */
  token_type: string;
  /** Lifetime in seconds. */
  expires_in: number;
  /** The customer that the token is for. At most 8 characters. */
  debinr?: string;
}

/** The body of every response that is an error. */
export interface ErrorBody {
  /** Stable code, for example `invalid` or `endpoint`. */
  error: string;
  /** What went wrong, in a sentence. */
  error_description: string;
  /** What else is known. */
  info: ErrorInfo;
}

/** `info` of an error. */
export interface ErrorInfo {
  /** Name of the wanted output file (e-invoice endpoint). */
  filename?: string;
  /** Processing steps and warnings (e-invoice endpoint). */
  subprocess_output?: string[];
  /** Everything that is wrong with the body (status 422). */
  problems?: ProblemEntry[];
  /** `true` when `problems` lists only the first of them (status 422). */
  truncated?: boolean;
  /** How many problems there are when the list is not complete (status 422). */
  count?: number;
  /** Where a template offer does not fit the customer (status 409). */
  mismatch?: MismatchEntry[];
}

/** An entry of `info.problems`. */
export interface ProblemEntry {
  /** Place in wire names, for example `Positionen[2].ArtNr`; empty for the body itself. */
  path: string;
  /** Stable code, for example `too_long`. */
  code: string;
  /** What is wrong, in a sentence. */
  message: string;
  /** The bound that was broken. */
  limit?: number;
}

/** An entry of `info.mismatch`: one thing in which an offer and a customer differ. */
export interface MismatchEntry {
  /** What differs: `price_list`, `cost_bearer`, `tax_code` or `currency`. */
  subject: string;
  /** The value of the offer. */
  offer?: string;
  /** The value of the customer. */
  customer?: string;
}

/** An address in the body of an order, offer or customer (table "input"). */
export interface AddressPatchBody {
  /** Language, ISO 639-2/B. At most 3 characters. */
  AdrSprache?: string | null;
  /** E-mail address. At most 255 characters. */
  EmailAdress?: string | null;
  /** Street and number. At most 60 characters. */
  AdrAdresse1?: string | null;
  /** Addition to the street. At most 60 characters. */
  AdrAdresse2?: string | null;
  /** Salutation: 0 company or general, 1 mister, 2 miss. */
  AdrAnrede?: number | null;
  /** Fax. At most 28 characters. */
  AdrFax?: string | null;
  /** Company name; a body has this or `AdrName`. At most 36 characters. */
  AdrFirma?: string | null;
  /** Company name addition. At most 36 characters. */
  AdrFirma2?: string | null;
  /** First name. At most 36 characters. */
  AdrVorname?: string | null;
  /** Last name; a body has this or `AdrFirma`. At most 36 characters. */
  AdrName?: string | null;
  /** Mobile number. At most 28 characters. */
  AdrTelex?: string | null;
  /** Direct phone. At most 28 characters. */
  AdrTf1?: string | null;
  /** Central phone. At most 28 characters. */
  AdrTf2?: string | null;
  /** Country, ISO 3166-1 alpha-2. At most 4 characters. */
  OrtLand?: string | null;
  /** Town. At most 48 characters. */
  OrtName?: string | null;
  /** Postal code. At most 10 characters. */
  OrtPLZ?: string | null;
}
