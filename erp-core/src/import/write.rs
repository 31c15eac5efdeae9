//! Converts domain values to import rows, for exports.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::rows::{
    AddressRow, ArticleRow, CompanyRow, CustomerRow, DeclarationRow, MediaRow, PackagingUnitRow,
    PaymentConditionRow, PriceTierRow, StockRow, TaxCodeRow, TaxRateRow, TextRow,
};
use crate::domain::master::{
    Article, ArticleNumber, Attributes, Company, Customer, CustomerAddress, Declaration,
    PackagingUnit, PriceSet, PriceTier, StockEntry, TaxCode, TaxRate,
};
use crate::domain::media::Media;
use crate::domain::request::PaymentMethod;
use crate::values::codes::{Country, Language};
use crate::values::number::Number;
use crate::values::text::Text;
use crate::wire::Attribute;

/// A text as an import reads it: trailing blanks are padding, and a blank text counts as absent.
fn text<const MAX: usize>(value: &Text<MAX>) -> Option<SmolStr> {
    let text = value.trim_end_matches(' ');
    (!text.trim().is_empty()).then(|| SmolStr::new(text))
}

fn optional<const MAX: usize>(value: Option<&Text<MAX>>) -> Option<SmolStr> {
    value.and_then(text)
}

/// A text whose blanks an import keeps.
fn exact<const MAX: usize>(value: Option<&Text<MAX>>) -> Option<SmolStr> {
    value.map(|text| text.clone().into())
}

fn language(language: Language) -> Option<SmolStr> {
    Some(language.as_str().into())
}

fn country(country: Option<Country>) -> Option<SmolStr> {
    country.map(|country| country.as_str().into())
}

fn number(value: Option<Decimal>) -> Option<Number> {
    value.map(Number)
}

fn filled<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

fn yes_or_no(yes: bool) -> Option<SmolStr> {
    Some(SmolStr::new_static(if yes { "J" } else { "N" }))
}

fn attributes(attributes: &Attributes) -> Option<Vec<Attribute>> {
    let list = attributes.iter().map(|known| Attribute {
        key: text(&known.key),
        contents: text(&known.contents),
    });
    filled(list.collect())
}

fn texts<const MAX: usize>(
    texts: &BTreeMap<Language, Text<MAX>>,
    put: impl Fn(&mut TextRow, SmolStr),
) -> Option<Vec<TextRow>> {
    let list = texts.iter().filter_map(|(known, value)| {
        let mut row = TextRow {
            language: language(*known),
            ..TextRow::default()
        };
        put(&mut row, text(value)?);
        Some(row)
    });
    filled(list.collect())
}

impl From<&Company> for CompanyRow {
    fn from(company: &Company) -> Self {
        let condition = |(number, condition): (&u8, &crate::domain::master::PaymentCondition)| {
            PaymentConditionRow {
                payment_condition: Some(*number),
                texts: texts(&condition.0, |row, text| row.text = Some(text)),
            }
        };
        Self {
            name: text(&company.name),
            currency: Some(company.currency.as_str().into()),
            language: language(company.language),
            country: country(Some(company.country)),
            time_zone: Some(company.time_zone.clone()),
            price_kind: Some(SmolStr::new_static(company.price_kind.as_str())),
            price_list: optional(company.price_list.as_ref()),
            tax_code: optional(company.tax_code.as_ref()),
            delivery_tax_code: optional(company.delivery_tax_code.as_ref()),
            location: Some(company.location),
            payment_conditions: filled(company.payment_conditions.iter().map(condition).collect()),
            attributes: attributes(&company.attributes),
        }
    }
}

impl From<&TaxCode> for TaxCodeRow {
    fn from(code: &TaxCode) -> Self {
        Self {
            code: text(&code.id),
            class: Some(SmolStr::new_static(code.class.as_str())),
            texts: texts(&code.names, |row, text| row.text = Some(text)),
            rates: filled(code.rates.iter().map(TaxRateRow::from).collect()),
        }
    }
}

impl From<&TaxRate> for TaxRateRow {
    fn from(rate: &TaxRate) -> Self {
        Self {
            valid_from: Some(rate.valid_from.to_string().into()),
            valid_until: rate.valid_until.map(|day| day.to_string().into()),
            rate: Some(Number(rate.rate)),
            turnover_figure: optional(rate.turnover_figure.as_ref()),
            sales_tax_figure: optional(rate.sales_tax_figure.as_ref()),
            input_tax_figure: optional(rate.input_tax_figure.as_ref()),
        }
    }
}

impl ArticleRow {
    /// The article with its first `most` packaging units and declarations.
    pub(crate) fn of(article: &Article, most: usize) -> Self {
        let units = article.units.iter().take(most);
        let declarations = article.declarations.iter().take(most);
        Self {
            number: text(&article.number),
            stock_managed: yes_or_no(article.stock_managed),
            description: None,
            status: Some(article.status),
            unit: optional(article.unit.as_ref()),
            colour: optional(article.colour.as_ref()),
            tax_code: optional(article.tax_code.as_ref()),
            group: optional(article.group.as_ref()),
            class: optional(article.class.as_ref()),
            procurement: optional(article.procurement.as_ref()),
            processing: optional(article.processing.as_ref()),
            weight: number(article.weight),
            price_basis: number(article.price_basis),
            texts: texts(&article.texts, |row, text| row.article_text = Some(text)),
            attributes: attributes(&article.attributes),
            units: filled(units.map(|unit| PackagingUnitRow::of(None, unit)).collect()),
            declarations: filled(
                declarations
                    .map(|declaration| DeclarationRow::of(None, declaration))
                    .collect(),
            ),
            remove: None,
        }
    }
}

