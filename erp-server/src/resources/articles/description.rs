//! `/www/artikel`, `/www/tofaktorlogin`.

use std::fmt::Display;

use erp_core::article::SORTABLE;
use erp_core::codes::{Currency, Language};
use erp_core::internal::response::Article;
use erp_core::internal::wire::Record as _;
use serde_json::{Value, json};

use crate::openapi::headers::{ANSWER_TAG, LINK};
use crate::openapi::object::Object;
use crate::openapi::operation::example;
use crate::openapi::schema::{
    about, count, data, list, list_of, named, object, plain, text, text_of, whole,
};
use crate::resources::app::Operation;
use crate::resources::changes::described;
use crate::web::MAX_INT;

const SEARCH: &str = "Only articles whose number, description, group or class contain all of these words, at most 20. A word that none has \
    stands for the nearest one: 1 typing error from 4 letters on, 2 from 6 on; two letters swapped are one";

const GROUPS: &str =
    "`J` adds `gruppen`: the groups of the articles found, whatever `artgruppe` says";

const SINCE: &str = "Empty: all articles, with `stand`. A `stand`: only articles that may have changed since, and `entfernt`. By number; \
    not with `sorts`, `suche`, `artgruppe`, `gruppen`";

const UNTIL: &str = "With `seit` and an `offset`: the `stand` of the first page, so that all pages are of one state; `links` have it";

const SORTS: &str = "Fields to sort by, separated by commas, each with `+` or `-`; default `+ArtBez`, and with `suche` what fits best first";

pub(in crate::resources) fn operations() -> Vec<Operation> {
    vec![
        described(priced(Operation::get("/www/artikel", "listArticles", "The article list").by(super::list))
            .about("Articles the user's `RESTWEBSHOP` value selects. `count` is their number before `limit` and `offset`.")
            .query_like("limit", "Number of articles; 0 is all and the default", count(MAX_INT), json!(2))
            .query_like("offset", "Articles to leave out at the beginning; default 0", count(MAX_INT), json!(2))
            .query_like("fields", "Fields to show, separated by commas; default all", fields(), json!("ArtNr,ArtBez,Preis"))
            .query_like("sorts", SORTS, sorts(), json!("-ArtNr"))
            .query_like("suche", SEARCH, plain(100), json!("kafee bohnen"))
            .query_like("artgruppe", "Only articles of this group (`ArtGruppe`)", plain(12), json!("LEBENSMITTEL"))
            .query_like("gruppen", GROUPS, text().enum_values(["", "J", "N"]), json!("J")), SINCE, UNTIL)
            .answers(
                200,
                "The articles",
                object([
                    ("count", whole().description("Number of all articles of the list").into()),
                    ("data", about("The articles of this page", list_of("Article"))),
                    ("links", about("`start`, `prev` and `next`", list_of("Link"))),
                ])
                .property("gruppen", groups())
                .property("entfernt", about("With `seit`: numbers of articles that are gone, or hidden now, and were not then", list(text_of(15))))
                .property("stand", text().description("With `seit`: the mark for the next `seit`, the same on every page"))
                .into(),
                example(include_str!("../examples/article_list.json")),
            )
            .response_headers(&[200], &[LINK]),
        single(Operation::get("/www/artikel/{ArtNr}", "readArticle", "An article with its declarations")).by(super::single),
        single(Operation::get("/www/tofaktorlogin/{ArtNr}", "readArticleWithFactors", "An article with its declarations (ToFaktorLogin)")).by(super::single),
    ]
}

fn groups() -> Object {
    let group = object([
        ("ArtGruppe", about("Article group", text_of(12))),
        (
            "Anzahl",
            whole().description("Number of its articles").into(),
        ),
    ]);
    Object::new()
        .with("type", "array")
        .with("items", Value::from(group))
        .description("The groups of the articles found, with `gruppen=J`")
}

fn single(operation: Operation) -> Operation {
    let number = text_of(15);
    priced(operation.place("ArtNr", "Article number", number, json!("LM-3001")))
        .answers(
            200,
            "The article",
            data(named("SingleArticle")),
            example(include_str!("../examples/article.json")),
        )
        .with_tag(ANSWER_TAG)
}

fn priced(operation: Operation) -> Operation {
    operation
        .query_like(
            "waehrabk",
            "Currency of the prices, ISO 4217; default the leading currency, for the token of one customer the customer's",
            code(Currency::all()),
            json!("CHF"),
        )
        .query_like(
            "debinr",
            "Customer number, for the customer's prices and language",
            plain(6),
            json!("10007"),
        )
        .query_like(
            "adrsprache",
            "Language, ISO 639-2/B; default `ger`; that of `debinr` goes first",
            code(Language::all()),
            json!("ger"),
        )
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
