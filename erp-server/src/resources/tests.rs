//! The description against the routes, the parsers and the rules of OpenAPI.

use std::collections::{BTreeMap, BTreeSet};

use erp_core::Reading;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::description::{description, groups};
use super::routes;
use crate::openapi::{POLICY, rules};

fn value() -> Value {
    serde_json::from_slice(description(false).json.plain()).unwrap()
}

/// Method and path of every operation, except `OPTIONS`.
fn described() -> BTreeSet<(String, String)> {
    let all = groups()
        .into_iter()
        .flat_map(|(_, _, operations)| operations);
    let pairs: Vec<(String, String)> = all
        .map(|described| (described.method.to_string(), described.path.to_owned()))
        .collect();
    let set: BTreeSet<_> = pairs.iter().cloned().collect();
    assert_eq!(set.len(), pairs.len(), "an operation is there twice");
    set
}

#[test]
fn every_route_is_described_and_every_operation_has_a_route() {
    let mut routed = BTreeSet::new();
    for (path, allow) in routes().listed() {
        for method in allow.to_str().unwrap().split(", ") {
            // HEAD is implied by GET, and OPTIONS works everywhere.
            if method != "HEAD" && (method != "OPTIONS" || path == "/www/zugferd") {
                routed.insert((method.to_owned(), path.to_owned()));
            }
        }
    }
    assert_eq!(described(), routed);
}

#[test]
fn places_of_a_path_are_its_parameters() {
    for (path, item) in value()["paths"].as_object().unwrap() {
        let places: BTreeSet<&str> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .collect();
        for (method, operation) in item.as_object().unwrap() {
            let list = operation["parameters"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let named: BTreeSet<&str> = list
                .iter()
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            assert_eq!(named, places, "{method} {path}");
        }
    }
}

#[test]
fn references_lead_somewhere_and_every_component_is_used() {
    let document = value();
    let mut used = BTreeSet::new();
    references(&document, &mut used);
    for reference in &used {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for kind in ["schemas", "responses"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(used.contains(&reference), "{reference} is not used");
        }
    }
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(reference) if name == "$ref" => {
                        found.insert(reference.to_owned());
                    }
                    _ => references(member, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|entry| references(entry, found)),
        _ => {}
    }
}

#[test]
fn every_operation_has_its_texts_and_every_text_an_operation() {
    let text = include_str!("../openapi/operations.json");
    let mut texts: BTreeMap<String, Value> = serde_json::from_str(text).unwrap();
    let mut references_of_texts = BTreeSet::new();
    let table: Value = serde_json::from_str(text).unwrap();
    references(&table, &mut references_of_texts);
    for reference in references_of_texts {
        assert!(table.pointer(&reference).is_some(), "{reference}");
    }
    let common = texts.remove("*").unwrap();
    let names = |holder: &Value| -> BTreeSet<String> {
        holder
            .as_object()
            .map_or_else(BTreeSet::new, |holder| holder.keys().cloned().collect())
    };
    let mut named = BTreeSet::new();
    let document = value();
    let items = document["paths"].as_object().unwrap().values();
    for operation in items.flat_map(|item| item.as_object().unwrap().values()) {
        let id = operation["operationId"].as_str().unwrap();
        let texts = texts.remove(id).unwrap_or_default();
        assert!(operation["summary"].is_string(), "{id}");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters = parameters.map(|parameter| {
            let name = parameter["name"].as_str().unwrap().to_owned();
            assert!(parameter["description"].is_string(), "{id} {name}");
            name
        });
        let parameters: BTreeSet<String> = parameters.collect();
        assert!(names(&texts["parameters"]).is_subset(&parameters), "{id}");
        named.extend(parameters);
        let bodies = names(&operation["requestBody"]["content"]);
        assert!(names(&texts["requestBody"]).is_subset(&bodies), "{id}");
        let responses = operation["responses"].as_object().unwrap();
        let responses = responses
            .iter()
            .filter(|(_, response)| response["$ref"].is_null());
        for (status, response) in responses.clone() {
            assert!(response["description"].is_string(), "{id} {status}");
        }
        let responses = responses.map(|(status, _)| status.clone()).collect();
        assert!(names(&texts["responses"]).is_subset(&responses), "{id}");
    }
    assert_eq!(texts.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(names(&common["parameters"]).is_subset(&named));
}

#[test]
fn every_property_says_what_it_is() {
    let mut silent = Vec::new();
    properties(&value(), "", &mut silent);
    assert_eq!(silent, Vec::<String>::new());
}

/// The properties without a description, with their places.
fn properties(value: &Value, place: &str, silent: &mut Vec<String>) {
    let Value::Object(members) = value else {
        let entries = value.as_array().into_iter().flatten();
        entries.for_each(|entry| properties(entry, place, silent));
        return;
    };
    for (name, member) in members {
        let place = format!("{place}/{name}");
        if name == "example" || name == "examples" {
            continue;
        }
        if name == "properties" {
            let bare = member.as_object().unwrap().iter();
            let bare =
                bare.filter(|(_, schema)| schema["description"].as_str().is_none_or(str::is_empty));
            silent.extend(bare.map(|(name, _)| format!("{place}/{name}")));
        }
        properties(member, &place, silent);
    }
}

#[test]
fn ids_are_unique_and_links_name_one() {
    let document = value();
    let mut ids = BTreeSet::new();
    let mut links = Vec::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            for response in operation["responses"].as_object().unwrap().values() {
                links.extend(
                    response["links"]
                        .as_object()
                        .into_iter()
                        .flat_map(|links| links.keys().cloned()),
                );
            }
        }
    }
    assert!(!links.is_empty());
    assert!(links.iter().all(|link| ids.contains(link)));
}

