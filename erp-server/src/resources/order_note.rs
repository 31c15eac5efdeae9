//! `GET`, `PUT /admin/auftrag/{AuftNr}/note`: what the office notes on an order.

use erp_core::Code;
use erp_core::document::{Order, OrderNote};
use erp_core::internal::record::Versioned;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Clerk, Operation, Shared};
use super::members::Members;
use super::response::{Data, data};
use crate::openapi::headers::ETAG;
use crate::openapi::object::Object;
use crate::openapi::schema::{or_null, text, text_of};
use crate::web::{ApiRequest, ApiResponse, Result};

const NOTE_CHARACTERS: usize = 1_000;

async fn read(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    answer(user.office(&app).order(&request.key("AuftNr")).await?)
}

/// Replaces the note. The body is `{"note": "..."}`; an empty text, `null` or none removes it.
async fn replace(app: Shared, user: Clerk, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let text = members.lines("note", NOTE_CHARACTERS).map(str::trim);
    let text = text.filter(|text| !text.is_empty());
    let note = members.read("note", Code::ControlCharacter, text, OrderNote::new);
    let note = members.done(Some(note))?;
    let (actor, if_match) = (user.actor(&request), request.if_match()?);
    let office = user
        .office(&app)
        .actor(&actor)
        .if_match(if_match.as_deref());
    let number = request.key("AuftNr");
    let noted = office.set_order_note(&number, note.as_ref());
    answer(noted.await?)
}

fn answer(order: Versioned<Order>) -> Result<ApiResponse> {
    let noted = Note {
        order: order.value.number.to_string(),
        note: order.value.note.map(|note| note.to_string()),
    };
    Ok(data(noted)?.etag(order.revision))
}

/// A note on an order.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Note {
    /// Order number.
    #[serde(rename = "AuftNr")]
    order: String,
    /// The note; `null` when there is none.
    note: Option<String>,
}

pub(super) fn operations() -> Vec<Operation> {
    let path = "/admin/auftrag/{AuftNr}/note";
    let of_order = |operation: Operation| {
        operation
            .place("AuftNr", text_of(10))
            .answers_as::<Data<Note>>(200)
            .response_headers(&[200], &[ETAG])
    };
    let about = "The note, in any number of lines; an empty one removes it";
    let note = or_null(text().max_length(1_000)).description(about);
    let body = Object::new().property("note", note);
    vec![
        of_order(Operation::get(path, "readOrderNote").by(read)).with_tag(ETAG),
        of_order(
            Operation::put(path, "setOrderNote")
                .by(replace)
                .if_match()
                .json_body_of(body),
        ),
    ]
}
