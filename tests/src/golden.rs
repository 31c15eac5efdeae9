//! Golden files of whole responses, `golden/wire/*.http`: status line, all header fields sorted, the bytes of the body.
//!
//! Values that differ from run to run are replaced by placeholders: `Date`, `Last-Modified` and times between the start
//! of the server and now (`<now>`), request ids (`<request-id>`), tokens (`<token>`) and the port (`<port>`).
//! `Content-Length` and `Content-MD5` are literal, except that a digest over a replaced value becomes `<digest>`. With
//! a store in a database the revisions in tags are replaced, too. Nothing else is changed. `UPDATE_GOLDEN=1` writes the
//! files.

use std::path::Path;

use erp_server::store::Store;
use jiff::{SignedDuration, Timestamp};

use crate::exchange::Exchange;
use crate::server::Server;

/// Length of a time, `2026-03-02T10:00:00Z`.
const TIME: usize = 20;

/// Compares a response with its golden file.
pub fn golden(server: &Server, name: &str, exchange: &Exchange) {
    let text = normalised(server, exchange);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden/wire")
        .join(format!("{name}.http"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).expect("the golden file can be written");
        return;
    }
    let stored = std::fs::read_to_string(&path);
    let stored = stored
        .unwrap_or_else(|_| panic!("there is no golden file `{name}`; UPDATE_GOLDEN=1 writes it"));
    let (stored, text) = match server.erp().store() {
        Store::Sled(_) => (stored, text),
        Store::Postgres(_) => (without_revision(&stored), without_revision(&text)),
    };
    assert!(
        stored == text,
        "`{name}` differs from its golden file\n--- golden\n{stored}\n--- now\n{text}"
    );
}

/// Reads paths as the first shop, and compares each response with the golden file of its name.
pub fn golden_reads(server: &Server, reads: &[(&str, &str)]) {
    for (name, path) in reads {
        golden(server, name, &server.read(path));
    }
}

/// Removes the revision: the golden files have those of the embedded store, other stores start at other revisions.
fn without_revision(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("etag: \"r") {
        Some(rest) => format!(
            "etag: \"r{}",
            rest.trim_start_matches(|c: char| c.is_ascii_digit())
        ),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn normalised(server: &Server, exchange: &Exchange) -> String {
    let mut marked = exchange.clone();
    let body = marked_body(server, &exchange.text());
    let changed = body != exchange.text();
    marked.body = body.into_bytes();
    for (name, value) in &mut marked.headers {
        *value = match name.as_str() {
            "date" | "last-modified" => "<now>".to_owned(),
            "x-request-id" => "<request-id>".to_owned(),
            "content-md5" if changed => "<digest>".to_owned(),
            // The tag of an article is a digest of the body.
            "etag" if changed && value.starts_with("\"c") => "\"<digest>\"".to_owned(),
            _ => value.replace(&server.address().to_string(), "127.0.0.1:<port>"),
        };
    }
    marked.wire()
}

fn marked_body(server: &Server, body: &str) -> String {
    let text = body.replace(&server.address().to_string(), "127.0.0.1:<port>");
    let text = match text.split_once("\"access_token\":\"") {
        Some((before, rest)) => {
            let end = rest.find('"').expect("a token ends");
            format!("{before}\"access_token\":\"<token>{}", &rest[end..])
        }
        None => text,
    };
    without_times(server, &text)
}

fn without_times(server: &Server, text: &str) -> String {
    let slack = SignedDuration::from_secs(60);
    let (from, until) = (server.started() - slack, Timestamp::now() + slack);
    let mut marked = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let time = rest
            .get(..TIME)
            .filter(|time| first.is_ascii_digit() && time.ends_with('Z'));
        let time = time.and_then(|time| time.parse::<Timestamp>().ok());
        if time.is_some_and(|time| from <= time && time <= until) {
            marked.push_str("<now>");
            rest = &rest[TIME..];
        } else {
            marked.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    marked
}
