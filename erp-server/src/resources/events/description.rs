//! `/admin/events`.

use erp_core::erp::EventKind;
use serde_json::{Value, json};

use super::records::{AddedEventTarget, Begun, Event, EventTarget, TestResult};
use crate::delivery::EventMessage;
use crate::openapi::object::Object;
use crate::openapi::operation::example;
use crate::openapi::schema::{about, count, flag, moment, object, one_of, or_null, text, text_of};
use crate::openapi::{Webhooks, schema_of};
use crate::resources::app::Operation;
use crate::resources::response::{CountedPage, Data};

const TARGETS: &str = "/admin/events/targets";

pub(in crate::resources) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "/admin/events",
            "listEvents",
            "Events with their deliveries and attempts",
        )
        .by(super::list)
        .query_time("since", "Only events since this time")
        .query_like(
            "after",
            "Only events after this one",
            text_of(64).pattern("^(evt_(0|[1-9][0-9]{0,17})_(0|[1-9][0-9]{0,3}))?$"),
            json!("evt_14_0"),
        )
        .query(
            "state",
            "`failed`: only events with a delivery whose last attempt failed, the newest first; `after` is then the `next` of a page, and `since` cannot be given",
            one_of(["failed", ""]),
        )
        .query_limit(1_000)
        .fails(&[422])
        .answers_as::<CountedPage<Event>>(
            200,
            "The events in their order",
            json!({"count": 1, "data": [event()], "next": null}),
        ),
        Operation::post(
            "/admin/events/replay",
            "replayEventsSince",
            "Send all events since a time again",
        )
        .by(super::replay_since)
        .needs("since", "The time", moment(), json!("2026-06-01T10:00:00Z"))
        .answers_as::<Data<Begun>>(
            200,
            "Deliveries that were begun",
            json!({"data": {"deliveries": 3}}),
        ),
        Operation::post(
            "/admin/events/replay/{id}",
            "replayEvent",
            "Send an event again",
        )
        .by(super::replay)
        .place("id", "The event", text_of(64), json!("evt_16_0"))
        .answers_as::<Data<Begun>>(
            200,
            "Deliveries that were begun",
            json!({"data": {"deliveries": 1}}),
        ),
        Operation::get(TARGETS, "listEventTargets", "Receivers of events")
        .by(super::targets)
        .answers_as::<Data<Vec<EventTarget>>>(
            200,
            "The targets, without their secrets",
            json!({"data": [target()]}),
        ),
        Operation::post(TARGETS, "addEventTarget", "Add a receiver of events")
        .by(super::add_target)
        .fails(&[409])
        .json_body_as(
            "NewEventTarget",
            new_target(),
            json!({"url": "https://shop.example.ch/hooks", "kinds": ["REST_Auft"]}),
        )
        .answers_as::<Data<AddedEventTarget>>(
            201,
            "The target; with its secret when the server made it, and only here",
            json!({"data": target()}),
        )
        .leads_to(201, "switchEventTarget", "id", "/data/id")
        .leads_to(201, "removeEventTarget", "id", "/data/id"),
        numbered(Operation::put(
            "/admin/events/targets/{id}",
            "switchEventTarget",
            "Switch a receiver on or off",
        ))
        .by(super::switch_target)
        .json_body_of(
            object([("enabled", about("Whether events are sent to it", flag()))]).into(),
            json!({"enabled": false}),
        )
        .answers_as::<Data<EventTarget>>(200, "The target", json!({"data": target()})),
        test_operation(),
        numbered(Operation::delete(
            "/admin/events/targets/{id}",
            "removeEventTarget",
            "Remove a receiver",
        ))
        .by(super::remove_target)
        .answers_nothing(204, "Removed"),
    ]
}

fn test_operation() -> Operation {
    numbered(Operation::post(
        "/admin/events/targets/{id}/test",
        "testEventTarget",
        "Send a test to a receiver",
    ))
    .by(super::test)
    .about("Posts a signed message of the type `REST_Test`, also to a receiver that is switched off. It is not listed and not repeated; the response has `status`, or `error` when there was none.")
    .answers_as::<Data<TestResult>>(
        200,
        "What became of it",
        json!({"data": {"status": 204, "millis": 12}}),
    )
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
        .with("items", kind())
        .description("Which events; none means orders and customers");
    Object::new()
        .property(
            "url",
            text()
                .min_length(1)
                .pattern("^ *https?://")
                .description("Where events are posted"),
        )
        .required("url")
        .property("secret", or_null(secret))
        .property("kinds", kinds)
}

fn kind() -> Object {
    one_of(EventKind::ALL.map(EventKind::as_str))
}

fn numbered(operation: Operation) -> Operation {
    operation.place("id", "The target", count(u32::MAX), json!(1))
}

fn target() -> Value {
    example(include_str!("../examples/event_target.json"))
}

fn event() -> Value {
    example(include_str!("../examples/event.json"))
}
