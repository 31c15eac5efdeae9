//! What the invoice of an order says, and what is missing for it.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use rust_decimal::Decimal;

use super::units::unit_code;
use super::{Invoice, InvoiceKind, InvoiceLine, InvoiceNumber, InvoiceTax, Party};
use crate::domain::address::Address;
use crate::domain::document::{
    Document, DocumentAddress, Order, Position, in_output_order, tax_day,
};
use crate::domain::master::{
    ArticleNumber, Company, Customer, PaymentCondition, TaxCategory, TaxCode, TaxCodeId, TaxTable,
    modulo_97,
};
use crate::domain::totals::{PriceKind, amount_of};
use crate::values::codes::{Country, Currency, Language};
use crate::values::limits::FRACTION_DIGITS;
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::Sentence;
use crate::values::text::Text;

/// The most fraction digits that an amount of EN 16931 has.
const INVOICE_DIGITS: u32 = 2;

const QR_BILL_AT_MOST: Decimal = Decimal::from_parts(1_215_752_191, 23, 0, false, 2);

/// Ways of payment of the interface: by card, outside the business system, and by invoice.
const BY_CARD: &str = "K";
const BY_INVOICE: &str = "R";

/// Means of payment (UNTDID 4461).
const TRANSFER: &str = "30";
const CARD: &str = "48";
const SEPA_TRANSFER: &str = "58";
const ONLINE: &str = "68";

/// All that an invoice is made of.
#[derive(Clone, Copy, Debug)]
pub struct Invoicing<'a> {
    /// The order.
    pub order: &'a Order,
    /// The company, which is the seller.
    pub company: &'a Company,
    /// The customer; `None` when there is none any more.
    pub customer: Option<&'a Customer>,
    /// The tax codes.
    pub taxes: &'a TaxTable,
    /// The units of the articles in the positions.
    pub units: &'a BTreeMap<ArticleNumber, Text<12>>,
    /// The time zone of the company.
    pub zone: &'a TimeZone,
    /// Now.
    pub now: Timestamp,
}

// rule: D-INV-01, D-INV-02
/// The invoice of an order.
///
/// # Errors
/// Everything that the law or EN 16931 requires and the data lack, by name; what EN 16931 cannot express.
pub fn decide_invoice(of: &Invoicing<'_>, number: InvoiceNumber) -> Result<Invoice, Problems> {
    let mut problems = Problems::new();
    let invoice = of.invoice(number, &mut problems);
    problems.or_else_value(invoice)
}

struct InvoicePayment<'a> {
    means: Option<&'static str>,
    iban: Option<&'a Text<34>>,
    reference: String,
    has_qr_bill: bool,
    paid: Decimal,
    notices: Vec<Sentence>,
}

/// Category and rate, with all that they sum up to. Higher rates come first, as in the recap.
struct TaxGroup<'a> {
    category: TaxCategory,
    rate: Decimal,
    net: Decimal,
    tax: Decimal,
    codes: Vec<&'a TaxCode>,
}

type Categories<'a> = BTreeMap<&'a TaxCodeId, TaxCategory>;

