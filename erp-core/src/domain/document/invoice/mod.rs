//! Invoices of orders, and the credit notes that cancel them.
//!
//! An invoice says everything itself: what it shows is copied when it is made and never computed again. [`cii`] writes it as
//! the XML of EN 16931, or of XRechnung when the customer has a `Leitweg-ID`.
//!
//! # How the amounts of an order become those of an invoice
//!
//! EN 16931 knows net amounts only. The net, tax and gross amount of each tax code and the sums are those of the order, to the
//! cent:
//!
//! - *Lines.* The net amount of a line is the net part of the position. A discount is an allowance of the line. The unit price
//!   of a net order is that of the order; of a gross order it is the net amount by the quantity, with six fraction digits, or
//!   where these do not lead to the amount, the price of the whole quantity (BT-149).
//! - *Delivery costs* are a charge of the document for each tax rate: the share that the order gives it.
//! - *Tax.* The tax of a gross order is what is in its prices, which may differ by a cent from rate times net amount; the
//!   official rule BR-CO-17 allows that.
//! - *Cash rounding* is the rounding amount (BT-114).

mod cii;
mod decide;
#[cfg(feature = "invoice-pages")]
mod pages;
mod units;

use erp_derive::{Record, Word, skip_serializing_none};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::OrderNumber;
use crate::domain::master::{ArticleNumber, CustomerNumber, TaxCategory};
use crate::domain::totals::PriceKind;
use crate::values::codes::{Country, Currency, Language};
use crate::values::text::Text;
use crate::wire::value::parsed;
use crate::wire::{Kind, Spelling};

pub use cii::cii;
pub use decide::{Invoicing, decide_invoice};
#[cfg(feature = "invoice-pages")]
pub use pages::invoice_pages;
#[cfg(feature = "invoice-pages")]
pub(crate) use pages::page_notices;

/// Means of payment (UNTDID 4461) of a credit note: both sides set off what they owe.
const SET_OFF: &str = "97";

/// An invoice number (`RechNr`).
pub type InvoiceNumber = Text<10>;

/// What a document of the sequence of invoices is (UNTDID 1001).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum InvoiceKind {
    /// `380`: an invoice.
    #[serde(rename = "380")]
    Invoice,
    /// `381`: a credit note, which cancels an invoice.
    #[serde(rename = "381")]
    CreditNote,
}

parsed! {
    InvoiceKind: Kind::Char(3), Spelling::Words(&Self::WORDS),
        read_word(Self::parse, |word| sentence!("unknown_value.invoice_type", word));
}

