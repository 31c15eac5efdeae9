//! Converts rows of customers with their addresses.

use smol_str::SmolStr;

use super::Reader;
use crate::domain::address::Address;
use crate::domain::master::{Customer, CustomerAddress};
use crate::domain::request::PaymentMethod;
use crate::import::rows::{AddressRow, CustomerRow};
use crate::values::problem::Code;
use crate::values::text::Text;

impl Reader<'_> {
    pub(super) fn customer(&mut self, row: CustomerRow) -> Option<Customer> {
        let number = self.customer_number(row.number);
        let contact = self.required("KontaktAdr", row.contact);
        let contact = contact.and_then(|row| {
            let path = *self.path;
            self.at(&path.member("KontaktAdr")).address(row)
        });
        let delivery = self.each("LiefAdr", row.delivery, |reader, row| reader.address(row));
        let billing = self.each("RechAdr", row.billing, |reader, row| reader.address(row));
        let currency = self.required_currency("WaehrAbk", row.currency);
        let language = self.language("AdrSprache", row.language);
        let contact = contact?;
        Some(Customer {
            designation: self
                .name("KundBez", row.designation)
                .unwrap_or_else(|| Customer::designation_of(&contact.address)),
            currency: currency?,
            language: language.unwrap_or(contact.address.language),
            payment_type: self.name("FAKTZahlArt", row.payment_type),
            payment_methods: self.payment_methods(row.payment_methods),
            industry: self.text("BrancheID", row.industry),
            shipping_condition: self.key("VBTyp", row.shipping_condition),
            transport_insurance: self.key("TVTyp", row.transport_insurance),
            expense_calculation: self.name("AUFT_SPESEN", row.expense_calculation),
            comment: self.text("Kommentar", row.comment),
            tax_number: self.name("SteuerNummer", row.tax_number),
            website: self.name("FirmenURL", row.website),
            credit_limit: self.credit_limit(row.credit_limit)?,
            price_list: self.key("PreisListe", row.price_list),
            cost_bearer: self.key("KTNr", row.cost_bearer),
            tax_code: self.key("WUSTCode", row.tax_code),
            payment_condition: row.payment_condition,
            attributes: self.attributes(row.attributes),
            number: number?,
            contact,
            delivery,
            billing,
        })
    }

    fn credit_limit(&mut self, value: Option<i32>) -> Option<i32> {
        match value.unwrap_or_default() {
            limit if limit < 0 => self.refuse(
                "KreditLimit",
                Code::OutOfRange,
                "a credit limit is not below 0",
            ),
            limit => Some(limit),
        }
    }

    fn customer_number(&mut self, value: Option<SmolStr>) -> Option<Text<8>> {
        let number: Text<8> = self.required_key("KundNr", value)?;
        let is_number =
            number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        if is_number {
            return Some(number);
        }
        self.refuse(
            "KundNr",
            Code::Malformed,
            format!("`{number}` is no number of decimal digits"),
        )
    }

    fn payment_methods(&mut self, value: Option<SmolStr>) -> Vec<PaymentMethod> {
        let parse = PaymentMethod::parse_list;
        let parsed =
            self.members()
                .parsed("ZahlungsMethode", value.as_ref(), Code::UnknownValue, parse);
        parsed.unwrap_or_default()
    }

    fn address(&mut self, row: AddressRow) -> Option<CustomerAddress> {
        let number = self.address_number(row.number);
        let (body, attributes) = row.split();
        let attributes = self.attributes(attributes);
        let address = Address::check(&body, self.path, self.problems)?;
        Some(CustomerAddress {
            number: number?,
            address,
            attributes,
        })
    }

    /// The number of an address; 0 if the row has none.
    fn address_number(&mut self, value: Option<i32>) -> Option<i32> {
        match value {
            Some(number) if number < 1 => self.refuse(
                "AdrNr",
                Code::OutOfRange,
                "an address number is a number from 1 on",
            ),
            value => Some(value.unwrap_or_default()),
        }
    }
}
