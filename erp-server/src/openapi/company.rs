//! `/admin/attributes`, `/admin/settings`.

use serde_json::{Value, json};

use super::object::{Components, Object};
use super::operation::Described;
use super::schema::{data, list_of, named, object, or_null, plain, text, text_of};

/// Pattern of an attribute name: no control characters, no blanks at its ends.
const NAME: &str = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$";

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get(
            "/admin/attributes",
            "listCompanyAttributes",
            "The attributes of the company",
        )
        .admin()
        .answers(
            200,
            "The attributes",
            data(list_of("CompanyAttribute")),
            json!({"data": [attribute()]}),
        ),
        named_attribute(Described::put(
            "/admin/attributes/{name}",
            "setCompanyAttribute",
            "Set one attribute of the company; the others stay",
        ))
        .makes_its_place()
        .json_body("AttributeContents", json!({"Contents": "1"}))
        .answers(
            200,
            "The attribute",
            data(named("CompanyAttribute")),
            json!({"data": attribute()}),
        ),
        named_attribute(Described::delete(
            "/admin/attributes/{name}",
            "removeCompanyAttribute",
            "Take one attribute of the company away",
        ))
        .answers_nothing(204, "Removed"),
        Described::get(
            "/admin/settings",
            "listSettings",
            "The settings the server runs with",
        )
        .about("Values are texts, as they could be written in the file of settings; `null` is not set. No setting is a secret.")
        .admin()
        .answers(
            200,
            "All settings",
            data(list_of("SettingValue")),
            json!({"data": [{"name": "token_lifetime_seconds", "value": "3600", "default": "3600", "unit": "seconds"}]}),
        ),
    ]
}

/// Schemas of attributes and settings, which the interface document does not define.
pub(super) fn records(components: Components) -> Components {
    let setting = object([
        ("name", text().into()),
        ("value", or_null(text()).into()),
        ("default", or_null(text()).into()),
        ("unit", text().into()),
    ]);
    components
        .add_schema("CompanyAttribute", members())
        .add_schema(
            "AttributeContents",
            object([("Contents", plain(200).into())]),
        )
        .add_schema("SettingValue", setting)
}

fn members() -> Object {
    object([
        ("PHKey", text_of(12).into()),
        ("Contents", text_of(200).into()),
    ])
}

fn named_attribute(described: Described) -> Described {
    let name = text_of(12).min_length(1).pattern(NAME);
    described
        .admin()
        .place("name", "The attribute (`PHKey`)", name, json!("REST_Auft"))
}

fn attribute() -> Value {
    json!({"PHKey": "REST_Auft", "Contents": "1"})
}