impl<'a> Invoicing<'a> {
    fn invoice(&self, number: InvoiceNumber, problems: &mut Problems) -> Option<Invoice> {
        let document = &self.order.document;
        self.check_currency(problems);
        let groups = self.tax_groups(problems);
        let seller = self.seller(problems);
        let buyer = self.buyer(problems);
        let leitweg_id = self.leitweg_id().cloned();
        self.check_parties(&groups, problems);
        if leitweg_id.is_some() {
            self.check_xrechnung(problems);
        }
        let sums = &document.sums;
        let total = sums.gross.checked_add(sums.cash_rounding)?;
        let payment = self.payment(&number, total);
        let (payment_terms, due_on) = self.terms(payment.paid, problems);
        if leitweg_id.is_some() && payment.means.is_none() {
            problems.missing("Firma.IBAN");
        }
        if !problems.is_empty() {
            return None;
        }
        let lines = self.lines(&groups);
        if lines.is_none() {
            let path = Path::ROOT.member("Positionen");
            problems.add(&path, Code::OutOfRange, sentence!("out_of_range.order"));
        }
        let lines = lines?;
        let lines_net: Decimal = lines.iter().map(|line| line.net).sum();
        let taxes = self.taxes_of(&groups, &lines, problems)?;
        Some(Invoice {
            number,
            kind: InvoiceKind::Invoice,
            date: self.day(),
            canceled: None,
            canceled_date: None,
            order: self.order.number.clone(),
            customer: self.order.customer.clone(),
            purchase_order: self.purchase_order(),
            leitweg_id,
            delivered_on: tax_day(
                document.delivery_at,
                Some(document.ordered_at),
                self.now,
                self.zone,
            ),
            due_on,
            payment_terms,
            language: self.language(),
            currency: document.currency,
            price_kind: document.kind,
            seller: self.without_vat_id(seller?, &taxes),
            buyer: self.without_vat_id(buyer?, &taxes),
            delivery: document.addresses.delivery.as_ref().map(party_of),
            means: payment.means.and_then(|means| Text::new(means).ok()),
            reference: Text::new(&payment.reference).unwrap_or_default(),
            has_qr_bill: payment.has_qr_bill,
            bic: self
                .company
                .issuer
                .bic
                .clone()
                .filter(|_| payment.iban.is_some()),
            iban: payment.iban.cloned(),
            lines_net,
            delivery_net: taxes.iter().map(|tax| tax.delivery_net).sum(),
            lines,
            taxes,
            net: document.sums.net,
            tax: document.sums.tax,
            gross: document.sums.gross,
            rounding: document.sums.cash_rounding,
            paid: payment.paid,
            payable: total.saturating_sub(payment.paid),
            notices: payment.notices.iter().map(Sentence::in_each).collect(),
        })
    }

    fn day(&self) -> Date {
        self.zone.to_datetime(self.now).date()
    }

    fn language(&self) -> Language {
        self.customer
            .map_or(self.company.language, |customer| customer.details.language)
    }

