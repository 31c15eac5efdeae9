//! Company attributes and read access to the settings. Admins only.

use erp_core::master::Attribute;
use erp_core::problem::Code;
use erp_core::storage::Storage;
use erp_core::text::Text;
use serde_json::{Value, json};

use super::Shared;
use super::members::Members;
use crate::resources::{Admin, SettingValue};
use crate::web::{Answer, ApiError, Call};

/// Maximum length of an attribute's contents.
const CONTENTS_CHARACTERS: usize = 200;

/// `GET /admin/attributes`
pub(super) async fn attributes<S: Storage>(
    app: Shared<S>,
    _: Admin,
    _call: Call,
) -> Result<Answer, ApiError> {
    let company = app.erp().company().await?;
    let listed: Vec<Value> = company.attributes.iter().map(attribute_json).collect();
    Answer::json(&json!({"data": listed}))
}

/// `PUT /admin/attributes/{name}` with `{"Contents"}`.
pub(super) async fn set_attribute<S: Storage>(
    app: Shared<S>,
    user: Admin,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let name = call.path("name");
    let mut members = Members::of(&body);
    let contents = members.required("Contents", CONTENTS_CHARACTERS);
    let contents = members.read("Contents", Code::Malformed, contents, Text::new);
    let key = members.read("PHKey", Code::Malformed, Some(&name), attribute_name);
    let attribute = key
        .zip(contents)
        .map(|(key, contents)| Attribute { key, contents });
    let attribute = members.done(attribute)?;
    app.erp()
        .set_company_attribute(&attribute, Some(&user.actor(&call)))
        .await?;
    Answer::json(&json!({"data": attribute_json(&attribute)}))
}

/// `DELETE /admin/attributes/{name}`
pub(super) async fn remove_attribute<S: Storage>(
    app: Shared<S>,
    user: Admin,
    call: Call,
) -> Result<Answer, ApiError> {
    app.erp()
        .remove_company_attribute(&call.path("name"), Some(&user.actor(&call)))
        .await?;
    Ok(Answer::no_content())
}

/// `GET /admin/settings`: the effective settings. They contain no secrets; key files appear as paths.
pub(super) async fn settings<S: Storage>(
    app: Shared<S>,
    _: Admin,
    _call: Call,
) -> Result<Answer, ApiError> {
    Answer::json(&json!({"data": settings_json(&app.options().settings)}))
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
pub(crate) fn attribute_json(attribute: &Attribute) -> Value {
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
