//! `/admin/events`.

use serde_json::{Value, json};

use crate::openapi::object::{Components, Object};
use crate::openapi::operation::Described;
use crate::openapi::schema::{
    about, count, counted_page, data, flag, list, list_of, moment, named, object, one_of, or_null,
    text, text_of, time, whole,
};

const KIND: &str = "What kind of record changed";
const WHEN: &str = "When it was changed";
const SUBJECT: &str = "Which record, by whom";

pub(in crate::resources) fn operations() -> Vec<Described> {
    let mut operations = log_operations();
    operations.extend(target_operations());
    operations
}

fn log_operations() -> Vec<Described> {
    vec![
        Described::get(
            "/admin/events",
            "listEvents",
            "Events with their deliveries and attempts",
        )
        .admin()
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
        .answers(
            200,
            "The events in their order",
            counted_page("Event"),
            json!({"count": 1, "data": [event()], "next": null}),
        ),
        Described::post(
            "/admin/events/replay",
            "replayEventsSince",
            "Send all events since a time again",
        )
        .admin()
        .needs("since", "The time", moment(), json!("2026-06-01T10:00:00Z"))
        .answers(
            200,
            "Deliveries that were begun",
            begun(),
            json!({"data": {"deliveries": 3}}),
        ),
        Described::post(
            "/admin/events/replay/{id}",
            "replayEvent",
            "Send an event again",
        )
        .admin()
        .place("id", "The event", text_of(64), json!("evt_16_0"))
        .answers(
            200,
            "Deliveries that were begun",
            begun(),
            json!({"data": {"deliveries": 1}}),
        ),
    ]
}

fn target_operations() -> Vec<Described> {
    vec![
        Described::get(
            "/admin/events/targets",
            "listEventTargets",
            "Receivers of events",
        )
        .admin()
        .answers(
            200,
            "The targets, without their secrets",
            data(list_of("EventTarget")),
            json!({"data": [target()]}),
        ),
        Described::post(
            "/admin/events/targets",
            "addEventTarget",
            "Add a receiver of events",
        )
        .admin()
        .fails(&[409])
        .json_body(
            "NewEventTarget",
            json!({"url": "https://shop.example.ch/hooks", "kinds": ["REST_Auft"]}),
        )
        .answers(
            201,
            "The target; with its secret when the server made it, and only here",
            data(named("AddedEventTarget")),
            json!({"data": target()}),
        )
        .leads_to(201, "switchEventTarget", "id", "/data/id")
        .leads_to(201, "removeEventTarget", "id", "/data/id"),
        numbered(Described::put(
            "/admin/events/targets/{id}",
            "switchEventTarget",
            "Switch a receiver on or off",
        ))
        .json_body_of(
            object([("enabled", about("Whether events are sent to it", flag()))]).into(),
            json!({"enabled": false}),
        )
        .answers(
            200,
            "The target",
            data(named("EventTarget")),
            json!({"data": target()}),
        ),
        test_operation(),
        numbered(Described::delete(
            "/admin/events/targets/{id}",
            "removeEventTarget",
            "Remove a receiver",
        ))
        .answers_nothing(204, "Removed"),
    ]
}

fn test_operation() -> Described {
    numbered(Described::post(
        "/admin/events/targets/{id}/test",
        "testEventTarget",
        "Send a test to a receiver",
    ))
    .about("Posts a signed message of the type `REST_Test`, also to a receiver that is switched off. It is not listed and not repeated; the response has `status`, or `error` when there was none.")
    .answers(
        200,
        "What became of it",
        data(
            object([("millis", about("How long it took, in milliseconds", whole()))])
                .property("status", count(599).description("The status of the response"))
                .property(
                    "error",
                    one_of(["address_refused", "no_connection", "broken", "timed_out"])
                        .description("Why there was no response"),
                )
                .into(),
        ),
        json!({"data": {"status": 204, "millis": 12}}),
    )
}

/// The tag of webhooks.
pub(in crate::resources) const WEBHOOKS: &str = "Webhooks";