    fn leitweg_id(&self) -> Option<&'a Text<46>> {
        self.customer?.leitweg_id.as_deref()
    }

    fn purchase_order(&self) -> Option<Text<60>> {
        let document = &self.order.document;
        let foreign = document.foreign_number.as_ref();
        let foreign = foreign.and_then(|number| Text::new(number).ok());
        foreign.or_else(|| document.reference.clone())
    }

    fn check_currency(&self, problems: &mut Problems) {
        let currency: Currency = self.order.document.currency;
        if currency.minor_digits() > INVOICE_DIGITS {
            let digits = currency.minor_digits();
            let most = INVOICE_DIGITS;
            let message = sentence!("invoice_rule.fraction_digits", currency, digits, most);
            problems.add("GrundDaten.WaehrAbk", Code::InvoiceRule, message);
        }
        if self.order.document.positions.is_empty() {
            let message = sentence!("positions_missing.invoice");
            problems.add("Positionen", Code::PositionsMissing, message);
        }
    }

    /// The category of each tax code of the order.
    fn categories(&self, problems: &mut Problems) -> Categories<'a> {
        let root = Path::ROOT.member("Steuer");
        let mut categories = Categories::new();
        for entry in &self.order.document.recap {
            let path = root.member(&entry.code);
            let Some(code) = self.taxes.get(&entry.code) else {
                let message = sentence!("unknown_tax_code.any_more", code = entry.code);
                problems.add(&path, Code::UnknownTaxCode, message);
                continue;
            };
            let is_taxed = !entry.rate.is_zero();
            let Some(category) = code.category.or(is_taxed.then_some(TaxCategory::Standard)) else {
                problems.missing(&path.member("Kategorie"));
                continue;
            };
            if is_taxed != (category == TaxCategory::Standard) {
                let (category, rate) = (category.as_str(), entry.rate.normalize());
                let message = sentence!("contradiction.category", category, rate);
                problems.add(&path.member("Kategorie"), Code::Contradiction, message);
            }
            if category.needs_reason() && code.exemption_reasons.is_empty() {
                problems.missing(&path.member("BefreiungsGrund"));
            }
            categories.insert(&entry.code, category);
        }
        categories
    }

    fn tax_groups(&self, problems: &mut Problems) -> Vec<TaxGroup<'a>> {
        let categories = self.categories(problems);
        let mut groups: Vec<TaxGroup<'a>> = Vec::new();
        for entry in &self.order.document.recap {
            let Some(category) = categories.get(&entry.code).copied() else {
                continue;
            };
            let is_same =
                |group: &&mut TaxGroup<'a>| (group.category, group.rate) == (category, entry.rate);
            let codes = self.taxes.get(&entry.code);
            match groups.iter_mut().find(is_same) {
                Some(group) => {
                    group.net = group.net.saturating_add(entry.net);
                    group.tax = group.tax.saturating_add(entry.tax);
                    group.codes.extend(codes);
                }
                None => groups.push(TaxGroup {
                    category,
                    rate: entry.rate,
                    net: entry.net,
                    tax: entry.tax,
                    codes: codes.into_iter().collect(),
                }),
            }
        }
        let is_free = |group: &TaxGroup<'_>| group.category == TaxCategory::NotSubject;
        if groups.len() > 1 && groups.iter().any(is_free) {
            let message = sentence!("invoice_rule.not_subject");
            problems.add("Positionen", Code::InvoiceRule, message);
        }
        groups
    }

    fn seller(&self, problems: &mut Problems) -> Option<Party> {
        let (company, issuer) = (self.company, &self.company.issuer);
        let path = Path::ROOT.member("Firma");
        let mut require = |name: &str, is_there: bool| {
            if !is_there {
                problems.missing(&path.member(name));
            }
        };
        require("FirmaBez", !company.name.is_empty());
        require("AdrAdresse1", issuer.street.is_some());
        require("OrtPLZ", issuer.postal_code.is_some());
        require("OrtName", issuer.town.is_some());
        if issuer.vat_id.is_none() && issuer.tax_number.is_none() {
            require("UStIdNr", false);
        }
        Some(Party {
            name: company.name.clone(),
            name_addition: None,
            street: issuer.street.clone()?,
            street_addition: issuer.street_addition.clone(),
            postal_code: issuer.postal_code.clone()?,
            town: issuer.town.clone()?,
            country: Some(company.country),
            vat_id: issuer.vat_id.clone(),
            tax_number: issuer.tax_number.clone(),
            register_entry: issuer.register_entry.clone(),
            contact_name: issuer.contact_name.clone(),
            phone: issuer.phone.clone(),
            email: issuer.email.clone(),
        })
    }

    fn buyer(&self, problems: &mut Problems) -> Option<Party> {
        let billing = self.order.document.addresses.billing.as_ref();
        if billing.is_none() {
            problems.missing("Adressen.RechAdr");
        }
        Some(Party {
            vat_id: self.customer.and_then(|customer| customer.vat_id.clone()),
            ..party_of(billing?)
        })
    }

    /// The identifiers that categories need of both parties.
    fn check_parties(&self, groups: &[TaxGroup<'_>], problems: &mut Problems) {
        let has = |wanted: &[TaxCategory]| {
            let mut groups = groups.iter();
            groups.any(|group| wanted.contains(&group.category))
        };
        let issuer = &self.company.issuer;
        let needs_id = has(&[TaxCategory::IntraCommunity, TaxCategory::Export]);
        if needs_id && issuer.vat_id.is_none() {
            problems.missing("Firma.UStIdNr");
        }
        let needs_buyer = has(&[TaxCategory::IntraCommunity, TaxCategory::ReverseCharge]);
        let buyer_id = self.customer.and_then(|customer| customer.vat_id.as_ref());
        if needs_buyer && buyer_id.is_none() {
            problems.missing("Kunde.UStIdNr");
        }
        let is_free = has(&[TaxCategory::NotSubject]);
        if is_free && issuer.register_entry.is_none() && issuer.tax_number.is_none() {
            problems.missing("Firma.RegisterNr");
        }
    }

    /// What XRechnung requires beyond EN 16931.
    fn check_xrechnung(&self, problems: &mut Problems) {
        let issuer = &self.company.issuer;
        let path = Path::ROOT.member("Firma");
        for (name, is_there) in [
            ("KontaktName", issuer.contact_name.is_some()),
            ("AdrTf1", issuer.phone.is_some()),
            ("EmailAdress", issuer.email.is_some()),
        ] {
            if !is_there {
                problems.missing(&path.member(name));
            }
        }
    }

    /// The text of the order's payment condition, and the day that the company's or the condition's days lead to.
    fn terms(&self, paid: Decimal, problems: &mut Problems) -> (Option<Text<255>>, Option<Date>) {
        let document = &self.order.document;
        let text = self
            .company
            .payment_text(document.payment_condition, self.language());
        let condition = self.condition();
        if !paid.is_zero() {
            // A text that asks for a payment would ask for it again.
            let text = text.filter(|_| condition.is_some_and(|condition| condition.is_paid));
            return (text.cloned(), None);
        }
        // The days of the company are not those of a condition with a text of its own.
        let days = condition.and_then(|condition| condition.days_until_due);
        let of_company = self
            .company
            .issuer
            .days_until_due
            .filter(|_| text.is_none());
        let due = days.or(of_company);
        let due = due.and_then(|days| self.day().checked_add(days.days()).ok());
        if text.is_none() && due.is_none() && !document.sums.gross.is_zero() {
            problems.missing("Firma.ZahlFrist");
        }
        (text.cloned(), due)
    }

    fn condition(&self) -> Option<&'a PaymentCondition> {
        let condition = self.order.document.payment_condition?;
        self.company.payment_conditions.get(&condition)
    }

    // rule: D-INV-11
    /// How the order was paid, if it was: its own payments say so, or its condition. What a customer says with a token of
    /// its own is a claim.
    fn paid_by(&self) -> Option<&'static str> {
        let payments = &self.order.document.payments;
        let values = |name: &'static str| {
            let named = payments
                .iter()
                .filter(move |payment| payment.name.as_deref().map(str::trim) == Some(name));
            named.filter_map(|payment| payment.value.as_deref().map(str::trim))
        };
        let method = |wanted| values("payment_method").any(|method| method == wanted);
        let has_id = values("TransID").any(|id| !id.is_empty());
        let by_condition = self.condition().is_some_and(|condition| condition.is_paid);
        let is_paid = method(BY_CARD) || has_id && !method(BY_INVOICE) || by_condition;
        // XRechnung wants data of the card, which nobody has here.
        let is_card = method(BY_CARD) && self.leitweg_id().is_none();
        (is_paid && !self.order.by_customer).then_some(if is_card { CARD } else { ONLINE })
    }

    // rule: D-INV-08
    /// How an amount is or was paid. A QR-bill is never left out without saying why, where the company has an account for it.
    fn payment(&self, number: &str, total: Decimal) -> InvoicePayment<'a> {
        let (currency, issuer) = (self.order.document.currency, &self.company.issuer);
        let of_qr = issuer.qr_iban.as_deref();
        let of_qr = of_qr.or(issuer.iban.as_ref().filter(|iban| iban.is_qr()));
        let plain = issuer.iban.as_ref().filter(|iban| !iban.is_qr());
        let paid = self.paid_by().filter(|_| total > Decimal::ZERO);
        let billing = self.order.document.addresses.billing.as_ref();
        let home = billing.map(|billing| billing.address.country);
        let forbids = if paid.is_some() {
            Some(sentence!("notice.no_qr_bill.paid"))
        } else if !matches!(currency, Currency::CHF | Currency::EUR) {
            Some(sentence!("notice.no_qr_bill.currency", currency))
        } else if !matches!(home, Some(Country::CH | Country::LI)) {
            Some(sentence!("notice.no_qr_bill.abroad"))
        } else if total < Decimal::new(1, 2) || total > QR_BILL_AT_MOST {
            Some(sentence!("notice.no_qr_bill.amount", amount = total))
        } else {
            None
        };
        let of_bill = of_qr.or(plain.filter(|iban| iban.is_swiss()));
        let mut notices = Vec::new();
        let bill = match (forbids, of_bill) {
            (None, bill) => bill,
            (Some(_), None) => None,
            (Some(reason), Some(_)) => {
                notices.push(reason);
                None
            }
        };
        let iban = bill.or(plain).filter(|_| paid.is_none());
        if iban.is_none() && of_qr.is_some() && paid.is_none() && !total.is_zero() {
            notices.push(sentence!("notice.no_qr_bill.account"));
        }
        let transfer = if currency == Currency::EUR {
            SEPA_TRANSFER
        } else {
            TRANSFER
        };
        InvoicePayment {
            means: paid.or(iban.map(|_| transfer)),
            paid: paid.map_or(Decimal::ZERO, |_| total),
            reference: match bill {
                Some(iban) if iban.is_qr() => qr_reference(number),
                Some(_) => creditor_reference(number),
                None => number.to_owned(),
            },
            has_qr_bill: bill.is_some(),
            iban: iban.map(|iban| &**iban),
            notices,
        }
    }

    fn lines(&self, groups: &[TaxGroup<'_>]) -> Option<Vec<InvoiceLine>> {
        let positions = in_output_order(&self.order.document.positions);
        let mut pairs = positions.iter().zip(positions.iter().skip(1));
        let is_double = pairs.any(|(one, next)| one.visible_number == next.visible_number);
        let number = |position: &Position| match is_double {
            true => position.number,
            false => position.visible_number,
        };
        let positions = positions.into_iter();
        positions
            .map(|position| self.line(position, number(position), groups))
            .collect()
    }

    // rule: D-INV-06
    fn line(
        &self,
        position: &Position,
        number: i32,
        groups: &[TaxGroup<'_>],
    ) -> Option<InvoiceLine> {
        let document: &Document = &self.order.document;
        let digits = document.currency.minor_digits();
        let package = position.package.as_ref();
        let (quantity, price) = (position.count(), position.price_in(document.kind)?);
        let basis = position.price.basis;
        let before = amount_of(quantity, price, basis, digits)?;
        let discount = before.checked_sub(position.total)?;
        let is_group = |group: &&TaxGroup<'_>| {
            let mut codes = group.codes.iter();
            group.rate == position.tax_rate && codes.any(|code| code.id == position.tax_code)
        };
        let group = groups.iter().find(is_group)?;
        let order_price = (price, basis);
        let (before, discount, price, basis) = match document.kind {
            PriceKind::Net => (before, discount, price, basis),
            PriceKind::Gross => {
                let hundred = Decimal::ONE_HUNDRED;
                let with_tax = hundred.checked_add(position.tax_rate)?;
                let discount = amount_of(discount, hundred, with_tax, digits)?;
                let before = position.net.checked_add(discount)?;
                (before, discount, net_price(before, quantity)?, Decimal::ONE)
            }
        };
        let (price, price_basis) = exact_price((price, basis), quantity, before);
        let unit = package.map(|package| package.unit.clone());
        let unit = unit.or_else(|| {
            let unit = self.units.get(&position.article)?;
            Text::new(unit).ok()
        });
        let code = unit_code(unit.as_deref(), package.is_some());
        Some(InvoiceLine {
            number,
            article: position.article.clone(),
            description: position.description.clone(),
            quantity,
            unit,
            unit_code: Text::new(code).ok()?,
            price,
            price_basis,
            before_discount: before,
            discount_rate: position.discount_rate,
            discount,
            net: position.net,
            order_price: order_price.0,
            order_price_basis: order_price.1,
            order_total: position.total,
            category: group.category,
            tax_rate: position.tax_rate,
        })
    }

    fn taxes_of(
        &self,
        groups: &[TaxGroup<'_>],
        lines: &[InvoiceLine],
        problems: &mut Problems,
    ) -> Option<Vec<InvoiceTax>> {
        let mut taxes = Vec::with_capacity(groups.len());
        for group in groups {
            let of_group = lines
                .iter()
                .filter(|line| (line.category, line.tax_rate) == (group.category, group.rate));
            let net: Decimal = of_group.map(|line| line.net).sum();
            let delivery_net = group.net.checked_sub(net)?;
            if delivery_net.is_sign_negative() && !delivery_net.is_zero() {
                let message = sentence!("invoice_rule.lines");
                problems.add("MWSTRekapitulation", Code::InvoiceRule, message);
                return None;
            }
            let (reason, code) = self.exemption(group);
            taxes.push(InvoiceTax {
                category: group.category,
                rate: group.rate,
                net: group.net,
                tax: group.tax,
                delivery_net,
                exemption_reason: reason,
                exemption_code: code,
            });
        }
        Some(taxes)
    }

    /// The reasons of all codes of a group, each once, and the code of the reason where they have the same.
    fn exemption(&self, group: &TaxGroup<'_>) -> (Option<Text<1000>>, Option<Text<40>>) {
        if !group.category.needs_reason() {
            return (None, None);
        }
        let language = self.language();
        let mut reasons: Vec<&str> = Vec::new();
        for code in &group.codes {
            let reason = self.company.translation(&code.exemption_reasons, language);
            let reason = reason.map(|reason| reason.as_str());
            reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
        }
        let mut codes = group.codes.iter().map(|code| code.exemption_code.as_ref());
        let first = codes.next().flatten();
        let is_one = codes.all(|code| code == first);
        let joined: String = reasons.join("; ").chars().take(1000).collect();
        (Text::new(&joined).ok(), first.filter(|_| is_one).cloned())
    }

    /// An invoice of what is not subject to tax must not have VAT identifiers.
    fn without_vat_id(&self, party: Party, taxes: &[InvoiceTax]) -> Party {
        let is_free = |tax: &InvoiceTax| tax.category == TaxCategory::NotSubject;
        Party {
            vat_id: party.vat_id.filter(|_| !taxes.iter().any(is_free)),
            ..party
        }
    }
}

/// The net unit price of an amount, with six fraction digits.
fn net_price(amount: Decimal, quantity: Decimal) -> Option<Decimal> {
    let price = amount_of(amount, Decimal::ONE, quantity, FRACTION_DIGITS)?;
    Some(price.normalize())
}

/// A price with its basis, where it leads to the amount; otherwise the amount as the price of the whole quantity. Cents count
/// in currencies without cents too, because the official rules compare with them.
fn exact_price(
    (price, basis): (Decimal, Decimal),
    quantity: Decimal,
    amount: Decimal,
) -> (Decimal, Decimal) {
    match amount_of(quantity, price, basis, INVOICE_DIGITS) == Some(amount) {
        true if basis.is_zero() => (price, Decimal::ONE),
        true => (price, basis),
        false => (amount, quantity),
    }
}

fn party_of(copy: &DocumentAddress) -> Party {
    let address: &Address = &copy.address;
    let person = match (&address.first_name, &address.last_name) {
        (Some(first), Some(last)) => Some(format!("{first} {last}")),
        (first, last) => first.as_ref().or(last.as_ref()).map(ToString::to_string),
    };
    let person = person.filter(|_| address.company.is_some());
    let addition = address.company_addition.as_ref();
    let addition = addition.and_then(|text| Text::new(text).ok());
    Party {
        name: Text::new(&address.addressee()).unwrap_or_default(),
        name_addition: addition,
        street: address.street.clone(),
        street_addition: address.street_addition.clone(),
        postal_code: address.postal_code.clone(),
        town: address.town.clone(),
        country: Some(address.country),
        contact_name: person.and_then(|person| Text::new(&person).ok()),
        phone: address.phone.clone(),
        email: address.email.clone(),
        ..Party::default()
    }
}

/// A QR reference: 26 digits with a check digit (modulo 10, recursive).
fn qr_reference(number: &str) -> String {
    const NEXT: [u32; 10] = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];
    let digits = format!("{number:0>26}");
    let carry = digits.chars().fold(0_u32, |carry, digit| {
        let digit = digit.to_digit(10).unwrap_or_default();
        let at = usize::try_from(carry.saturating_add(digit) % 10).unwrap_or_default();
        NEXT.get(at).copied().unwrap_or_default()
    });
    let check = 10_u32.saturating_sub(carry) % 10;
    format!("{digits}{check}")
}

