//! `#[derive(Record)]`: a record of the interface is declared once, as a struct of checked values, and is read and
//! written for each of its views by what this macro generates.
//!
//! ```text
//! /// What a shop may set on a customer.
//! #[derive(Record)]
//! #[record(Body = "CustomerBodyHeader", Row)]
//! pub struct CustomerDetails {
//!     /// Customer currency, ISO 4217.
//!     #[wire("WaehrAbk", required)]
//!     pub currency: Currency,
//!     /// Shipping condition type.
//!     #[wire("VBTyp", key)]
//!     pub shipping_condition: Option<Text<12>>,
//! }
//! ```
//!
//! `#[record(..)]` lists the views of the struct, each with the name of its schema; one without a name can only be a
//! group of another record. `one_of("A", "B")` requires one of two members of a body or row. `exact` keeps trailing blanks
//! of texts. `first("A B")` are the first members of the schema; the others follow in the order of the fields.
//! `stored` says that the struct has its own form when it is stored, and is a response only within another one.
//! `bare(a, b)` makes a constructor, for the crate alone, of a record that has only the fields `a` and `b`.
//!
//! `#[wire("Name", ..)]` names the member of a field. A field without it is on no view and has its default after
//! reading. In any order:
//!
//! | word | meaning |
//! |---|---|
//! | `text`, `name`, `key`, `amount`, … | the rule of the value: one of `wire::Rule`, in lower case |
//! | `required`, `required(View)` | the member must be there, in all views or in these |
//! | `default`, `default = EXPR` | the value when the member is absent; without it the field is an `Option` or required |
//! | `only(View)`, `not(View)` | the views that have the member |
//! | `shop_only` | only the shop itself may set it: `refuse_shop_only` of the struct refuses it from a customer |
//! | `object`, `list` | a record, or a list of records, in the same view; an empty list is left out unless it is required |
//! | `section` | a record whose parts count one by one: an absent one lacks what it requires |
//! | `entries` | a list of records, each an `Entry` with its place in the list |
//! | `texts` | a text per language in `Texte`, and one in the company's language in the named member |
//! | `varchar(N)`, `char(N)`, `string`, `View: char(N)` | the declared type, in all views or in one, unless it is that of the Rust type |
//!
//! `#[wire(group)]`: the members of the field's record are members of this one. `group(View)`, `object(View)` and
//! `list(View)` name the view of the record inside, where it is another one.

mod attributes;
mod expand;
mod sentence;
mod word;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Reads and writes a struct as a record of the interface; the first page of the crate has the attributes.
#[proc_macro_derive(Record, attributes(record, wire))]
pub fn record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expanded(expand::record(&input))
}

/// Gives an enum its words on the wire: `ALL`, `as_str` and `parse`. The word of a variant is that of `#[word("..")]`,
/// otherwise its name for serde, otherwise its own name in snake case. With `#[word(any_case)]` on the enum, letter case does
/// not matter to `parse`.
#[proc_macro_derive(Word, attributes(word, serde))]
pub fn word(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expanded(word::word(&input))
}

/// A sentence of `sentences.tsv` with the values of its places: `sentence!("too_many", count, most = limit.entries)`.
#[proc_macro]
pub fn sentence(input: TokenStream) -> TokenStream {
    let said = parse_macro_input!(input as sentence::Said);
    expanded(said.expand())
}

/// Makes a type an error whose variants say a sentence of `sentences.tsv`: `#[say("too_long")]`. A place takes the field of
/// its name, or else what is given for it: `#[say("too_long", limit = field_most.get())]`. `#[say(transparent)]` says what the
/// only field says.
#[proc_macro_derive(Say, attributes(say))]
pub fn say(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expanded(sentence::say(&input))
}

fn expanded(generated: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    let tokens = generated.unwrap_or_else(|error| error.to_compile_error());
    tokens.into()
}