/// The webhook requests that receivers get.
pub(in crate::resources) fn webhooks() -> Value {
    let header = |name: &str, about: &str, example: &str| {
        json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": about,
            "schema": {"type": "string"},
            "example": example,
        })
    };
    let headers = json!([
        header(
            "webhook-id",
            "The event; the same one when it is sent again",
            "evt_16_0"
        ),
        header(
            "webhook-timestamp",
            "When it is sent, in seconds since 1970",
            "1780308000"
        ),
        header(
            "webhook-signature",
            "`v1,` and the Base64 of the HMAC-SHA256 over `{id}.{timestamp}.{body}` with the target's secret (Standard Webhooks)",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    ]);
    let webhook = |id: &str, kind: &str, number: (&str, &str), summary: &str| {
        let (name, value) = number;
        let example = json!({
            "type": kind,
            "timestamp": "2026-06-01T10:00:00Z",
            "data": {name: value, "method": "POST", "user": "shop1"},
        });
        json!({"post": {
            "tags": [WEBHOOKS],
            "operationId": id,
            "summary": summary,
            "description": "Sent to every target of this kind, at least once, until the response is a success, with growing pauses.",
            "security": [],
            "parameters": headers.clone(),
            "requestBody": {
                "required": true,
                "content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/EventMessage"},
                    "example": example,
                }},
            },
            "responses": {
                "204": {"description": "Received; every status from 200 to 299 counts"},
                "410": {"description": "Never again: the target is switched off"},
            },
        }})
    };
    json!({
        "REST_Auft": webhook("orderChanged", "REST_Auft", ("AuftNr", "100001"), "An order was placed or an offer converted"),
        "REST_Kunde": webhook("customerChanged", "REST_Kunde", ("DebiNr", "10001"), "A customer or one of its addresses was created or changed"),
    })
}

/// Schemas of events, which the interface document does not define.
pub(in crate::resources) fn records(components: Components) -> Components {
    let attempt = object([
        ("at", about("When it was tried", time())),
        (
            "outcome",
            about("`answered`, or why there was no response", text()),
        ),
        (
            "status",
            about(
                "The status of the response",
                or_null(Object::with_type("integer")),
            ),
        ),
        (
            "duration_ms",
            about("How long it took, in milliseconds", whole()),
        ),
    ]);
    let delivery = object([
        ("target", about("The receiver", whole())),
        (
            "state",
            about(
                "`waiting`, `delivered`, `given_up` or `target_gone`",
                text(),
            ),
        ),
        (
            "next_attempt_at",
            about("When it is tried next", or_null(time())),
        ),
        (
            "attempts",
            about("The attempts, the oldest first", list_of("EventAttempt")),
        ),
    ]);
    let event = object([
        (
            "id",
            about("The event, for `after` and to send it again", text()),
        ),
        ("type", about(KIND, kind())),
        ("timestamp", about(WHEN, time())),
        ("data", about(SUBJECT, named("EventData"))),
        (
            "deliveries",
            about("One per receiver", list_of("EventDelivery")),
        ),
    ]);
    components
        .add_schema("EventTarget", target_members())
        .add_schema(
            "AddedEventTarget",
            target_members().property("secret", text().description("The signing secret")),
        )
        .add_schema("NewEventTarget", new_target())
        .add_schema("Event", event)
        .add_schema(
            "EventMessage",
            object([
                ("type", about(KIND, kind())),
                ("timestamp", about(WHEN, time())),
                ("data", about(SUBJECT, named("EventData"))),
            ]),
        )
        .add_schema("EventData", event_data())
        .add_schema("EventDelivery", delivery)
        .add_schema("EventAttempt", attempt)
}

fn target_members() -> Object {
    object([
        ("id", about("The number of the receiver", whole())),
        ("url", about("Where events are posted", text())),
        ("kinds", about("Which events; none means all", list(kind()))),
        ("enabled", about("Whether events are sent to it", flag())),
        ("created_at", about("When it was added", time())),
    ])
}

fn new_target() -> Object {
    let secret = text()
        .description("The signing secret, Base64 after `whsec_`; without one the server makes one");
    let kinds = Object::with_type(["array", "null"])
        .with("items", kind())
        .description("Which events; none means all");
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

fn event_data() -> Object {
    Object::new()
        .property(
            "AuftNr",
            text_of(10).description("The order, of `REST_Auft`"),
        )
        .property(
            "DebiNr",
            text().description("The customer, of `REST_Kunde`"),
        )
        .property(
            "method",
            one_of(["POST", "PUT"]).description("Whether it was created or changed"),
        )
        .required("method")
        .property("user", text().description("Who did it"))
        .required("user")
}

fn kind() -> Object {
    one_of(["REST_Auft", "REST_Kunde"])
}

fn numbered(described: Described) -> Described {
    described
        .admin()
        .place("id", "The target", count(u32::MAX), json!(1))
}

fn begun() -> Value {
    data(object([("deliveries", about("Deliveries that were begun", whole()))]).into())
}

fn target() -> Value {
    json!({
        "id": 1,
        "url": "https://shop.example.ch/hooks",
        "kinds": ["REST_Auft"],
        "enabled": true,
        "created_at": "2026-06-01T10:00:00Z",
    })
}

fn event() -> Value {
    json!({
        "id": "evt_16_0",
        "type": "REST_Auft",
        "timestamp": "2026-06-01T10:00:00Z",
        "data": {"AuftNr": "100001", "method": "POST", "user": "shop1"},
        "deliveries": [{
            "target": 1,
            "state": "delivered",
            "next_attempt_at": null,
            "attempts": [{"at": "2026-06-01T10:00:01Z", "outcome": "answered", "status": 200, "duration_ms": 12}],
        }],
    })
}
