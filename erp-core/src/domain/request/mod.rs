//! Request bodies, parsed once at the boundary into types whose parts are valid. A request that a program makes is written as
//! a body and parsed in the same way, so that it is refused for the same reasons.
//!
//! Every `parse` and `read` reports all problems of a body together: wrong types and lengths, and violated rules. `read`
//! also returns the valid parts of a body that has problems, so that the later checks run on them and one response lists
//! the problems of all steps. `null`, an empty text and a blank text mean the same as an absent field; for a required
//! field all three are `required`.

mod customer;
mod document;
mod offer;

use std::borrow::Cow;

use crate::domain::address::Address;
use crate::values::codes::Currency;
use crate::values::json::{self, AsJson, Json, Object};
use crate::values::text::Text;
use crate::wire::view::Body;
use crate::wire::{As, WriteRecord};
use erp_derive::Record;

pub(crate) use customer::{CustomerBody, language_of};
pub use customer::{CustomerDetails, CustomerRequest, PaymentMethod};
pub use document::{
    ConversionHeader, ConversionRequest, DocumentHeader, DocumentRequest, PaymentRequest,
    PositionRequest,
};
pub(crate) use offer::{OfferChangeBody, OfferChangeHeader, PositionChangeBody};
pub use offer::{OfferChangeRequest, PositionChange};

/// What can be a request: JSON, and a value that a program made, which is written as JSON and so obeys the same rules.
pub trait AsRequest<T> {
    /// The body.
    fn as_request(&self) -> Cow<'_, Json>;
}

impl<T, B: AsJson> AsRequest<T> for B {
    fn as_request(&self) -> Cow<'_, Json> {
        self.as_json()
    }
}

/// The body that says what a value does.
fn written(value: &impl WriteRecord<Body>) -> Cow<'static, Json> {
    Cow::Owned(json::written(&As::<_, Body>::new(value)))
}

/// The body, with this customer where it names none.
pub(crate) fn or_of_customer<'a>(body: Cow<'a, Json>, own: &Text<8>) -> Cow<'a, Json> {
    or_header(body, &[("KundNr", own)])
}

/// The body, with these members of `GrundDaten` where it has none.
pub(crate) fn or_header<'a>(mut body: Cow<'a, Json>, own: &[(&str, &str)]) -> Cow<'a, Json> {
    if let Some(members) = body.to_mut().as_object_mut() {
        let header = members.entry("GrundDaten".to_owned()).or_default();
        if header.is_null() {
            *header = Json::Object(Object::new());
        }
        if let Some(header) = header.as_object_mut() {
            for (name, own) in own {
                let sent = header.entry((*name).to_owned()).or_default();
                let is_blank = sent.as_str().is_some_and(|text| text.trim().is_empty());
                if sent.is_null() || is_blank {
                    *sent = Json::from(*own);
                }
            }
        }
    }
    body
}

/// `Adressen` of a body; each replaces the customer's for this document only.
///
/// One with a problem counts as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Body = "AddressesBody", Customer = "CustomerAddressesBody")]
pub struct AddressesRequest {
    /// Contact address.
    #[wire("KontaktAdr", object(Body), required(Customer))]
    pub contact: Option<Address>,
    /// Delivery address.
    #[wire("LiefAdr", object(Body))]
    pub delivery: Option<Address>,
    /// Billing address.
    #[wire("RechAdr", object(Body))]
    pub billing: Option<Address>,
}

/// The number of the customer of a body, if it can be read. Padding beyond the length of the field does not matter.
pub(crate) fn customer_of(body: &Json) -> Option<Text<8>> {
    let number = header_text(body, "KundNr")?.trim_end_matches(' ');
    let number = Text::new(number).ok();
    number.filter(|number| !number.trim().is_empty())
}

/// The currency of a body, if it can be read. Padding beyond the length of the field does not matter.
fn currency_of(body: &Json) -> Option<Currency> {
    Currency::parse(header_text(body, "WaehrAbk")?).ok()
}

pub(crate) fn offer_of(body: &Json) -> Option<&str> {
    header_text(body, "OffertNr").map(str::trim_end)
}