/// Runs the parser of a body; returns the paths of its problems.
type Problems = fn(&Value) -> Vec<String>;

fn paths(problems: erp_core::Problems) -> Vec<String> {
    let problems = problems.into_vec().into_iter();
    problems.map(|problem| problem.path).collect()
}

#[test]
fn required_members_are_those_the_requests_ask_for() {
    use erp_core::request::{
        ConversionRequest, CustomerRequest, DocumentRequest, OfferChangeRequest,
    };
    let how = Reading::default();
    let bodies: [(&str, &str, &str, Problems); 5] = [
        ("/www/auftrag", "post", "OrderBody", |body| {
            paths(DocumentRequest::of_order(body, Reading::default(), &TimeZone::UTC).1)
        }),
        ("/www/auftrag", "put", "ConversionBody", |body| {
            let read = ConversionRequest::parse(body, Reading::default());
            read.err().map(paths).unwrap_or_default()
        }),
        ("/www/offerte", "post", "OfferBody", |body| {
            paths(DocumentRequest::of_offer(body, Reading::default(), &TimeZone::UTC).1)
        }),
        ("/www/offerte", "patch", "OfferChangeBody", |body| {
            paths(OfferChangeRequest::read(body, Reading::default()).1)
        }),
        ("/www/kunden", "post", "CustomerBody", |body| {
            let read = CustomerRequest::parse(body, Reading::default());
            read.err().map(paths).unwrap_or_default()
        }),
    ];
    assert!(!how.strict);
    let document = value();
    for (path, method, record, problems) in bodies {
        let example = &document["paths"][path][method]["requestBody"]["content"]["application/json"]
            ["example"];
        assert_eq!(problems(example), [""; 0], "{method} {path}");
        without_each(
            &document,
            record,
            example,
            &mut |body, place, is_required| {
                let found = problems(body);
                assert_eq!(
                    !found.is_empty(),
                    is_required,
                    "{method} {path} without {place}: {found:?}"
                );
            },
            &|inner| inner,
        );
    }
}

