//! `/www/artikelmedia`, `/www/artikelmediadaten`.

use crate::openapi::headers::{CONTENT_RANGE, FILE, FILE_TAG, LAST_MODIFIED};
use crate::openapi::schema::{bytes, count, data, list_of, plain, text, text_of};
use crate::resources::app::Operation;
use crate::web::MAX_INT;

pub(in crate::resources) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/www/artikelmedia/{ArtNr}", "listMedia")
            .by(super::list)
            .place("ArtNr", text_of(15))
            .answers(200, data(list_of("MediaRecord")))
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
    Operation::get("/www/artikelmediadaten/{IDKey}", "readMedia")
        .by(super::data)
        .place("IDKey", count(MAX_INT))
        .needs("type", plain(200))
        .header("Range", text())
        .header("If-Range", text())
        .header("If-None-Match", text())
        .header("If-Modified-Since", text())
        .answers_file(200, &any)
        .answers_file(206, &any)
        .with_tag(FILE_TAG)
        .fails(&[416])
        .response_headers(&[206], &[FILE_TAG, CONTENT_RANGE])
        .response_headers(&[200, 206, 304], &[LAST_MODIFIED])
        .response_headers(&[200, 206], &FILE)
}
