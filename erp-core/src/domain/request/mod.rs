//! Request bodies, parsed once at the boundary into types that are valid by construction.
//!
//! Every `parse` reports all problems of a body together: wrong types and lengths, and violated rules. `null`, an
//! empty text and a blank text mean the same as an absent field; for a required field all three are `required`.

mod basket;
#[cfg(test)]
mod built;
mod customer;
mod offer;
mod order;
mod position;
mod readable;

use crate::domain::address::Address;
use crate::values::problem::{Path, Problems};
use crate::wire::AddressesBody;

pub use basket::BasketRequest;
pub use customer::{CustomerRequest, PaymentMethod};
pub use offer::{OfferChangeRequest, OfferRequest, PositionChange};
pub use order::{ConversionRequest, OrderRequest, PaymentRequest};
pub use position::PositionRequest;
pub use readable::{Field, Readable, ReadableChange, ReadablePosition, readable_addresses};
pub(crate) use readable::{customer_of, not_whole, offer_of};

/// The addresses of a body; each replaces the customer's for this document only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressesRequest {
    /// `KontaktAdr`
    pub contact: Option<Address>,
    /// `LiefAdr`
    pub delivery: Option<Address>,
    /// `RechAdr`
    pub billing: Option<Address>,
}

impl AddressesRequest {
    /// Checks the addresses of a body and collects the problems of all of them.
    pub(crate) fn check(
        body: Option<&AddressesBody>,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(body) = body else {
            return Some(Self::default());
        };
        let before = problems.len();
        let mut one = |name, body: Option<&_>| {
            body.and_then(|body| Address::check(body, &path.member(name), problems))
        };
        let addresses = Self {
            contact: one("KontaktAdr", body.contact.as_ref()),
            delivery: one("LiefAdr", body.delivery.as_ref()),
            billing: one("RechAdr", body.billing.as_ref()),
        };
        (problems.len() == before).then_some(addresses)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::values::problem::Code;
    use crate::wire::{
        AddressBody, ConversionBody, ConversionBodyHeader, CustomerAddressesBody,
        CustomerBodyHeader, OfferBody, OfferPositionBody, OrderBody, OrderBodyHeader, PositionBody,
        Reading, Record,
    };

    /// The paths of the fields that the table of a record requires.
    fn required<R: Record>(path: &str) -> impl Iterator<Item = String> {
        let fields = R::SCHEMA.fields.iter().filter(|field| field.required);
        fields.map(move |field| format!("{path}{}", field.wire))
    }

    /// The paths of the fields that a body lacks.
    fn lacks(problems: Result<(), Problems>) -> BTreeSet<String> {
        let problems = problems.err().unwrap_or_default().into_vec();
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
    fn requires(paths: &[&str], table: impl Iterator<Item = String>, empty: Result<(), Problems>) {
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
        let address = || required::<AddressBody>("Adressen.KontaktAdr.");
        let with_address = |paths: &[&'static str]| [paths, &ADDRESS].concat();
        requires(
            &with_address(&[
                "GrundDaten.KundNr",
                "Positionen[0].ArtNr",
                "Positionen[0].Menge",
            ]),
            required::<OrderBodyHeader>("GrundDaten.")
                .chain(required::<PositionBody>("Positionen[0]."))
                .chain(address()),
            OrderRequest::parse(&empty, how, &TimeZone::UTC).map(drop),
        );
        requires(
            &with_address(&["Positionen[0].ArtNr", "Positionen[0].Menge"]),
            required::<OfferPositionBody>("Positionen[0].").chain(address()),
            OfferRequest::parse(&empty, how, &TimeZone::UTC).map(drop),
        );
        requires(
            &with_address(&["GrundDaten.WaehrAbk", "GrundDaten.FAKTZahlArt"]),
            required::<CustomerBodyHeader>("GrundDaten.").chain(address()),
            CustomerRequest::parse(&empty, how).map(drop),
        );
        requires(
            &["Adressen.KontaktAdr"],
            required::<CustomerAddressesBody>("Adressen."),
            CustomerRequest::parse(
                &json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"}}),
                how,
            )
            .map(drop),
        );
        requires(
            &["GrundDaten.KundNr", "GrundDaten.OffertNr"],
            required::<ConversionBodyHeader>("GrundDaten."),
            ConversionRequest::parse(&empty, how).map(drop),
        );
    }

    #[test]
    fn a_missing_part_is_required_itself_or_by_its_fields() {
        let lacking = OrderRequest::parse(&json!({}), Reading::default(), &TimeZone::UTC);
        let expected: BTreeSet<_> = required::<OrderBodyHeader>("GrundDaten.")
            .chain(["Positionen".to_owned()])
            .collect();
        assert_eq!(lacks(lacking.map(drop)), expected);
        let parts = |schema: &crate::wire::Schema| {
            let parts = schema.fields.iter().filter(|field| field.required);
            parts.map(|field| field.wire).collect::<Vec<_>>()
        };
        assert_eq!(parts(OrderBody::SCHEMA), ["GrundDaten", "Positionen"]);
        assert_eq!(parts(OfferBody::SCHEMA), ["Positionen"]);
        assert_eq!(parts(ConversionBody::SCHEMA), ["GrundDaten"]);
    }
}
