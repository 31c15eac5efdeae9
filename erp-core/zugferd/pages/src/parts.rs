//! The parts of an invoice, as plain data.
//!
//! All text may be in Latin, Greek and Cyrillic letters; others are printed as a box. An optional text that is missing is `None`, not an empty one.

use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;

/// An invoice as its pages show it.
///
/// ```
/// use erp_invoice_pages::parts::{Line, Party, Seller, Totals};
/// use erp_invoice_pages::{DocumentKind, Invoice, Language};
/// use rust_decimal::Decimal;
///
/// let party = |name: &str, town: &str| Party {
///     name: name.to_owned(),
///     street: Some("Hauptstraße".to_owned()),
///     house_number: Some("5".to_owned()),
///     postcode: Some("10115".to_owned()),
///     town: town.to_owned(),
///     country: "DE".to_owned(),
///     ..Party::default()
/// };
/// let invoice = Invoice {
///     kind: DocumentKind::Invoice,
///     language: Language::German,
///     number: "RE-2026-0042".to_owned(),
///     date: jiff::civil::date(2026, 11, 25),
///     currency: "EUR".to_owned(),
///     seller: Seller { party: party("Muster GmbH", "Berlin"), ..Seller::default() },
///     buyer: party("Kundin AG", "Hamburg"),
///     lines: vec![Line {
///         position: "1".to_owned(),
///         name: "Schraube".to_owned(),
///         quantity: Decimal::from(100),
///         unit: "Stück".to_owned(),
///         price: Decimal::new(25, 2),
///         sum: Decimal::new(2500, 2),
///         ..Line::default()
///     }],
///     totals: Totals {
///         lines: Decimal::new(2500, 2),
///         net: Decimal::new(2500, 2),
///         tax: Decimal::new(475, 2),
///         gross: Decimal::new(2975, 2),
///         payable: Decimal::new(2975, 2),
///         ..Totals::default()
///     },
///     ..Invoice::default()
/// };
/// assert_eq!(invoice.lines.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invoice {
    /// What the document is; it gives the title.
    pub kind: DocumentKind,
    /// The language of titles and labels. How numbers and dates are written also follows from the seller's country.
    pub language: Language,
    /// The number of the invoice.
    pub number: String,
    /// The day of the invoice.
    pub date: Date,
    /// The currency, for example `EUR`.
    pub currency: String,
    /// Whether the prices and sums of lines and adjustments, and the sum of the lines, include the tax.
    pub gross_prices: bool,
    /// Who sends it.
    pub seller: Seller,
    /// Who gets it: the address in the window.
    pub buyer: Party,
    /// The buyer's VAT identifier, which reverse charge needs.
    pub buyer_vat_id: Option<String>,
    /// Numbers by which both sides find what the invoice is about.
    pub references: References,
    /// Who answers questions.
    pub contact: Contact,
    /// When and to whom it was delivered.
    pub delivery: Delivery,
    /// Paragraphs before the lines.
    pub introduction: Vec<String>,
    /// What is charged.
    pub lines: Vec<Line>,
    /// Allowances, charges and delivery costs of the whole invoice.
    pub adjustments: Vec<Adjustment>,
    /// The tax by rate and category.
    pub taxes: Vec<Tax>,
    /// The sums.
    pub totals: Totals,
    /// How and until when it is paid.
    pub payment: Payment,
    /// Paragraphs at the end.
    pub remarks: Vec<String>,
    /// A picture for the head of the first page: the bytes of a PNG or JPEG file. Without it, the seller's name is there.
    pub logo: Option<Vec<u8>>,
    /// The time that is written into the PDF as the time of its making; without it, the start of the day of the invoice.
    pub created: Option<Timestamp>,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DocumentKind {
    /// An invoice (380).
    #[default]
    Invoice,
    /// An invoice of a part (326).
    PartialInvoice,
    /// An invoice of a payment in advance (386).
    PrepaymentInvoice,
    /// A corrected invoice (384).
    Correction,
    /// A credit note (381).
    CreditNote,
}

/// A language of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// German.
    #[default]
    German,
    /// English.
    English,
    /// French.
    French,
    /// Italian.
    Italian,
}

/// A name with a postal address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Party {
    /// The name of the company or the person.
    pub name: String,
    /// Lines between name and street: department, person, building; five at most.
    pub additions: Vec<String>,
    /// The street; also with its house number, when that is not known by itself.
    pub street: Option<String>,
    /// The house number.
    pub house_number: Option<String>,
    /// The postal code.
    pub postcode: Option<String>,
    /// The town.
    pub town: String,
    /// The code of the country, for example `CH`.
    pub country: String,
    /// The name of the country, which addresses abroad end with; without it, that in the language of the labels is shown.
    pub country_name: Option<String>,
}

/// Who sends an invoice, with what is in the foot of each page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seller {
    /// Name and address.
    pub party: Party,
    /// The VAT identifier.
    pub vat_id: Option<String>,
    /// The number at the tax office.
    pub tax_number: Option<String>,
    /// The register with its number, for example `Amtsgericht Berlin, HRB 12345`.
    pub register: Option<String>,
    /// Who manages the company.
    pub management: Option<String>,
    /// The telephone number.
    pub phone: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
    /// The web site.
    pub website: Option<String>,
}

