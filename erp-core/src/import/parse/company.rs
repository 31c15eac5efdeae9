//! Converts rows of company settings and tax codes.

use smol_str::SmolStr;

use super::Reader;
use crate::domain::master::{Company, PaymentCondition, TaxClass, TaxCode, TaxRate};
use crate::import::rows::{CompanyRow, TaxCodeRow, TaxRateRow};
use crate::values::problem::Code;
use crate::wire::members::{Range, present};

impl Reader<'_> {
    pub(super) fn company(&mut self, row: CompanyRow) -> Option<Company> {
        let default = Company::default();
        let name = self.required_text("FirmaBez", row.name);
        let language = self
            .language("AdrSprache", row.language)
            .unwrap_or(default.language);
        self.language = language;
        let payment_conditions = self.each(
            "Zahlungsbedingungen",
            row.payment_conditions,
            |reader, row| {
                let texts = reader.texts("Text", None, row.texts, |row| row.text.clone());
                let number = reader.required("KundBedTyp", row.payment_condition)?;
                Some((number, PaymentCondition(texts)))
            },
        );
        let time_zone = row.time_zone.filter(|name| !name.trim().is_empty());
        Some(Company {
            name: name?,
            currency: self
                .currency("WaehrAbk", row.currency)
                .unwrap_or(default.currency),
            language,
            country: self
                .country("OrtLand", row.country)
                .unwrap_or(default.country),
            time_zone: time_zone.unwrap_or(default.time_zone),
            price_kind: self
                .price_kind("Preisart", row.price_kind)
                .unwrap_or(default.price_kind),
            price_list: self.key("RESTPreisliste", row.price_list),
            tax_code: self.key("WUSTCode", row.tax_code),
            delivery_tax_code: self.key("LiefKostWUSTCode", row.delivery_tax_code),
            location: row.location.unwrap_or(default.location),
            payment_conditions: payment_conditions.into_iter().collect(),
            attributes: self.attributes(row.attributes),
        })
    }

    pub(super) fn tax_code(&mut self, row: TaxCodeRow) -> Option<TaxCode> {
        let id = self.required_key("WUSTCode", row.code);
        let class = self.tax_class(row.class);
        let names = self.texts("Text", None, row.texts, |row| row.text.clone());
        let rates = self.each("Saetze", row.rates, |reader, row| reader.tax_rate(row));
        Some(TaxCode {
            id: id?,
            class: class?,
            names,
            rates,
        })
    }

    fn tax_class(&mut self, value: Option<SmolStr>) -> Option<TaxClass> {
        let name = "PosWUSTKlasse";
        let value = self.required(name, present(value.as_ref()))?.trim();
        match TaxClass::parse(value) {
            Some(class) => Some(class),
            None => {
                let message = format!("`{value}` is none of D, C, X");
                self.refuse(name, Code::UnknownValue, message)
            }
        }
    }

    fn tax_rate(&mut self, row: TaxRateRow) -> Option<TaxRate> {
        let valid_from = self.day("GueltigAb", row.valid_from);
        let valid_from = self.required("GueltigAb", valid_from);
        let valid_until = self.day("GueltigBis", row.valid_until);
        let rate = self.required_number("WUSTSatz", row.rate, Range::PERCENT);
        Some(TaxRate {
            valid_from: valid_from?,
            valid_until,
            rate: rate?,
            turnover_figure: self.text("PosUSTUZiffer", row.turnover_figure),
            sales_tax_figure: self.text("PosUSTSZiffer", row.sales_tax_figure),
            input_tax_figure: self.text("PosVSTSZiffer", row.input_tax_figure),
        })
    }
}