fn header_text<'a>(body: &'a Json, name: &str) -> Option<&'a str> {
    body.get("GrundDaten")?.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::values::problem::{Code, Problems};
    use crate::wire::view;
    use crate::wire::{Reading, Record};

    /// The paths of the fields that the table of a record requires.
    fn required<R: Record<V>, V>(path: &str) -> impl Iterator<Item = String> {
        let fields = R::SCHEMA.fields.iter().filter(|field| field.required);
        fields.map(move |field| format!("{path}{}", field.wire))
    }

    /// The paths of the fields that a body lacks.
    fn lacks(problems: Problems) -> BTreeSet<String> {
        let problems = problems.into_vec();
        let lacking = problems.into_iter().filter(|of| of.code == Code::Required);
        // One of two names is required, so neither is in the table.
        lacking
            .map(|of| of.path)
            .filter(|path| !path.ends_with("AdrFirma"))
            .collect()
    }

    /// The fields that an address requires.
    const ADDRESS: [&str; 6] = [
        "Adressen.KontaktAdr.AdrSprache",
        "Adressen.KontaktAdr.AdrAdresse1",
        "Adressen.KontaktAdr.AdrAnrede",
        "Adressen.KontaktAdr.OrtLand",
        "Adressen.KontaktAdr.OrtName",
        "Adressen.KontaktAdr.OrtPLZ",
    ];

    /// Checks that the tables and the check of an empty body require these paths.
    fn requires(paths: &[&str], table: impl Iterator<Item = String>, empty: Problems) {
        let paths: BTreeSet<String> = paths.iter().map(ToString::to_string).collect();
        assert_eq!(table.collect::<BTreeSet<_>>(), paths);
        assert_eq!(lacks(empty), paths);
    }

    #[test]
    fn a_body_needs_what_its_table_requires() {
        let how = Reading::default();
        let empty = json!({
            "GrundDaten": {}, "Positionen": [{}], "Adressen": {"KontaktAdr": {}},
        });
        let address = || required::<Address, Body>("Adressen.KontaktAdr.");
        let with_address = |paths: &[&'static str]| [paths, &ADDRESS].concat();
        requires(
            &with_address(&[
                "GrundDaten.KundNr",
                "Positionen[0].ArtNr",
                "Positionen[0].Menge",
            ]),
            required::<DocumentHeader, Body>("GrundDaten.")
                .chain(required::<PositionRequest, Body>("Positionen[0]."))
                .chain(address()),
            DocumentRequest::of_order(&empty, how, &TimeZone::UTC).1,
        );
        requires(
            &with_address(&["Positionen[0].ArtNr", "Positionen[0].Menge"]),
            required::<PositionRequest, view::Offer>("Positionen[0].").chain(address()),
            DocumentRequest::of_offer(&empty, how, &TimeZone::UTC).1,
        );
        requires(
            &with_address(&["GrundDaten.WaehrAbk", "GrundDaten.FAKTZahlArt"]),
            required::<CustomerDetails, Body>("GrundDaten.").chain(address()),
            CustomerRequest::parse(&empty, how).unwrap_err(),
        );
        requires(
            &["Adressen.KontaktAdr"],
            required::<AddressesRequest, view::Customer>("Adressen."),
            CustomerRequest::parse(
                &json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"}}),
                how,
            )
            .unwrap_err(),
        );
        requires(
            &["GrundDaten.KundNr", "GrundDaten.OffertNr"],
            required::<ConversionHeader, Body>("GrundDaten."),
            ConversionRequest::parse(&empty, how).unwrap_err(),
        );
    }

    #[test]
    fn a_missing_part_is_required_itself_or_by_its_fields() {
        let how = Reading::default();
        let (_, lacking) = DocumentRequest::of_order(&json!({}), how, &TimeZone::UTC);
        let expected: BTreeSet<_> = required::<DocumentHeader, Body>("GrundDaten.")
            .chain(["Positionen".to_owned()])
            .collect();
        assert_eq!(lacks(lacking), expected);
        let parts = |schema: &crate::wire::Schema| {
            let parts = schema.fields.iter().filter(|field| field.required);
            parts.map(|field| field.wire).collect::<Vec<_>>()
        };
        assert_eq!(
            parts(<DocumentRequest as Record<Body>>::SCHEMA),
            ["GrundDaten", "Positionen"]
        );
        assert_eq!(
            parts(<DocumentRequest as Record<view::Offer>>::SCHEMA),
            ["Positionen"]
        );
        assert_eq!(parts(ConversionRequest::SCHEMA), ["GrundDaten"]);
    }
}