/// Numbers by which both sides find what an invoice is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct References {
    /// The buyer's number at the seller.
    pub customer_number: Option<String>,
    /// The number of the order at the seller.
    pub order_number: Option<String>,
    /// The day of the order.
    pub order_date: Option<Date>,
    /// The buyer's own number of the order.
    pub buyer_order: Option<String>,
    /// The buyer's reference, for example a Leitweg-ID.
    pub buyer_reference: Option<String>,
    /// The number of the delivery note.
    pub delivery_note: Option<String>,
    /// The number of the contract.
    pub contract: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// The number of the invoice that this one corrects or credits.
    pub earlier_invoice: Option<String>,
    /// The day of that invoice.
    pub earlier_date: Option<Date>,
}

/// Who answers questions about an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    /// The name.
    pub name: Option<String>,
    /// The telephone number.
    pub phone: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
}

/// When and to whom it was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delivery {
    /// The day, or the first one.
    pub from: Option<Date>,
    /// The last day of a period.
    pub until: Option<Date>,
    /// The recipient, when it is not the buyer.
    pub to: Option<Party>,
}

/// A line of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The position, for example `1` or `1.2`.
    pub position: String,
    /// The number of the article.
    pub number: Option<String>,
    /// What it is, in a few words.
    pub name: String,
    /// More about it; a line break starts a new line.
    pub text: Option<String>,
    /// The quantity.
    pub quantity: Decimal,
    /// The unit as people write it, for example `Stück`.
    pub unit: String,
    /// The price of one unit, before the discount.
    pub price: Decimal,
    /// How many units the price is for, when that is not 1.
    pub price_quantity: Option<Decimal>,
    /// The discount in percent.
    pub discount: Option<Decimal>,
    /// The rate of the tax in percent; shown when the invoice has several taxes.
    pub tax_rate: Option<Decimal>,
    /// The sum.
    pub sum: Decimal,
}

/// An allowance, a charge or a delivery cost of a whole invoice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Adjustment {
    /// What it is, for example `Versandkosten`.
    pub text: String,
    /// The percentage that it was computed by.
    pub percent: Option<Decimal>,
    /// The amount; an allowance is negative.
    pub amount: Decimal,
}

/// The tax of one category and rate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tax {
    /// The category.
    pub category: TaxCategory,
    /// The rate in percent.
    pub rate: Option<Decimal>,
    /// The sum that is taxed.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
    /// Why there is no tax.
    pub reason: Option<String>,
}

/// A category of a tax, with its code in EN 16931.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaxCategory {
    /// A rate above zero (S).
    #[default]
    Taxed,
    /// The rate zero (Z).
    Zero,
    /// Exempt (E).
    Exempt,
    /// The buyer owes the tax (AE).
    ReverseCharge,
    /// A supply into another country of the EU (K).
    IntraCommunity,
    /// An export out of the EU (G).
    Export,
    /// Not subject to the tax (O).
    OutOfScope,
}

/// The sums of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// The sum of the lines.
    pub lines: Decimal,
    /// The sum without tax.
    pub net: Decimal,
    /// The tax.
    pub tax: Decimal,
    /// The sum with tax.
    pub gross: Decimal,
    /// What was paid before.
    pub prepaid: Option<Decimal>,
    /// What the payable amount was rounded by.
    pub rounding: Option<Decimal>,
    /// What is to be paid.
    pub payable: Decimal,
}

/// How and until when an invoice is paid.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payment {
    /// The last day of payment.
    pub due: Option<Date>,
    /// Discounts for early payment.
    pub discounts: Vec<CashDiscount>,
    /// Further paragraphs, for example how it was paid.
    pub terms: Vec<String>,
    /// The account to pay to.
    pub account: Option<Account>,
    /// What the payer states.
    pub reference: Option<String>,
    /// Whether the payment part of the Swiss QR-bill is added, for the payable amount.
    pub swiss: Option<SwissBill>,
}

/// A discount for early payment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CashDiscount {
    /// The last day of it.
    pub until: Date,
    /// The discount in percent.
    pub percent: Decimal,
    /// What is to be paid then.
    pub payable: Option<Decimal>,
}

/// A bank account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// Its IBAN.
    pub iban: String,
    /// The BIC of the bank.
    pub bic: Option<String>,
    /// The name of the bank.
    pub bank: Option<String>,
}

/// What the payment part of a Swiss QR-bill has besides seller, buyer, account, currency and payable amount.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SwissBill {
    /// For a QR-IBAN the QR reference of 27 digits (reference type QRR); for another IBAN a creditor reference of ISO 11649
    /// (`RF…`, type SCOR), or none (type NON).
    pub reference: Option<String>,
    /// A message to the payer.
    pub message: Option<String>,
    /// Coded information of the seller, for example by the syntax of Swico (`//S1/…`).
    pub bill_information: Option<String>,
}

/// Something that is printed otherwise than it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The fonts do not have a character.
    Character {
        /// The character.
        character: char,
        /// What is printed for it: usual signs, nothing for a loose accent, otherwise `□`.
        printed: String,
    },
    /// The QR-bill has no room for a text, or no characters for it.
    Bill {
        /// The member, for example `buyer.name`.
        field: &'static str,
        /// What the QR-bill says.
        printed: String,
    },
    /// The QR-bill names no payer, but has a box for name and address: a member cannot be written in its characters, or
    /// is missing.
    NoPayer {
        /// The member, for example `buyer.name`.
        field: &'static str,
    },
}
