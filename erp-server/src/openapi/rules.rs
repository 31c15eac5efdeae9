//! Constraints beyond the wire tables: required fields, and allowed values besides type and length. For requests they
//! follow `erp_core::request`; for responses, what the core always writes.

use serde_json::json;

use super::object::Object;

/// Required fields by component.
const REQUIRED: &[(&str, &[&str])] = &[
    // Request bodies.
    ("OrderBody", &["GrundDaten", "Positionen"]),
    ("OrderBodyHeader", &["KundNr"]),
    ("PositionBody", &["ArtNr", "Menge"]),
    ("ConversionBody", &["GrundDaten"]),
    ("ConversionBodyHeader", &["KundNr", "OffertNr"]),
    ("OfferBody", &["Positionen"]),
    ("OfferPositionBody", &["ArtNr", "Menge"]),
    ("PositionChangeBody", &["Menge"]),
    ("CustomerBody", &["GrundDaten", "Adressen"]),
    ("CustomerBodyHeader", &["WaehrAbk", "FAKTZahlArt"]),
    ("CustomerAddressesBody", &["KontaktAdr"]),
    (
        "AddressBody",
        &[
            "AdrSprache",
            "AdrAdresse1",
            "AdrAnrede",
            "OrtLand",
            "OrtName",
            "OrtPLZ",
        ],
    ),
    ("ZugferdBody", &["Operation", "PDF"]),
    // Responses.
    (
        "Order",
        &[
            "GrundDaten",
            "Adressen",
            "Positionen",
            "MWSTRekapitulation",
            "Zahlung",
        ],
    ),
    (
        "OrderHeader",
        &[
            "AuftNr",
            "KundNr",
            "AuftBestellT",
            "AuftBestellTUTC",
            "WaehrAbk",
            "AuftLiefKost",
            "StaoNr",
            "AuftStatus",
            "AuftNetto",
            "AuftWUST",
            "AuftBrutto",
        ],
    ),
    (
        "OrderAddress",
        &["AdrAdresse1", "OrtName", "OrtPLZ", "OrtLand", "ISOLandA2"],
    ),
    (
        "Position",
        &[
            "PosNr",
            "VisPosNr",
            "ArtNr",
            "PosAnzBest",
            "PosPreisBasis",
            "PosPreisEinzel",
            "PosPreisTotal",
            "PosPreisWUSTBetrag",
            "WUSTSatz",
            "GRabSatz",
        ],
    ),
    (
        "TaxRecapEntry",
        &[
            "Abschnitt",
            "WaehrAbk",
            "PosWUST",
            "PosWUSTSatz",
            "PosBetragNetto",
            "PosWUSTCode",
            "PosWUSTKlasse",
        ],
    ),
    ("Payment", &["Key"]),
    ("OrderNumberAnswer", &["AuftNr"]),
    (
        "Offer",
        &[
            "OffertNr",
            "GrundDaten",
            "Adressen",
            "Positionen",
            "MWSTRekapitulation",
        ],
    ),
    (
        "OfferHeader",
        &[
            "StaoNr",
            "Template",
            "AuftBestellTUTC",
            "AuftBestellT",
            "AuftLiefKost",
            "AuftStatus",
            "WaehrAbk",
            "AuftWUST",
            "AuftBrutto",
            "AuftNetto",
        ],
    ),
    (
        "Customer",
        &[
            "status",
            "WaehrAbk",
            "AdrSprache",
            "KundLief",
            "KundRech",
            "KundKontakt",
            "links",
        ],
    ),
    (
        "CustomerOrder",
        &["PlanStatus", "AuftErf", "AuftErfUTC", "AuftNr", "links"],
    ),
    ("CustomerNumberAnswer", &["DebiNr"]),
    (
        "SingleArticle",
        &[
            "ArtNr", "AnLager", "WUSTSatz", "WaehrAbk", "HatVPE", "links",
        ],
    ),
    ("PackagingUnit", &["VPEinheit", "Faktor"]),
    ("PriceTier", &["ArtNr", "PreisList", "Preisart"]),
    ("StockEntry", &["ArtNr", "LagerBestand"]),
    ("Declaration", &["Nr", "ArtNr"]),
    ("Attribute", &["PHKey"]),
    ("Link", &["href", "type", "rel"]),
    (
        "AddressRecord",
        &[
            "AdrSprache",
            "AdrAdresse1",
            "AdrAnrede",
            "OrtLand",
            "OrtName",
            "OrtPLZ",
        ],
    ),
    (
        "AddressesOfCustomer",
        &["KundKontakt", "KundLief", "KundRech"],
    ),
    ("MediaRecord", &["IDKey", "Modified_UTC", "ArtNr", "links"]),
    ("TokenAnswer", &["access_token", "token_type", "expires_in"]),
    ("ErrorBody", &["error", "error_description", "info"]),
    ("ProblemEntry", &["path", "code", "message"]),
    ("MismatchEntry", &["subject"]),
];

