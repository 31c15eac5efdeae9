//! What is generated for an enum of words.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Ident, LitStr, Variant};

pub(crate) fn word(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(syn::Error::new(Span::call_site(), "only an enum has words"));
    };
    let own = input.attrs.iter().find(|one| one.path().is_ident("word"));
    let same = match own.map(|own| own.parse_args::<Ident>()).transpose()? {
        Some(flag) if flag == "any_case" => quote!(known.as_str().eq_ignore_ascii_case(word)),
        Some(flag) => return Err(syn::Error::new(flag.span(), "expected any_case")),
        None => quote!(known.as_str() == word),
    };
    let (name, count) = (&input.ident, data.variants.len());
    let variants: Vec<_> = data.variants.iter().map(|one| &one.ident).collect();
    let words = data.variants.iter().map(word_of);
    let words = words.collect::<syn::Result<Vec<_>>>()?;
    Ok(quote! {
        impl #name {
            /// All of them, in the order of their declaration.
            pub const ALL: [Self; #count] = [#(Self::#variants),*];

            /// Their words.
            pub const WORDS: [&'static str; #count] = [#(#words),*];

            /// The word for it.
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #words),* }
            }

            /// The one with this word; `None` for any other text.
            pub fn parse(word: &str) -> ::core::option::Option<Self> {
                Self::ALL.into_iter().find(|known| #same)
            }
        }
    })
}

/// The word in `#[word("..")]`, otherwise the name for serde, otherwise the name of the variant in snake case.
fn word_of(variant: &Variant) -> syn::Result<String> {
    let mut renamed = None;
    for attribute in &variant.attrs {
        if attribute.path().is_ident("word") {
            return Ok(attribute.parse_args::<LitStr>()?.value());
        }
        if attribute.path().is_ident("serde") {
            attribute.parse_nested_meta(|meta| {
                if !meta.path.is_ident("rename") {
                    return Err(meta.error("expected rename"));
                }
                renamed = Some(meta.value()?.parse::<LitStr>()?.value());
                Ok(())
            })?;
        }
    }
    Ok(renamed.unwrap_or_else(|| snake_case(&variant.ident.to_string())))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
