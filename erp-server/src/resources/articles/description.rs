//! `/www/artikel`, `/www/tofaktorlogin`.

use std::fmt::Display;

use erp_core::article::SORTABLE;
use erp_core::codes::{Currency, Language};
use erp_core::internal::response::Article;
use erp_core::internal::wire::Record as _;
use serde_json::Value;

use crate::openapi::headers::{ANSWER_TAG, LINK};
use crate::openapi::object::Object;
use crate::openapi::schema::{
    about, count, data, list, list_of, named, one_of, plain, text, text_of, whole,
};
use crate::resources::app::Operation;
use crate::resources::changes::described;
use crate::web::MAX_INT;

pub(in crate::resources) fn operations() -> Vec<Operation> {
    let factors = "/www/tofaktorlogin/{ArtNr}";
    vec![
        article_list(),
        single(Operation::get("/www/artikel/{ArtNr}", "readArticle")),
        single(Operation::get(factors, "readArticleWithFactors")),
    ]
}

fn article_list() -> Operation {
    let gone = "With `seit`: numbers of articles that are gone, or hidden now, and were not then";
    let mark = "With `seit`: the mark for the next `seit`, the same on every page";
    let page = Object::new()
        .member("count", "Number of all articles of the list", whole())
        .member("data", "The articles of this page", list_of("Article"))
        .member("links", "`start`, `prev` and `next`", list_of("Link"))
        .property("gruppen", groups())
        .property("entfernt", about(gone, list(text_of(15))))
        .property("stand", text().description(mark));
    let list = Operation::get("/www/artikel", "listArticles").by(super::list);
    let list = priced(list)
        .query("limit", count(MAX_INT))
        .query("offset", count(MAX_INT))
        .query("fields", fields())
        .query("sorts", sorts())
        .query("suche", plain(100))
        .query("artgruppe", plain(12))
        .query("gruppen", one_of(["", "J", "N"]));
    described(list)
        .answers(200, page)
        .response_headers(&[200], &[LINK])
}

fn groups() -> Object {
    let group = Object::new()
        .member("ArtGruppe", "Article group", text_of(12))
        .member("Anzahl", "Number of its articles", whole());
    Object::new()
        .with("type", "array")
        .with("items", Value::from(group))
        .description("The groups of the articles found, with `gruppen=J`")
}

fn single(operation: Operation) -> Operation {
    priced(operation.by(super::single).place("ArtNr", text_of(15)))
        .answers(200, data(named("SingleArticle")))
        .with_tag(ANSWER_TAG)
}

fn priced(operation: Operation) -> Operation {
    operation
        .query("waehrabk", code(Currency::all()))
        .query("debinr", plain(6))
        .query("adrsprache", code(Language::all()))
}

/// A code in its standard spelling, or an empty string.
fn code<T: Display>(all: impl Iterator<Item = T>) -> Object {
    let codes = all.map(|code| code.to_string());
    text().enum_values(std::iter::once(String::new()).chain(codes))
}

fn fields() -> Object {
    let names: Vec<&str> = Article::SCHEMA
        .fields
        .iter()
        .map(|field| field.wire)
        .collect();
    separated(&format!("({})", names.join("|")))
}

fn sorts() -> Object {
    separated(&format!("[+-]({})", SORTABLE.join("|")))
}

/// Names separated by commas, each of this pattern.
fn separated(name: &str) -> Object {
    text_of(512).pattern(format!("^({name}(,{name})*)?$"))
}