/// Removes each field of a record from a body in turn, including nested records.
fn without_each(
    document: &Value,
    record: &str,
    value: &Value,
    check: &mut dyn FnMut(&Value, &str, bool),
    whole: &dyn Fn(Value) -> Value,
) {
    let schema = &document["components"]["schemas"][record];
    for (name, member) in value.as_object().unwrap() {
        let described = &schema["properties"][name];
        assert!(!described.is_null(), "{record} has no {name}");
        let mut rest = value.clone();
        rest.as_object_mut().unwrap().remove(name);
        let listed = schema["required"].as_array().cloned().unwrap_or_default();
        // An address requires a company or a name, a new position of an offer an article.
        let is_needed = name == "AdrName" && value.get("AdrFirma").is_none()
            || record == "PositionChangeBody" && name == "ArtNr";
        // A token of one customer need not name it, nor its terms.
        let is_of_customer = matches!(
            (record, name.as_str()),
            ("OrderBody" | "CustomerBody", "GrundDaten")
                | ("OrderBodyHeader" | "ConversionBodyHeader", "KundNr")
                | ("CustomerBodyHeader", "WaehrAbk" | "FAKTZahlArt")
        );
        let is_required = listed.iter().any(|entry| entry == name) || is_needed || is_of_customer;
        // Without its number, a changed position is a new position.
        if record != "PositionChangeBody" || name != "PosNr" {
            check(&whole(rest), &format!("{record}.{name}"), is_required);
        }
        let choice = described["anyOf"][0]["$ref"].as_str();
        let inner = described["$ref"]
            .as_str()
            .or(choice)
            .or(described["items"]["$ref"].as_str());
        let Some(inner) = inner.and_then(|reference| reference.rsplit('/').next()) else {
            continue;
        };
        let put = |place: Value| {
            let mut body = value.clone();
            body[name] = place;
            whole(body)
        };
        match member {
            Value::Array(entries) => {
                for (at, entry) in entries.iter().enumerate() {
                    without_each(document, inner, entry, check, &|changed| {
                        let mut list = entries.clone();
                        list[at] = changed;
                        put(Value::from(list))
                    });
                }
            }
            Value::Object(_) => without_each(document, inner, member, check, &put),
            _ => {}
        }
    }
}

#[test]
fn rules_name_members_of_their_record() {
    let document = value();
    for (name, members) in rules::OTHER_FORMS {
        let schema = &document["components"]["schemas"][name];
        for member in *members {
            assert!(
                schema["properties"].get(member).is_some(),
                "{name}.{member}"
            );
        }
    }
    let header = &document["components"]["schemas"]["OrderBodyHeader"];
    assert_eq!(header.get("required"), None);
    assert_eq!(header["properties"]["AuftBez"]["maxLength"], 80);
    assert_eq!(
        header["properties"]["AuftBez"]["type"],
        json!(["string", "null"])
    );
}

#[test]
fn the_lifetime_is_what_the_setting_says() {
    let kind = |as_text| {
        let document: Value = serde_json::from_slice(description(as_text).json.plain()).unwrap();
        document["components"]["schemas"]["TokenAnswer"]["properties"]["expires_in"]["type"].clone()
    };
    assert_eq!(
        (kind(false), kind(true)),
        (json!("integer"), json!("string"))
    );
}

#[test]
fn the_page_shows_every_operation_and_record_and_loads_nothing() {
    let page = String::from_utf8(description(false).page.plain().to_vec()).unwrap();
    let (page, script) = page.split_once("<script type=\"module\">").unwrap();
    let document = value();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(page.contains(&format!("<section id=\"op-{id}\" ")), "{id}");
        }
    }
    for name in document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
    {
        assert!(
            page.contains(&format!("<section id=\"record-{name}\">")),
            "{name}"
        );
    }
    for part in page.split("href=\"#").skip(1) {
        let id = part.split('"').next().unwrap();
        assert!(
            page.contains(&format!("id=\"{id}\"")),
            "#{id} leads nowhere"
        );
    }
    for loading in [
        "<script src",
        "<link",
        "<img",
        " src=",
        "url(",
        "@import",
        " style=",
        "import(",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
    // One script, whose hash the policy names; it calls no other server.
    for foreign in ["<script", "://", "import(", "eval(", "innerHTML"] {
        assert!(!script.contains(foreign), "{foreign}");
    }
    assert!(POLICY.starts_with("default-src 'none'; style-src 'sha256-"));
    assert!(POLICY.contains("; connect-src 'self'; ") && !POLICY.contains("unsafe"));
}

