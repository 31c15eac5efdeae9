//! Sentences for people, which stand in four languages in `sentences.tsv`. A program has only those that it says.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Data, DeriveInput, Expr, Fields, Ident, LitStr, Token, parse_quote};

/// Per line: id, English, German, French, Italian.
const TABLE: &str = include_str!("sentences.tsv");

/// An id and the values of the places: `"too_many", count, most = limit.entries`.
pub(crate) struct Said {
    id: LitStr,
    values: Vec<(String, Expr)>,
}

impl Parse for Said {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let id = input.parse()?;
        let mut values = Vec::new();
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let name: Ident = input.parse()?;
            let value = match input.parse::<Option<Token![=]>>()? {
                Some(_) => input.parse()?,
                None => parse_quote!(#name),
            };
            values.push((name.to_string(), value));
        }
        Ok(Self { id, values })
    }
}

impl Said {
    /// The texts of the table, and the names of their places in the order of the first one.
    fn row(&self) -> syn::Result<(&'static str, Vec<&'static str>)> {
        let mut rows = TABLE.lines().filter_map(|line| line.split_once('\t'));
        let row = rows.find(|(id, _)| *id == self.id.value());
        let (_, texts) = row.ok_or_else(|| self.wrong("sentences.tsv has no such sentence"))?;
        let english = texts.split('\t').next().unwrap_or_default();
        let after = english.split('{').skip(1);
        let places = after.filter_map(|part| Some(part.split_once('}')?.0));
        Ok((texts, places.collect()))
    }

    fn wrong(&self, why: &str) -> syn::Error {
        syn::Error::new(self.id.span(), why)
    }

    pub(crate) fn expand(&self) -> syn::Result<TokenStream> {
        let (texts, mut places) = self.row()?;
        let mut numbered = texts.to_owned();
        for (at, (name, _)) in self.values.iter().enumerate() {
            if !places.contains(&name.as_str()) {
                return Err(self.wrong(&format!("the sentence has no place `{name}`")));
            }
            places.retain(|place| place != name);
            numbered = numbered.replace(&format!("{{{name}}}"), &format!("{{{at}}}"));
        }
        if let Some(place) = places.first() {
            return Err(self.wrong(&format!("there is no value for the place `{place}`")));
        }
        let values = self.values.iter().map(|(_, value)| value);
        Ok(quote! {
            ::erp_core::sentence::Sentence::Row(
                #numbered,
                ::std::vec![#(::erp_core::sentence::AsValue::as_value(&#values)),*],
            )
        })
    }
}

/// What is generated for an error whose variants are sentences.
pub(crate) fn say(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let arms = match &input.data {
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let name = &variant.ident;
                arm(quote!(Self::#name), &variant.attrs, &variant.fields)
            });
            arms.collect::<syn::Result<Vec<_>>>()?
        }
        Data::Struct(data) => vec![arm(quote!(Self), &input.attrs, &data.fields)?],
        Data::Union(_) => return Err(syn::Error::new(Span::call_site(), "a union says nothing")),
    };
    Ok(quote! {
        impl ::erp_core::sentence::Say for #name {
            fn say(&self) -> ::erp_core::sentence::Sentence {
                match self { #(#arms),* }
            }
        }

        /// In English.
        impl ::std::fmt::Display for #name {
            fn fmt(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                out.write_str(&::erp_core::sentence::Say::say(self).english())
            }
        }

        impl ::std::error::Error for #name {}
    })
}

/// `#[say("id")]` takes the fields that have the names of the places; of fields without names, each is that of the next
/// place. `#[say(transparent)]` says what the only field says.
fn arm(name: TokenStream, attrs: &[syn::Attribute], fields: &Fields) -> syn::Result<TokenStream> {
    let Some(attribute) = attrs.iter().find(|one| one.path().is_ident("say")) else {
        return Err(syn::Error::new_spanned(name, "expected #[say(..)]"));
    };
    let bound: Vec<_> = fields
        .members()
        .map(|field| match field {
            syn::Member::Named(name) => format_ident!("field_{name}"),
            syn::Member::Unnamed(at) => format_ident!("field_{}", at.index),
        })
        .collect();
    let members = fields.members();
    let pattern = quote!(#name { #(#members: #bound),* });
    if attribute
        .parse_args::<Ident>()
        .is_ok_and(|word| word == "transparent")
    {
        return Ok(quote!(#pattern => ::erp_core::sentence::Say::say(#(#bound),*)));
    }
    let mut said: Said = attribute.parse_args()?;
    let (_, places) = said.row()?;
    for (at, (member, bound)) in fields.members().zip(&bound).enumerate() {
        let name = match member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(_) => places.get(at).map(ToString::to_string).unwrap_or_default(),
        };
        let is_given = said.values.iter().any(|(given, _)| *given == name);
        if places.contains(&name.as_str()) && !is_given {
            said.values.push((name, parse_quote!(#bound)));
        }
    }
    let said = said.expand()?.into_token_stream();
    Ok(quote!(#pattern => { #(let _ = #bound;)* #said }))
}
