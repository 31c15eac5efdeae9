//! `/www/artikelmedia`, `/www/artikelmediadaten`.

use serde_json::json;

use crate::openapi::headers::{CONTENT_RANGE, FILE, FILE_TAG, LAST_MODIFIED};
use crate::openapi::operation::example;
use crate::openapi::schema::{bytes, count, data, list_of, plain, text, text_of};
use crate::resources::app::Operation;
use crate::web::MAX_INT;

pub(in crate::resources) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "/www/artikelmedia/{ArtNr}",
            "listMedia",
            "Pictures and texts of an article",
        )
        .by(super::list)
        .place("ArtNr", "Article number", text_of(15), json!("LM-3001"))
        .answers(
            200,
            "The media records",
            data(list_of("MediaRecord")),
            example(include_str!("../examples/article_media.json")),
        )
        .leads_to(200, "readMedia", "IDKey", "/data/0/IDKey"),
        file(),
    ]
}

fn file() -> Operation {
    let any = [
        ("text/plain", bytes()),
        ("image/*", bytes()),
        ("*/*", bytes()),
    ];
    Operation::get(
        "/www/artikelmediadaten/{IDKey}",
        "readMedia",
        "The file or the text of a media record",
    )
    .by(super::data)
    .place("IDKey", "Key of the media record", count(MAX_INT), json!(6))
    .needs(
        "type",
        "`Bild`, `Text` or a format of the record",
        plain(200),
        json!("Bild"),
    )
    .header("Range", "The part that is wanted (RFC 9110)", text())
    .header(
        "If-Range",
        "The `ETag` or time the part must belong to",
        text(),
    )
    .header("If-None-Match", "`ETag`s the client has", text())
    .header(
        "If-Modified-Since",
        "The time of what the client has",
        text(),
    )
    .answers_file(200, "The file", &any)
    .answers_file(206, "A part of the file", &any)
    .with_tag(FILE_TAG)
    .fails(&[416])
    .response_headers(&[206], &[FILE_TAG, CONTENT_RANGE])
    .response_headers(&[200, 206, 304], &[LAST_MODIFIED])
    .response_headers(&[200, 206], &FILE)
}
