//! `/admin/events`.

use erp_core::erp::EventKind;
use serde_json::{Value, json};

use super::records::{AddedEventTarget, Begun, Event, EventTarget, TestResult};
use crate::delivery::EventMessage;
use crate::openapi::object::Object;
use crate::openapi::operation::example;
use crate::openapi::schema::{count, flag, moment, one_of, or_null, text, text_of};
use crate::openapi::{Webhooks, schema_of};
use crate::resources::app::Operation;
use crate::resources::response::{CountedPage, Data};

const TARGETS: &str = "/admin/events/targets";

const TARGET: &str = "/admin/events/targets/{id}";

pub(in crate::resources) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/events", "listEvents")
            .by(super::list)
            .query("since", moment())
            .query(
                "after",
                text_of(64).pattern("^(evt_(0|[1-9][0-9]{0,17})_(0|[1-9][0-9]{0,3}))?$"),
            )
            .query("state", one_of(["failed", ""]))
            .limited(1_000)
            .fails(&[422])
            .answers_as::<CountedPage<Event>>(200),
        Operation::post("/admin/events/replay", "replayEventsSince")
            .by(super::replay_since)
            .needs("since", moment())
            .answers_as::<Data<Begun>>(200),
        Operation::post("/admin/events/replay/{id}", "replayEvent")
            .by(super::replay)
            .place("id", text_of(64))
            .answers_as::<Data<Begun>>(200),
        Operation::get(TARGETS, "listEventTargets")
            .by(super::targets)
            .answers_as::<Data<Vec<EventTarget>>>(200),
        Operation::post(TARGETS, "addEventTarget")
            .by(super::add_target)
            .fails(&[409])
            .json_body_as("NewEventTarget", new_target())
            .answers_as::<Data<AddedEventTarget>>(201)
            .leads_to(201, "switchEventTarget", "id", "/data/id")
            .leads_to(201, "removeEventTarget", "id", "/data/id"),
        Operation::put(TARGET, "switchEventTarget")
            .by(super::switch_target)
            .place("id", count(u32::MAX))
            .json_body_of(Object::new().member("enabled", "Whether events are sent to it", flag()))
            .answers_as::<Data<EventTarget>>(200),
        Operation::post("/admin/events/targets/{id}/test", "testEventTarget")
            .by(super::test)
            .place("id", count(u32::MAX))
            .answers_as::<Data<TestResult>>(200),
        Operation::delete(TARGET, "removeEventTarget")
            .by(super::remove_target)
            .place("id", count(u32::MAX))
            .answers_nothing(204),
    ]
}

const WEBHOOKS: &str = "Webhooks";

pub(in crate::resources) fn webhooks() -> Webhooks {
    let (message, records) = schema_of::<EventMessage>();
    let headers = example(include_str!("../schemas/webhook_headers.json"));
    let webhook = |id: &str, kind: &str, (name, value): (&str, Value), summary: &str| {
        let example = json!({
            "type": kind,
            "timestamp": "2026-06-01T10:00:00Z",
            "data": {name: value, "method": "PUT", "user": "shop1"},
        });
        json!({"post": {
            "tags": [WEBHOOKS],
            "operationId": id,
            "summary": summary,
            "description": "Sent to every receiver of this kind, at least once, until the response is a success, with growing pauses.",
            "security": [],
            "parameters": headers.clone(),
            "requestBody": {
                "required": true,
                "content": {"application/json": {
                    "schema": message.clone(),
                    "example": example,
                }},
            },
            "responses": {
                "204": {"description": "Received; every status from 200 to 299 counts"},
                "410": {"description": "Never again: the receiver is switched off"},
            },
        }})
    };
    let operations = json!({
        "REST_Auft": webhook("orderChanged", "REST_Auft", ("AuftNr", json!("100001")), "An order was placed, an offer converted, or an order moved to another state"),
        "REST_Kunde": webhook("customerChanged", "REST_Kunde", ("DebiNr", json!("10001")), "A customer or one of its addresses was created or changed, or (`DELETE`) the customer was forgotten"),
        "REST_Artikel": webhook("articlesChanged", "REST_Artikel", ("ArtNr", json!(["A-1001"])), "An import changed articles, their prices, stock or media, or (`DELETE`) removed them; only for receivers that name this kind"),
        "REST_Rechnung": webhook("invoiceMade", "REST_Rechnung", ("RechNr", json!("1")), "An invoice or a credit note was made; only for receivers that name this kind"),
    });
    Webhooks {
        name: WEBHOOKS,
        about: "What receivers of events get; signed, without a token",
        operations,
        records,
    }
}

fn new_target() -> Object {
    let secret = text()
        .description("The signing secret, Base64 after `whsec_`; without one the server makes one");
    let kinds = Object::with_type(["array", "null"])
        .with("items", one_of(EventKind::ALL.map(EventKind::as_str)))
        .description("Which events; none means orders and customers");
    let url = text().min_length(1).pattern("^ *https?://");
    Object::new()
        .member("url", "Where events are posted", url)
        .property("secret", or_null(secret))
        .property("kinds", kinds)
}