/// The required fields of a component.
pub(crate) fn required(component: &str) -> &'static [&'static str] {
    let found = REQUIRED.iter().find(|(name, _)| *name == component);
    found.map_or(&[], |(_, members)| members)
}

/// Adds the constraints of a request field.
pub(crate) fn of_body(component: &str, member: &str, schema: Object) -> Object {
    let is_required = required(component).contains(&member);
    match member {
        "Menge" if component == "PositionChangeBody" => amount(schema).minimum(0),
        "Menge" => amount(schema).with("exclusiveMinimum", 0),
        "Preis" | "AuftLiefKost" => amount(schema).minimum(0),
        "GRabSatz" => schema.minimum(0).maximum(100),
        "KreditLimit" => schema.minimum(0),
        "AdrAnrede" => schema.minimum(0).maximum(2),
        "AdrCheck" => schema.minimum(0).maximum(1),
        "Operation" => schema.enum_values(["Combine", "Extract"]),
        "PDF" | "XML" => schema.with("contentEncoding", "base64"),
        "AdrSprache" => code(schema, is_required, 3),
        "WaehrAbk" => code(schema, is_required, 3),
        "OrtLand" => code(schema, is_required, 2),
        // A string of blanks counts as missing.
        _ if is_required && is_text(&schema) => schema.min_length(1).pattern(r"\S"),
        _ => schema,
    }
}

/// Adds the constraints of a response field.
pub(crate) fn of_answer(component: &str, member: &str, schema: Object) -> Object {
    match (component, member) {
        ("OrderAddress", "AdrAdresse1" | "AdrAdresse2") => schema.max_length(60),
        (_, "AuftStatus") => schema.enum_values(["N", "O", "A", "P"]),
        (_, "PlanStatus") => schema.enum_values(["N", "O", "A"]),
        (_, "AnLager" | "HatVPE") => schema.enum_values(["J", "N"]),
        (_, "Preisart") => schema.enum_values(["N", "B"]),
        (_, "PosWUSTKlasse") => schema.enum_values(["D", "C", "X"]),
        (_, "AdrAnrede") => schema.minimum(0).maximum(2),
        ("Customer", "status") => schema.minimum(0).maximum(1),
        ("TokenAnswer", "token_type") => schema.enum_values(["Bearer"]),
        _ => schema,
    }
}

/// An address requires one of two fields. Described as text, because client generators do not support `if` and
/// `then`.
pub(crate) fn company_or_name(schema: Object) -> Object {
    schema.description("An address. Without `AdrFirma` it needs an `AdrName`.")
}

/// Adds the error details that only the HTTP interface has.
pub(crate) fn details(schema: Object) -> Object {
    let text = |about: &str| Object::with_type("string").description(about);
    let number = |about: &str| {
        Object::with_type("integer")
            .format("int64")
            .description(about)
    };
    let checks = Object::new()
        .description("The checks of `/health/ready` and what they found (status 503)")
        .with("additionalProperties", Object::with_type("string"));
    schema
        .property(
            "parameter",
            text("The parameter that is wrong (status 400)"),
        )
        .property(
            "limit",
            number("The most that is allowed (status 400, 413, 414, 431)"),
        )
        .property("length", number("The length of the file (status 416)"))
        .property(
            "line",
            number("The line where the JSON breaks off (status 400)"),
        )
        .property("column", number("The column in that line (status 400)"))
        .property(
            "offset",
            number("The byte that does not fit the charset (status 400)"),
        )
        .property("charset", text("The charset of the body (status 400)"))
        .property("given", text("What the path named (status 404)"))
        .property("checks", checks)
}

/// An amount or quantity within its limit, with at most six fraction digits.
fn amount(schema: Object) -> Object {
    schema.with("exclusiveMaximum", erp_core::limits::AMOUNT_BELOW)
}

/// A code of letters in either case, with optional trailing blanks.
fn code(schema: Object, is_required: bool, letters: usize) -> Object {
    let letters = format!("[A-Za-z]{{{letters}}}");
    let pattern = if is_required {
        format!("^{letters} *$")
    } else {
        format!("^({letters})? *$")
    };
    schema.pattern(pattern)
}

fn is_text(schema: &Object) -> bool {
    schema.get("type") == Some(&json!("string"))
}