#[test]
fn the_guides_of_the_page_name_operations_and_their_parameters() {
    let page = String::from_utf8(description(false).page.plain().to_vec()).unwrap();
    let document = value();
    let paths = document["paths"].as_object().unwrap().values();
    let operations: Vec<&Value> = paths
        .flat_map(|item| item.as_object().unwrap().values())
        .collect();
    let mut counts = Vec::new();
    for guide in page.split("<section id=\"guide-").skip(1) {
        let guide = guide.split("</section>").next().unwrap();
        let steps: Vec<&str> = guide.split(" data-values=\"").skip(1).collect();
        counts.push(steps.len());
        for step in steps {
            let (values, step) = step.split_once('"').unwrap();
            let id = step
                .split("#op-")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            let operation = operations.iter().find(|found| found["operationId"] == id);
            let parameters = operation.unwrap()["parameters"].as_array();
            for pair in values.split("&amp;").filter(|pair| !pair.is_empty()) {
                let name = pair.split('=').next().unwrap();
                let mut known = parameters.into_iter().flatten();
                assert!(known.any(|known| known["name"] == name), "{id}: {name}");
            }
        }
    }
    assert_eq!(counts, [2, 2, 1, 2, 3]);
}

/// Calls `look` with every object of the document and its location.
fn objects(
    value: &Value,
    place: &str,
    look: &mut dyn FnMut(&serde_json::Map<String, Value>, &str),
) {
    match value {
        Value::Object(members) => {
            look(members, place);
            for (name, member) in members {
                objects(member, &format!("{place}/{name}"), look);
            }
        }
        Value::Array(list) => {
            for (at, entry) in list.iter().enumerate() {
                objects(entry, &format!("{place}/{at}"), look);
            }
        }
        _ => {}
    }
}

#[test]
fn schemas_have_no_words_that_generators_cannot_read() {
    let document = value();
    assert_eq!(
        document["info"]["license"]["identifier"],
        "MIT OR Apache-2.0"
    );
    objects(&document, "", &mut |object, place| {
        if place.contains("/example") || place.ends_with("/properties") {
            return;
        }
        for word in ["if", "then", "oneOf", "allOf"] {
            assert!(!object.contains_key(word), "{place}: {word}");
        }
        // `anyOf` is only used for a record or `null`.
        if let Some(choice) = object.get("anyOf") {
            assert!(choice[0].get("$ref").is_some(), "{place}: {choice}");
            assert_eq!(choice[1], json!({"type": "null"}), "{place}");
        }
    });
}

#[test]
fn no_two_paths_match_the_same_request() {
    let document = value();
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    for (at, first) in paths.iter().enumerate() {
        for second in &paths[at + 1..] {
            let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
            let (first_parts, second_parts) = (parts(first), parts(second));
            let is_same =
                |(a, b): (&String, &String)| a == b || a.starts_with('{') || b.starts_with('{');
            let both = first_parts.len() == second_parts.len()
                && first_parts.iter().zip(&second_parts).all(is_same);
            let literal =
                |parts: &[String]| parts.iter().filter(|part| !part.starts_with('{')).count();
            let is_known = literal(&first_parts) != literal(&second_parts);
            assert!(!both || is_known, "{first} and {second}");
        }
    }
}

#[test]
fn content_other_than_json_is_a_file() {
    let document = value();
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for response in operation["responses"].as_object().unwrap().values() {
                for (kind, content) in response["content"].as_object().into_iter().flatten() {
                    let is_text = matches!(kind.as_str(), "application/json" | "text/html");
                    assert_eq!(
                        content["schema"]["format"] == "binary",
                        !is_text,
                        "{path}: {kind}"
                    );
                }
            }
        }
    }
}

#[test]
fn each_webhook_has_an_example_and_its_headers() {
    let document = value();
    for (kind, number) in [("REST_Auft", "AuftNr"), ("REST_Kunde", "DebiNr")] {
        let webhook = &document["webhooks"][kind]["post"];
        let content = &webhook["requestBody"]["content"]["application/json"];
        assert_eq!(
            content["schema"]["$ref"],
            "#/components/schemas/EventMessage"
        );
        assert_eq!(content["example"]["type"], kind);
        assert!(content["example"]["data"][number].is_string());
        let headers: Vec<&str> = webhook["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|header| header["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            headers,
            ["webhook-id", "webhook-timestamp", "webhook-signature"]
        );
    }
}
