//! Every table in one list, for the glossary and the API document.

use super::address::Address;
use super::document::{InvoiceLine, InvoiceTax, Party, Payment};
use super::request::{
    AddressesRequest, ConversionHeader, ConversionRequest, CustomerBody, CustomerDetails,
    DocumentHeader, DocumentRequest, OfferChangeBody, OfferChangeHeader, PaymentRequest,
    PositionChangeBody, PositionRequest,
};
use super::response::{
    AddressRecord, AddressSearchResult, AddressesOfCustomer, Article, Customer,
    CustomerNumberAnswer, CustomerOrder, Declaration, Invoice, InvoiceNumberAnswer, MediaRecord,
    Offer, OfferHeader, OfferSummary, Order, OrderAddress, OrderAddresses, OrderHeader,
    OrderNumberAnswer, OrderSummary, PackagingUnit, Position, PriceTier, StockEntry, TaxRecapEntry,
};
use crate::wire::view::{self, Body, Response};
use crate::wire::{
    Attribute, ErrorBody, ErrorInfo, Link, MismatchEntry, PatchRecord, ProblemEntry, Record,
    Schema, TokenAnswer, WriteRecord, ZugferdBody,
};

/// Who sends a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The client, in a body.
    Request,
    /// The server, in a response.
    Response,
}

/// A record of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its members.
    pub schema: &'static Schema,
    /// Who sends it.
    pub direction: Direction,
    /// Reads it and writes what was read.
    #[cfg(test)]
    round_trip: tests::RoundTrip,
}

const fn table<R: WriteRecord<V>, V>(direction: Direction) -> Table {
    Table {
        schema: <R as Record<V>>::SCHEMA,
        direction,
        #[cfg(test)]
        round_trip: tests::written::<R, V>,
    }
}

const fn request<R: WriteRecord<V>, V>() -> Table {
    table::<R, V>(Direction::Request)
}

const fn response<R: WriteRecord<Response>>() -> Table {
    table::<R, Response>(Direction::Response)
}

/// The changes of an address, which are members of one that is there.
const ADDRESS_CHANGES: Table = Table {
    schema: <Address as PatchRecord>::SCHEMA,
    direction: Direction::Request,
    #[cfg(test)]
    round_trip: tests::changed,
};