impl PackagingUnitRow {
    /// A packaging unit; with `article` for a row of its own.
    pub(crate) fn of(article: Option<&ArticleNumber>, unit: &PackagingUnit) -> Self {
        Self {
            article: optional(article),
            code: text(&unit.code),
            ean: optional(unit.ean.as_ref()),
            name: None,
            texts: texts(&unit.names, |row, text| row.unit_text = Some(text)),
            weight_factor: number(unit.weight_factor),
            weight: number(unit.weight),
            content_weight: number(unit.content_weight),
            factor: Some(Number(unit.factor)),
            remove: None,
        }
    }
}

impl DeclarationRow {
    /// A declaration; with `article` for a row of its own.
    pub(crate) fn of(article: Option<&ArticleNumber>, declaration: &Declaration) -> Self {
        Self {
            article: optional(article),
            number: Some(declaration.number),
            language: language(declaration.language),
            designation: optional(declaration.designation.as_ref()),
            designation_addition: optional(declaration.designation_addition.as_ref()),
            short_designation: optional(declaration.short_designation.as_ref()),
            country: country(declaration.country),
            remove: None,
        }
    }
}

impl PriceTierRow {
    /// A tier of a set.
    pub(crate) fn of(set: &PriceSet, tier: &PriceTier) -> Self {
        Self {
            unit: optional(set.unit.as_ref()),
            currency: Some(set.currency.as_str().into()),
            range: optional(tier.range.as_ref()),
            from: Some(Number(tier.from)),
            until: number(tier.until),
            price: Some(Number(tier.price)),
            kind: Some(SmolStr::new_static(set.kind.as_str())),
            basis: number(tier.basis),
        }
    }
}

impl StockRow {
    /// Stock of an article in one warehouse place.
    pub(crate) fn of(article: &ArticleNumber, entry: &StockEntry) -> Self {
        Self {
            article: text(article),
            place: text(&entry.place),
            location: Some(entry.location),
            quantity: Some(Number(entry.quantity)),
            unit: optional(entry.unit.as_ref()),
            range: optional(entry.range.as_ref()),
            released: Some(entry.released),
            remove: None,
        }
    }
}

impl From<&CustomerAddress> for AddressRow {
    fn from(known: &CustomerAddress) -> Self {
        let address = &known.address;
        Self {
            number: Some(known.number),
            language: language(address.language),
            email: exact(address.email.as_ref()),
            street: exact(Some(&address.street)),
            street_addition: exact(address.street_addition.as_ref()),
            salutation: Some(address.salutation.number()),
            fax: exact(address.fax.as_ref()),
            company: exact(address.company.as_ref()),
            company_addition: exact(address.company_addition.as_ref()),
            first_name: exact(address.first_name.as_ref()),
            last_name: exact(address.last_name.as_ref()),
            mobile: exact(address.mobile.as_ref()),
            phone: exact(address.phone.as_ref()),
            central_phone: exact(address.central_phone.as_ref()),
            country: country(Some(address.country)),
            town: exact(Some(&address.town)),
            postal_code: exact(Some(&address.postal_code)),
            check: address.check.map(i32::from),
            attributes: attributes(&known.attributes),
        }
    }
}

impl From<&Customer> for CustomerRow {
    fn from(customer: &Customer) -> Self {
        let addresses =
            |list: &[CustomerAddress]| filled(list.iter().map(AddressRow::from).collect());
        let methods = &customer.payment_methods;
        Self {
            number: text(&customer.number),
            designation: text(&customer.designation),
            currency: Some(customer.currency.as_str().into()),
            language: language(customer.language),
            industry: optional(customer.industry.as_ref()),
            payment_type: optional(customer.payment_type.as_ref()),
            payment_methods: (!methods.is_empty())
                .then(|| PaymentMethod::render_list(methods).into()),
            shipping_condition: optional(customer.shipping_condition.as_ref()),
            transport_insurance: optional(customer.transport_insurance.as_ref()),
            expense_calculation: optional(customer.expense_calculation.as_ref()),
            comment: optional(customer.comment.as_ref()),
            tax_number: optional(customer.tax_number.as_ref()),
            website: optional(customer.website.as_ref()),
            credit_limit: Some(customer.credit_limit),
            price_list: optional(customer.price_list.as_ref()),
            cost_bearer: optional(customer.cost_bearer.as_ref()),
            tax_code: optional(customer.tax_code.as_ref()),
            payment_condition: customer.payment_condition,
            attributes: attributes(&customer.attributes),
            contact: Some(AddressRow::from(&customer.contact)),
            delivery: addresses(&customer.delivery),
            billing: addresses(&customer.billing),
        }
    }
}

impl From<&Media> for MediaRow {
    fn from(media: &Media) -> Self {
        let (image, told) = (media.image.as_ref(), media.text.as_ref());
        Self {
            key: Some(media.key),
            article: text(&media.article),
            image_format: image.and_then(|image| text(&image.format)),
            text_format: told.and_then(|told| text(&told.format)),
            usage: optional(media.usage.as_ref()),
            language: media.language.and_then(language),
            country: country(media.country),
            group: optional(media.group.as_ref()),
            file_name: optional(media.file_name.as_ref()),
            text: exact(told.map(|told| &told.text)),
            comment: optional(media.comment.as_ref()),
            hash: image.map(|image| image.hash.to_string().into()),
            ..Self::default()
        }
    }
}