/// A creditor reference (ISO 11649).
fn creditor_reference(number: &str) -> String {
    let rest = modulo_97(&[number, "RF00"]).unwrap_or_default();
    let check = 98_u32.saturating_sub(rest);
    format!("RF{check:02}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-INV-08
    #[test]
    fn references_have_their_check_digits() {
        // Samples of the guidelines of the QR-bill and of ISO 11649.
        assert_eq!(
            qr_reference("21000000000313947143000901"),
            "210000000003139471430009017"
        );
        assert_eq!(creditor_reference("539007547034"), "RF18539007547034");
        assert_eq!(qr_reference("185").len(), 27);
        assert_eq!(
            modulo_97(&["185", creditor_reference("185").get(..4).unwrap()]),
            Some(1)
        );
    }

    #[test]
    fn a_price_leads_to_its_amount() {
        let of = |amount: &str, quantity: &str| {
            let (amount, quantity) = (amount.parse().unwrap(), quantity.parse().unwrap());
            exact_price(
                (net_price(amount, quantity).unwrap(), Decimal::ONE),
                quantity,
                amount,
            )
        };
        let price = "9.203333".parse().unwrap();
        assert_eq!(of("27.61", "3"), (price, Decimal::ONE));
        let (amount, many) = ("12345.67".parse().unwrap(), "999999999".parse().unwrap());
        assert_eq!(of("12345.67", "999999999"), (amount, many));
    }
}
