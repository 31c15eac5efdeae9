//! Company attributes and read access to the settings. Admins only.

use erp_core::Code;
use erp_core::master::Attribute;
use erp_core::sentence::Sentence;
use erp_core::text::Text;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Admin, Operation, SettingValue, Shared};
use super::export::LINES;
use super::members::Members;
use super::response::{Data, data};
use crate::import::FirstCompany;
use crate::openapi::object::Object;
use crate::openapi::schema::{bytes, one_of, plain, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Result};

const CONTENTS_CHARACTERS: usize = 200;

/// Pattern of an attribute name: no control characters, no blanks at its ends.
const NAME: &str = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$";

async fn attributes(app: Shared, user: Admin, _request: ApiRequest) -> Result<ApiResponse> {
    let company = user.office(&app).company().await?;
    let attributes = company.attributes.iter().map(CompanyAttribute::from);
    data(attributes.collect::<Vec<_>>())
}

async fn set_attribute(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
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
    data(CompanyAttribute::from(&attribute))
}

async fn remove_attribute(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    user.office(&app)
        .actor(&user.actor(&request))
        .remove_company_attribute(&request.path("name"))
        .await?;
    Ok(ApiResponse::no_content())
}

/// `GET /admin/company/start?country=`
async fn first(_: Shared, _: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let country = query.text("country", 2)?.unwrap_or_default();
    let company = FirstCompany::of(country).ok_or_else(|| {
        let allowed = sentence!(
            "allowed.one_of",
            names = FirstCompany::countries().join(", ")
        );
        ApiError::parameter("country", country, allowed)
    })?;
    let lines = company.lines().join("\n") + "\n";
    Ok(ApiResponse::bytes(LINES, lines.into_bytes()))
}

/// `GET /admin/settings`: the effective settings. They contain no secrets; key files appear as paths.
async fn settings(app: Shared, _: Admin, _request: ApiRequest) -> Result<ApiResponse> {
    data(&app.options.settings)
}

pub(crate) fn attribute_name(name: &str) -> Result<Text<12>, Sentence> {
    let key: Text<12> = Text::new(name)?;
    if name.trim() != name || name.is_empty() || name.chars().any(char::is_control) {
        return Err(sentence!("malformed.attribute"));
    }
    Ok(key)
}

/// An attribute of the company.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct CompanyAttribute {
    /// The unique name.
    #[serde(rename = "PHKey")]
    #[schemars(length(max = 12))]
    key: String,
    /// The value.
    #[schemars(length(max = 200))]
    contents: String,
}

impl From<&Attribute> for CompanyAttribute {
    fn from(attribute: &Attribute) -> Self {
        Self {
            key: attribute.key.to_string(),
            contents: attribute.contents.to_string(),
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    let name = || text_of(12).min_length(1).pattern(NAME);
    let contents = Object::new().member("Contents", "The value", plain(200));
    vec![
        Operation::get("/admin/attributes", "listCompanyAttributes")
            .by(attributes)
            .answers_as::<Data<Vec<CompanyAttribute>>>(200),
        Operation::put("/admin/attributes/{name}", "setCompanyAttribute")
            .by(set_attribute)
            .place("name", name())
            .makes_its_place()
            .json_body_as("AttributeContents", contents)
            .answers_as::<Data<CompanyAttribute>>(200),
        Operation::delete("/admin/attributes/{name}", "removeCompanyAttribute")
            .by(remove_attribute)
            .place("name", name())
            .answers_nothing(204),
        Operation::get("/admin/company/start", "readFirstCompany")
            .by(first)
            .needs("country", one_of(FirstCompany::countries()))
            .answers_file(200, &[("application/x-ndjson", bytes())]),
        Operation::get("/admin/settings", "listSettings")
            .by(settings)
            .answers_as::<Data<Vec<SettingValue>>>(200),
    ]
}