/// An invoice or a credit note, as it was made. It never changes.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Response = "InvoiceDocument", stored)]
pub struct Invoice {
    /// Invoice number; a credit note has its own of the same sequence.
    #[wire("RechNr", required)]
    pub number: InvoiceNumber,
    /// Kind: 380 invoice, 381 credit note.
    #[wire("RechTyp", required)]
    pub kind: InvoiceKind,
    /// Day of the invoice, in the time zone of the company.
    #[wire("RechDatum", required)]
    pub date: Date,
    /// The invoice that a credit note cancels.
    #[wire("RechZuNr")]
    pub canceled: Option<InvoiceNumber>,
    /// Day of the invoice that a credit note cancels.
    #[wire("RechZuDatum")]
    pub canceled_date: Option<Date>,
    /// Order number.
    #[wire("AuftNr", required)]
    pub order: OrderNumber,
    /// Customer number.
    #[wire("KundNr", char(8), required)]
    pub customer: CustomerNumber,
    /// Order number in the foreign system, otherwise the order reference.
    #[wire("AuftBestellNr")]
    pub purchase_order: Option<Text<60>>,
    /// Routing id of a public buyer; the XML is an XRechnung then.
    #[wire("LeitwegID")]
    pub leitweg_id: Option<Text<46>>,
    /// Day of the delivery: the delivery date of the order, otherwise the order date.
    #[wire("LieferDatum", required)]
    pub delivered_on: Date,
    /// Day on which it is due.
    #[wire("FaelligAm")]
    pub due_on: Option<Date>,
    /// Payment terms, in the language of the customer.
    #[wire("ZahlText")]
    pub payment_terms: Option<Text<255>>,
    /// Language of its texts.
    #[wire("AdrSprache", required)]
    pub language: Language,
    /// Currency of all amounts.
    #[wire("WaehrAbk", required)]
    pub currency: Currency,
    /// Kind of the order: N net, B gross. The amounts of an invoice are net in both.
    #[wire("Preisart", required)]
    pub price_kind: PriceKind,
    /// Who invoices.
    #[wire("Verkaeufer", object, required)]
    pub seller: Party,
    /// Who is invoiced.
    #[wire("Kaeufer", object, required)]
    pub buyer: Party,
    /// Where it was delivered to.
    #[wire("LiefAdr", object)]
    pub delivery: Option<Party>,
    /// How it is or was paid (UNTDID 4461): 30 transfer, 58 SEPA transfer, 48 card, 68 payment online, 97 set off.
    #[wire("ZahlArtCode")]
    pub means: Option<Text<3>>,
    /// What the payment states: the QR reference or creditor reference of the QR-bill, otherwise the invoice number.
    #[wire("ZahlReferenz", required)]
    pub reference: Text<27>,
    /// Whether its pages end with a Swiss QR-bill: J or N.
    #[wire("QRRechnung", yes_no, char(1), required)]
    pub has_qr_bill: bool,
    /// Account to pay to.
    #[wire("IBAN")]
    pub iban: Option<Text<34>>,
    /// Bank of the account.
    #[wire("BIC")]
    pub bic: Option<Text<11>>,
    /// The lines, in the order of the positions.
    #[wire("Positionen", list, required)]
    pub lines: Vec<InvoiceLine>,
    /// Taxes, one entry for each category and rate.
    #[wire("Steuern", list, required)]
    pub taxes: Vec<InvoiceTax>,
    /// Sum of the lines.
    #[wire("PosNetto", money, required)]
    pub lines_net: Decimal,
    /// Delivery costs without tax.
    #[wire("LiefKostNetto", money, required)]
    pub delivery_net: Decimal,
    /// Sum without tax.
    #[wire("RechNetto", money, required)]
    pub net: Decimal,
    /// Sum of the tax.
    #[wire("RechWUST", money, required)]
    pub tax: Decimal,
    /// Sum with tax.
    #[wire("RechBrutto", money, required)]
    pub gross: Decimal,
    /// Difference from rounding to the smallest coin.
    #[wire("Rundung", money, required)]
    pub rounding: Decimal,
    /// What the order said is paid.
    #[wire("RechBezahlt", money, required)]
    pub paid: Decimal,
    /// Amount to pay.
    #[wire("RechZahlbar", money, required)]
    pub payable: Decimal,
    /// What the office should know of it: why it has no QR-bill, what its pages show otherwise than its XML. Each in the
    /// languages of sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<[String; 4]>,
}

/// Seller, buyer or place of delivery of an invoice.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Response = "InvoiceParty", stored)]
pub struct Party {
    /// Company, or first and last name.
    #[wire("Name", required)]
    pub name: Text<255>,
    /// A further line of the name.
    #[wire("NameZusatz")]
    pub name_addition: Option<Text<80>>,
    /// Street and number.
    #[wire("AdrAdresse1", required)]
    pub street: Text<60>,
    /// Addition to the street.
    #[wire("AdrAdresse2")]
    pub street_addition: Option<Text<60>>,
    /// Postal code.
    #[wire("OrtPLZ", required)]
    pub postal_code: Text<10>,
    /// Town.
    #[wire("OrtName", required)]
    pub town: Text<48>,
    /// Country.
    #[wire("OrtLand", required)]
    pub country: Option<Country>,
    /// VAT identifier.
    #[wire("UStIdNr")]
    pub vat_id: Option<Text<24>>,
    /// Tax number.
    #[wire("SteuerNummer")]
    pub tax_number: Option<Text<20>>,
    /// Entry in the commercial register.
    #[wire("RegisterNr")]
    pub register_entry: Option<Text<60>>,
    /// Person or office to ask.
    #[wire("KontaktName")]
    pub contact_name: Option<Text<80>>,
    /// Phone.
    #[wire("AdrTf1")]
    pub phone: Option<Text<28>>,
    /// E-mail address.
    #[wire("EmailAdress")]
    pub email: Option<Text<255>>,
}

