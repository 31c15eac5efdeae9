//! Company attributes and read access to the settings. Admins only.

use erp_core::master::Attribute;
use erp_core::problem::Code;
use erp_core::text::Text;
use serde_json::{Value, json};

use super::app::{Admin, App, SettingValue, Shared};
use super::members::Members;
use crate::openapi::object::{Components, Object};
use crate::openapi::operation::Described;
use crate::openapi::schema::{about, data, list_of, named, object, or_null, plain, text, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Resource, Routes};

/// Maximum length of an attribute's contents.
const CONTENTS_CHARACTERS: usize = 200;

/// Pattern of an attribute name: no control characters, no blanks at its ends.
const NAME: &str = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$";

/// The paths of attributes and settings.
pub(super) fn routes(routes: Routes<App>) -> Routes<App> {
    routes
        .at("/admin/settings", Resource::new().get(settings))
        .at("/admin/attributes", Resource::new().get(attributes))
        .at(
            "/admin/attributes/{name}",
            Resource::new().put(set_attribute).delete(remove_attribute),
        )
}

/// `GET /admin/attributes`
pub(super) async fn attributes(
    app: Shared,
    user: Admin,
    _request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let company = user.office(&app).company().await?;
    let listed: Vec<Value> = company.attributes.iter().map(attribute_json).collect();
    ApiResponse::json(&json!({"data": listed}))
}

/// `PUT /admin/attributes/{name}` with `{"Contents"}`.
pub(super) async fn set_attribute(
    app: Shared,
    user: Admin,
    mut request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let body = request.json().await?;
    let name = request.path("name");
    let mut members = Members::of(&body);
    let contents = members.required("Contents", CONTENTS_CHARACTERS);
    let contents = members.read("Contents", Code::Malformed, contents, Text::new);
    let key = members.read("PHKey", Code::Malformed, Some(&name), attribute_name);
    let attribute = key
        .zip(contents)
        .map(|(key, contents)| Attribute { key, contents });
    let attribute = members.done(attribute)?;
    user.office(&app)
        .actor(&user.actor(&request))
        .set_company_attribute(&attribute)
        .await?;
    ApiResponse::json(&json!({"data": attribute_json(&attribute)}))
}

/// `DELETE /admin/attributes/{name}`
pub(super) async fn remove_attribute(
    app: Shared,
    user: Admin,
    request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    user.office(&app)
        .actor(&user.actor(&request))
        .remove_company_attribute(&request.path("name"))
        .await?;
    Ok(ApiResponse::no_content())
}

/// `GET /admin/settings`: the effective settings. They contain no secrets; key files appear as paths.
pub(super) async fn settings(
    app: Shared,
    _: Admin,
    _request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&json!({"data": settings_json(&app.options.settings)}))
}

/// Validates an attribute name.
pub(crate) fn attribute_name(name: &str) -> Result<Text<12>, String> {
    let key: Text<12> = Text::new(name).map_err(|error| error.to_string())?;
    if name.trim() != name || name.is_empty() || name.chars().any(char::is_control) {
        return Err("an attribute's name is not empty and has no blanks around it".to_owned());
    }
    Ok(key)
}

/// JSON form of an attribute, with the field names of the interface.
fn attribute_json(attribute: &Attribute) -> Value {
    json!({"PHKey": attribute.key, "Contents": attribute.contents})
}

/// All settings as text; unset ones are `null`.
pub(crate) fn settings_json(settings: &[SettingValue]) -> Vec<Value> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let shown = settings.iter().map(|setting| {
        json!({
            "name": setting.name,
            "value": text(&setting.value),
            "default": text(setting.default),
            "unit": setting.unit,
        })
    });
    shown.collect()
}

/// Their OpenAPI description.
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
            "Remove one attribute of the company",
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
        ("name", about("The name of the setting", text())),
        (
            "value",
            about("Its value; `null` is not set", or_null(text())),
        ),
        (
            "default",
            about("The value without the setting", or_null(text())),
        ),
        ("unit", about("The unit of the value", text())),
    ]);
    components
        .add_schema("CompanyAttribute", members())
        .add_schema(
            "AttributeContents",
            object([("Contents", about("The value", plain(200)))]),
        )
        .add_schema("SettingValue", setting)
}

fn members() -> Object {
    object([
        ("PHKey", about("The unique name", text_of(12))),
        ("Contents", about("The value", text_of(200))),
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
