//! What the attributes of a record say.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Token, Type, parenthesized};

/// `#[record(..)]`.
#[derive(Default)]
pub(crate) struct RecordAttribute {
    pub(crate) views: Vec<(Ident, Option<LitStr>)>,
    pub(crate) one_of: Option<(LitStr, LitStr)>,
    pub(crate) exact: bool,
    /// A row that removes what it names when `Loeschen` is true.
    pub(crate) removable: bool,
    /// The members that stand first in responses; the others follow as they are declared.
    pub(crate) first: Vec<String>,
    /// The struct is stored as its fields are, not as its response is.
    pub(crate) stored: bool,
    /// The arguments of `bare`, if the record has it.
    pub(crate) bare: Vec<Ident>,
}

impl RecordAttribute {
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut found = Self::default();
        let own = attributes
            .iter()
            .filter(|one| one.path().is_ident("record"));
        for attribute in own {
            attribute.parse_args_with(|input: ParseStream<'_>| found.read(input))?;
        }
        if found.views.is_empty() {
            let message = "`#[record(..)]` names no view";
            return Err(syn::Error::new(Span::call_site(), message));
        }
        Ok(found)
    }

    fn read(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            match word.to_string().as_str() {
                "one_of" => {
                    let names;
                    parenthesized!(names in input);
                    let first = names.parse()?;
                    names.parse::<Token![,]>()?;
                    self.one_of = Some((first, names.parse()?));
                }
                "first" => {
                    let names;
                    parenthesized!(names in input);
                    let names = names.parse::<LitStr>()?.value();
                    self.first.extend(names.split(' ').map(str::to_owned));
                }
                "bare" => self.bare = idents(input)?.unwrap_or_default(),
                "removable" => self.removable = true,
                "stored" => self.stored = true,
                "exact" => self.exact = true,
                _ => {
                    let is_named = input.parse::<Option<Token![=]>>()?.is_some();
                    let name = if is_named { Some(input.parse()?) } else { None };
                    self.views.push((word, name));
                }
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    }
}

/// `#[wire(..)]` of a field.
#[derive(Default)]
pub(crate) struct WireAttribute {
    /// The member's name; `None` for a group.
    pub(crate) name: Option<LitStr>,
    pub(crate) shape: Shape,
    /// Only the shop itself may set it, not its customer.
    pub(crate) shop_only: bool,
    rule: Option<Ident>,
    required: Option<Vec<Ident>>,
    pub(crate) default: Option<TokenStream>,
    only: Option<Vec<Ident>>,
    not: Vec<Ident>,
    /// The view that records inside have, if it is another one.
    inner_view: Option<Ident>,
    most: Option<Expr>,
    /// The words that its text may be, where the type does not say it.
    words: Option<LitStr>,
    kind: Option<TokenStream>,
    kind_in: Vec<(Ident, TokenStream)>,
}

/// What a member is in JSON.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Value,
    Object,
    /// A record whose parts count one by one: an absent one lacks what it requires.
    Section,
    List,
    /// A list of records with their places in the list.
    Entries,
    /// A text per language in `Texte`, and one in the company's language.
    Texts,
    /// The members of another record.
    Group,
}

impl WireAttribute {
    /// The attribute of a field; `None` for a field that is on no view.
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Option<Self>> {
        let attribute = attributes.iter().find(|one| one.path().is_ident("wire"));
        attribute
            .map(|attribute| attribute.parse_args_with(Self::parse))
            .transpose()
    }