// rule: R-RES-20
/// Every record of the interface.
pub const ALL_TABLES: &[Table] = &[
    response::<Order>(),
    response::<OrderHeader>(),
    response::<OrderAddresses>(),
    response::<OrderAddress>(),
    response::<Position>(),
    response::<TaxRecapEntry>(),
    response::<Payment>(),
    response::<OrderNumberAnswer>(),
    response::<OrderSummary>(),
    response::<Invoice>(),
    response::<Party>(),
    response::<InvoiceLine>(),
    response::<InvoiceTax>(),
    response::<InvoiceNumberAnswer>(),
    request::<DocumentRequest, Body>(),
    request::<DocumentHeader, Body>(),
    request::<PositionRequest, Body>(),
    request::<PaymentRequest, Body>(),
    request::<ConversionRequest, Body>(),
    request::<ConversionHeader, Body>(),
    response::<Offer>(),
    response::<OfferHeader>(),
    response::<OfferSummary>(),
    request::<DocumentRequest, view::Offer>(),
    request::<DocumentHeader, view::Offer>(),
    request::<PositionRequest, view::Offer>(),
    request::<OfferChangeBody, Body>(),
    request::<OfferChangeHeader, Body>(),
    request::<PositionChangeBody, Body>(),
    response::<Customer>(),
    response::<CustomerOrder>(),
    response::<CustomerNumberAnswer>(),
    request::<CustomerBody, Body>(),
    request::<CustomerDetails, Body>(),
    response::<Article>(),
    response::<PackagingUnit>(),
    response::<PriceTier>(),
    response::<StockEntry>(),
    response::<Declaration>(),
    response::<Attribute>(),
    response::<Link>(),
    response::<AddressRecord>(),
    response::<AddressesOfCustomer>(),
    response::<AddressSearchResult>(),
    request::<AddressesRequest, Body>(),
    request::<AddressesRequest, view::Customer>(),
    request::<Address, Body>(),
    response::<MediaRecord>(),
    request::<ZugferdBody, Body>(),
    response::<TokenAnswer>(),
    response::<ErrorBody>(),
    response::<ErrorInfo>(),
    response::<ProblemEntry>(),
    response::<MismatchEntry>(),
    ADDRESS_CHANGES,
];

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::values::json::Json;
    use crate::values::problem::{Code, Problems};
    use crate::wire::{As, Field, Kind, Reading, Spelling};

    /// Reads a body and writes what was read.
    pub(super) type RoundTrip = fn(&Value, Reading) -> Result<String, Problems>;

    pub(super) fn written<R: WriteRecord<V>, V>(
        body: &Value,
        how: Reading,
    ) -> Result<String, Problems> {
        <R as Record<V>>::read(body, how)
            .map(|record| serde_json::to_string(&As::<R, V>::new(&record)).unwrap())
    }

    /// The members that change an address, written as in its body.
    pub(super) fn changed(body: &Value, how: Reading) -> Result<String, Problems> {
        let start = full(<Address as Record<Body>>::SCHEMA);
        let mut address = <Address as Record<Body>>::read(&start, how)?;
        let mut problems = Problems::new();
        address.patch_by(&Json::from(body.clone()), how, &mut problems);
        address.check = None;
        let written = serde_json::to_string(&As::<_, Body>::new(&address)).unwrap();
        problems.or_else_value(Some(written))
    }

    fn records() -> impl Iterator<Item = (&'static Schema, RoundTrip)> {
        let tables = ALL_TABLES.iter();
        tables.map(|table| (table.schema, table.round_trip))
    }

    /// A value of the longest allowed length, where the member takes any.
    fn sample(field: &Field) -> Value {
        if let Spelling::Words([.., word]) = field.spelling {
            return json!(word);
        }
        match (field.wire, &field.kind) {
            ("WaehrAbk", _) => return json!("CHF"),
            ("AdrSprache", _) => return json!("ger"),
            ("OrtLand" | "ISOLandA2", _) => return json!("CH"),
            ("ZahlungsMethode", _) => return json!("K,R"),
            ("RechDatum" | "RechZuDatum" | "LieferDatum" | "FaelligAm", _) => {
                return json!("2026-06-01");
            }
            ("AnLager" | "HatVPE" | "QRRechnung", _) => return json!("N"),
            ("AdrAnrede" | "AdrCheck" | "KreditLimit" | "status", Kind::Int) => return json!(1),
            (_, Kind::DateTime) => return json!("2026-06-01T10:00:00Z"),
            _ => (),
        }
        match &field.kind {
            Kind::Varchar(limit) | Kind::Char(limit) => json!("ü".repeat(*limit)),
            Kind::Int => json!(i32::MIN),
            Kind::TinyInt => json!(255),
            Kind::Float | Kind::Money => json!(12),
            Kind::Bool => json!(true),
            Kind::Object(schema) => full(schema),
            Kind::List(schema) => json!([full(schema)]),
            Kind::Texts => json!(["ü"]),
            _ => json!("any"),
        }
    }

    fn full(schema: &Schema) -> Value {
        let member = |field: &Field| (field.wire.to_owned(), sample(field));
        Value::Object(schema.fields.iter().map(member).collect())
    }

    fn refusal(round_trip: RoundTrip, body: &Value, how: Reading) -> (String, Code, Option<u64>) {
        let problems = round_trip(body, how).unwrap_err();
        let [problem] = problems.as_slice() else {
            panic!("one problem expected: {problems:?}");
        };
        (problem.path.clone(), problem.code, problem.limit)
    }

    #[test]
    fn a_full_record_comes_back_whole_and_in_the_order_of_its_table() {
        for (schema, round_trip) in records() {
            let body = full(schema);
            let written = round_trip(&body, Reading { strict: true }).unwrap();
            assert_eq!(
                serde_json::from_str::<Value>(&written).unwrap(),
                body,
                "{}",
                schema.name
            );
            let mut rest = written.as_str();
            for field in schema.fields {
                let name = format!("\"{}\":", field.wire);
                let at = rest
                    .find(&name)
                    .unwrap_or_else(|| panic!("{} in {written}", field.wire));
                rest = rest.split_at(at + name.len()).1;
            }
        }
    }

    // rule: R-REQ-09, R-LIM-05
    #[test]
    fn one_character_too_many_is_refused_in_every_text_field() {
        for (schema, round_trip) in records() {
            for field in schema.fields {
                let (Kind::Varchar(limit) | Kind::Char(limit)) = field.kind else {
                    continue;
                };
                let mut body = full(schema);
                body[field.wire] = json!("x".repeat(limit + 1));
                let expected = (field.wire.to_owned(), Code::TooLong, Some(limit as u64));
                assert_eq!(refusal(round_trip, &body, Reading::default()), expected);
            }
        }
    }

    // rule: D-REQ-07
    #[test]
    fn a_wrong_type_is_refused_in_every_field() {
        for (schema, round_trip) in records() {
            for field in schema.fields {
                for wrong in [json!("text"), json!(1), json!(true), json!({}), json!([])] {
                    let mut body = full(schema);
                    let is_right = match field.kind {
                        Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money => wrong.is_number(),
                        Kind::Bool => wrong.is_boolean(),
                        Kind::Object(_) => wrong.is_object(),
                        Kind::List(_) | Kind::Texts => wrong.is_array(),
                        _ => wrong.is_string(),
                    };
                    if is_right {
                        continue;
                    }
                    body[field.wire] = wrong;
                    let expected = (field.wire.to_owned(), Code::WrongType, None);
                    assert_eq!(refusal(round_trip, &body, Reading::default()), expected);
                }
            }
        }
    }

    // rule: R-REQ-09
    #[test]
    fn control_characters_are_refused_in_every_text_field() {
        for (schema, round_trip) in records() {
            for field in schema.fields {
                if !matches!(
                    field.kind,
                    Kind::Varchar(_) | Kind::Char(_) | Kind::Text | Kind::DateTime
                ) {
                    continue;
                }
                let mut body = full(schema);
                body[field.wire] = json!("\u{1}");
                let (path, code, _) = refusal(round_trip, &body, Reading::default());
                assert_eq!((path.as_str(), code), (field.wire, Code::ControlCharacter));
            }
        }
    }

    // rule: D-REQ-06, D-REQ-13
    #[test]
    fn null_is_the_same_as_absent() {
        for (schema, round_trip) in records() {
            let nulls: Map<_, _> = schema
                .fields
                .iter()
                .map(|field| (field.wire.to_owned(), Value::Null))
                .collect();
            let read = |body| round_trip(&body, Reading { strict: true });
            assert_eq!(
                read(Value::Object(nulls)),
                read(json!({})),
                "{}",
                schema.name
            );
        }
    }

    // rule: D-REQ-04
    #[test]
    fn an_unknown_member_is_refused_only_when_asked_for() {
        for (schema, round_trip) in records() {
            let mut body = full(schema);
            body["Nope"] = json!(1);
            assert!(round_trip(&body, Reading::default()).is_ok());
            let (path, code, _) = refusal(round_trip, &body, Reading { strict: true });
            assert_eq!((path.as_str(), code), ("Nope", Code::UnknownMember));
        }
    }

    #[test]
    fn what_the_words_call_required_is_required() {
        let bodies = ALL_TABLES
            .iter()
            .filter(|table| table.direction == Direction::Request);
        for field in bodies.flat_map(|table| table.schema.fields) {
            let is_called = field.meaning.trim().ends_with("; required.");
            assert!(field.required || !is_called, "{}", field.wire);
        }
    }

    #[test]
    fn names_are_unique_within_a_record_and_records_within_the_list() {
        let mut records = std::collections::BTreeSet::new();
        for Table { schema, .. } in ALL_TABLES {
            assert!(records.insert(schema.name));
            let wire: std::collections::BTreeSet<_> =
                schema.fields.iter().map(|f| f.wire).collect();
            let rust: std::collections::BTreeSet<_> =
                schema.fields.iter().map(|f| f.rust).collect();
            assert_eq!(
                (wire.len(), rust.len()),
                (schema.fields.len(), schema.fields.len())
            );
        }
    }
}