/// A line of an invoice.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Response = "InvoiceLine", stored)]
pub struct InvoiceLine {
    /// Number of the position as the order shows it; its `PosNr` where two show the same.
    #[wire("PosNr", required)]
    pub number: i32,
    /// Article number.
    #[wire("ArtNr", char(15), required)]
    pub article: ArticleNumber,
    /// Description.
    #[wire("PosBez")]
    pub description: Option<Text<2048>>,
    /// Quantity in the unit.
    #[wire("Anzahl", required)]
    pub quantity: Decimal,
    /// Unit: the packaging unit, otherwise that of the article.
    #[wire("Einheit")]
    pub unit: Option<Text<30>>,
    /// Code of the unit in UN/ECE recommendations 20 and 21.
    #[wire("EinheitCode", required)]
    pub unit_code: Text<3>,
    /// Net price of `PreisBasis` units, before the discount.
    #[wire("Preis", money, required)]
    pub price: Decimal,
    /// How many units the price is for.
    #[wire("PreisBasis", required)]
    pub price_basis: Decimal,
    /// Net amount before the discount.
    #[wire("BetragVorRabatt", money, required)]
    pub before_discount: Decimal,
    /// Discount in percent.
    #[wire("GRabSatz", required)]
    pub discount_rate: Decimal,
    /// Discount, net.
    #[wire("Rabatt", money, required)]
    pub discount: Decimal,
    /// Net amount after the discount.
    #[wire("PosBetragNetto", money, required)]
    pub net: Decimal,
    /// Price of `PosPreisBasis` units before the discount, net or gross like the order.
    #[wire("PosPreisEinzel", money, required)]
    pub order_price: Decimal,
    /// How many units the price of the order is for.
    #[wire("PosPreisBasis", required)]
    pub order_price_basis: Decimal,
    /// Amount as the order shows it, net or gross like the order.
    #[wire("PosPreisTotal", money, required)]
    pub order_total: Decimal,
    /// Tax category.
    #[wire("Kategorie", required)]
    pub category: TaxCategory,
    /// Tax rate in percent.
    #[wire("WUSTSatz", required)]
    pub tax_rate: Decimal,
}

/// The tax of one category and rate.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Response = "InvoiceTax", stored)]
pub struct InvoiceTax {
    /// Tax category: S taxed, Z rate 0, E exempt, AE reverse charge, K within the EU, G export, O not subject.
    #[wire("Kategorie", required)]
    pub category: TaxCategory,
    /// Rate in percent.
    #[wire("WUSTSatz", required)]
    pub rate: Decimal,
    /// Sum without tax, with the share of the delivery costs.
    #[wire("BetragNetto", money, required)]
    pub net: Decimal,
    /// The tax.
    #[wire("BetragWUST", money, required)]
    pub tax: Decimal,
    /// Delivery costs that are part of it, without tax.
    #[wire("LiefKostNetto", money, required)]
    pub delivery_net: Decimal,
    /// Why no tax is charged.
    #[wire("BefreiungsGrund")]
    pub exemption_reason: Option<Text<1000>>,
    /// Code of this reason.
    #[wire("BefreiungsCode")]
    pub exemption_code: Option<Text<40>>,
}

impl InvoiceLine {
    /// What it is called: the first line of the description, because many receivers show names in one line, or the article
    /// number; and the other lines.
    fn name_and_more(&self) -> (&str, &str) {
        let text = self.description.as_ref().map_or("", |text| text.trim());
        match text.split_once(['\n', '\r']).unwrap_or((text, "")) {
            ("", _) => (self.article.as_str(), ""),
            (name, more) => (name.trim_end(), more.trim_start()),
        }
    }
}

impl Invoice {
    /// The credit note that cancels this invoice: the same amounts, of another kind. Nothing of them is paid, and an account
    /// that takes QR-bills only is not in it.
    #[must_use]
    pub fn credit_note(&self, number: InvoiceNumber, date: Date) -> Self {
        let (means, iban) = match self.has_qr_bill {
            true => (Text::new(SET_OFF).ok(), None),
            false => (self.means.clone(), self.iban.clone()),
        };
        let today = self.payment_terms.is_none().then_some(date);
        Self {
            kind: InvoiceKind::CreditNote,
            date,
            canceled: Some(self.number.clone()),
            canceled_date: Some(self.date),
            due_on: self.due_on.map(|due| due.max(date)).or(today),
            bic: self.bic.clone().filter(|_| iban.is_some()),
            means,
            iban,
            reference: Text::new(&number).unwrap_or_default(),
            has_qr_bill: false,
            paid: Decimal::ZERO,
            payable: self.payable.saturating_add(self.paid),
            notices: Vec::new(),
            number,
            ..self.clone()
        }
    }
}