    pub(crate) fn is_in(&self, view: &Ident) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(view)) && !self.not.contains(view)
    }

    pub(crate) fn is_required(&self, view: &Ident) -> bool {
        let required = self.required.as_ref();
        required.is_some_and(|views| views.is_empty() || views.contains(view))
    }

    /// The declared type in a view, if it is not that of the Rust type.
    pub(crate) fn kind(&self, view: &Ident) -> Option<&TokenStream> {
        let own = self.kind_in.iter().find(|(name, _)| name == view);
        own.map(|(_, kind)| kind).or(self.kind.as_ref())
    }

    pub(crate) fn inner_view<'a>(&'a self, view: &'a Ident) -> &'a Ident {
        self.inner_view.as_ref().unwrap_or(view)
    }

    pub(crate) fn most(&self) -> TokenStream {
        match &self.most {
            Some(most) => quote!(#most),
            None => quote!(crate::wire::table::ENTRIES_PER_LIST),
        }
    }

    /// How the value is written: as its type, unless the attribute has words.
    pub(crate) fn spelling(&self, value: &Type) -> TokenStream {
        if let Some(words) = &self.words {
            let words = words.value();
            let words = words.split(' ');
            return quote!(crate::wire::Spelling::Words(&[#(#words),*]));
        }
        match self.shape {
            Shape::Value => quote!(<#value as crate::wire::Value>::SPELLING),
            _ => quote!(crate::wire::Spelling::Free),
        }
    }

    pub(crate) fn rule(&self) -> TokenStream {
        match &self.rule {
            Some(rule) => {
                let name = Ident::new(&camel_case(&rule.to_string()), rule.span());
                quote!(crate::wire::Rule::#name)
            }
            None => quote!(crate::wire::Rule::None),
        }
    }

    fn word(&mut self, word: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match word.to_string().as_str() {
            "texts" => self.shape = Shape::Texts,
            "shop_only" => self.shop_only = true,
            "group" | "object" | "section" | "list" | "entries" => {
                self.shape = match word.to_string().as_str() {
                    "group" => Shape::Group,
                    "object" => Shape::Object,
                    "section" => Shape::Section,
                    "list" => Shape::List,
                    _ => Shape::Entries,
                };
                self.inner_view = idents(input)?.and_then(|names| names.into_iter().next());
            }
            "most" => {
                input.parse::<Token![=]>()?;
                self.most = Some(input.parse()?);
            }
            "words" => {
                let words;
                parenthesized!(words in input);
                self.words = Some(words.parse()?);
            }
            "required" => self.required = Some(idents(input)?.unwrap_or_default()),
            "only" => self.only = idents(input)?,
            "not" => self.not = idents(input)?.unwrap_or_default(),
            "default" => {
                let has_value = input.parse::<Option<Token![=]>>()?.is_some();
                self.default = Some(if has_value {
                    let value: Expr = input.parse()?;
                    quote!(#value)
                } else {
                    quote!(::core::default::Default::default())
                });
            }
            "varchar" | "char" | "string" | "money" | "int" => self.kind = Some(kind(word, input)?),
            _ if input.parse::<Option<Token![:]>>()?.is_some() => {
                let named: Ident = input.call(Ident::parse_any)?;
                self.kind_in.push((word.clone(), kind(&named, input)?));
            }
            _ => self.rule = Some(word.clone()),
        }
        Ok(())
    }
}

impl Parse for WireAttribute {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Self::default();
        if input.peek(LitStr) {
            found.name = Some(input.parse()?);
            input.parse::<Option<Token![,]>>()?;
        }
        while !input.is_empty() {
            let word = input.call(Ident::parse_any)?;
            found.word(&word, input)?;
            input.parse::<Option<Token![,]>>()?;
        }
        if found.name.is_none() && !matches!(found.shape, Shape::Group) {
            return Err(input.error("the member has no name"));
        }
        Ok(found)
    }
}

fn camel_case(name: &str) -> String {
    let mut starts = true;
    let letters = name.chars().filter_map(|letter| match letter {
        '_' => {
            starts = true;
            None
        }
        _ if std::mem::take(&mut starts) => Some(letter.to_ascii_uppercase()),
        _ => Some(letter),
    });
    letters.collect()
}

fn idents(input: ParseStream<'_>) -> syn::Result<Option<Vec<Ident>>> {
    if !input.peek(syn::token::Paren) {
        return Ok(None);
    }
    let names;
    parenthesized!(names in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
    Ok(Some(names.into_iter().collect()))
}

/// A declared type: `varchar(12)`, `char(4)`, `string`.
fn kind(word: &Ident, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    match word.to_string().as_str() {
        "string" => return Ok(quote!(crate::wire::Kind::Text)),
        "money" => return Ok(quote!(crate::wire::Kind::Money)),
        "int" => return Ok(quote!(crate::wire::Kind::Int)),
        _ => (),
    }
    let length;
    parenthesized!(length in input);
    let length: LitInt = length.parse()?;
    match word.to_string().as_str() {
        "varchar" => Ok(quote!(crate::wire::Kind::Varchar(#length))),
        "char" => Ok(quote!(crate::wire::Kind::Char(#length))),
        _ => Err(syn::Error::new(
            word.span(),
            "expected varchar, char, string, money or int",
        )),
    }
}

pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(
            |attribute| match &attribute.meta.require_name_value().ok()?.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
        );
    // The first paragraph says what it is; the others are for readers of the code.
    let lines = lines.map(|line| line.trim().to_owned());
    let lines: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}
