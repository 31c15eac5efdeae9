//! What is generated for a record: one implementation of `Record` for each view.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields, GenericArgument, Ident, LitStr, PathArguments, Type};

use crate::attributes::{RecordAttribute, Shape, WireAttribute, docs};

struct Member<'a> {
    rust: &'a Ident,
    of: &'a Type,
    meaning: String,
    /// `None` for a field that is on no view.
    wire: Option<WireAttribute>,
}

impl<'a> Member<'a> {
    /// The member as a view has it, if it does.
    fn on(&'a self, view: &'a Ident, exact: bool) -> Option<OnView<'a>> {
        let wire = self.wire.as_ref().filter(|wire| wire.is_in(view))?;
        Some(OnView {
            view,
            member: self,
            wire,
            exact,
        })
    }

    /// Whether the field may be absent by its type.
    fn is_option(&self) -> bool {
        inside(self.of, "Option").is_some()
    }

    /// The type of the value, or of an entry of the list.
    fn value(&self, shape: Shape) -> &Type {
        let inner = inside(self.of, "Option").unwrap_or(self.of);
        match shape {
            Shape::List => inside(inner, "Vec").unwrap_or(inner),
            Shape::Entries => match inside(inner, "Vec") {
                Some(entry) => inside(entry, "Entry").unwrap_or(inner),
                None => inner,
            },
            _ => inner,
        }
    }
}

/// A member as a view has it.
struct OnView<'a> {
    view: &'a Ident,
    member: &'a Member<'a>,
    wire: &'a WireAttribute,
    exact: bool,
}

pub(crate) fn inside<'a>(of: &'a Type, outer: &str) -> Option<&'a Type> {
    let Type::Path(path) = of else {
        return None;
    };
    let last = path
        .path
        .segments
        .last()
        .filter(|last| last.ident == outer)?;
    match &last.arguments {
        PathArguments::AngleBracketed(inside) => match inside.args.first() {
            Some(GenericArgument::Type(inner)) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn record(input: &DeriveInput) -> syn::Result<TokenStream> {
    let attribute = RecordAttribute::of(&input.attrs)?;
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(input, "a record is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(syn::Error::new_spanned(
            input,
            "the fields of a record have names",
        ));
    };
    let mut members = Vec::new();
    for field in &fields.named {
        let Some(rust) = &field.ident else { continue };
        members.push(Member {
            rust,
            of: &field.ty,
            meaning: docs(&field.attrs),
            wire: WireAttribute::of(&field.attrs)?,
        });
    }
    let about = docs(&input.attrs);
    let is_response = !attribute.stored
        && matches!(attribute.views.as_slice(), [(view, _)] if view == "Response");
    let views = attribute.views.iter().map(|(view, name)| {
        let name = name
            .as_ref()
            .map_or_else(|| input.ident.to_string(), LitStr::value);
        let schema = schema(view, &name, &about, &members, &attribute);
        if view == "Patch" {
            return patch(&input.ident, &schema, &members, attribute.exact);
        }
        let read = read(view, &members, &attribute);
        let write = write(view, &members, &attribute);
        let record = &input.ident;
        let response = is_response.then(|| response(record));
        quote! {
            #response

            #[automatically_derived]
            impl crate::wire::Record<crate::wire::view::#view> for #record {
                #schema
                #read
            }

            #[automatically_derived]
            impl crate::wire::WriteRecord<crate::wire::view::#view> for #record {
                #write
            }
        }
    });
    let bare = bare(&input.ident, &members, &attribute.bare);
    let shop_only = shop_only(&input.ident, &members);
    Ok(quote!(#(#views)* #bare #shop_only))
}

/// A function that refuses what a customer may not set.
fn shop_only(record: &Ident, members: &[Member<'_>]) -> Option<TokenStream> {
    let of_shop = members.iter().filter_map(|member| {
        let wire = member.wire.as_ref().filter(|wire| wire.shop_only)?;
        Some((member.rust, wire.name.as_ref()?))
    });
    let (fields, names): (Vec<_>, Vec<_>) = of_shop.unzip();
    (!fields.is_empty()).then(|| {
        quote! {
            impl #record {
                /// Adds a problem for each member that was sent although only the shop itself may set it.
                pub(super) fn refuse_shop_only(
                    &self,
                    path: &crate::values::problem::Path<'_>,
                    problems: &mut crate::values::problem::Problems,
                ) {
                    #(if self.#fields.is_some() {
                        problems.shop_only(&path.member(#names));
                    })*
                }
            }
        }
    })
}

/// A function that makes the record of these fields; the others are absent.
fn bare(record: &Ident, members: &[Member<'_>], names: &[Ident]) -> Option<TokenStream> {
    let (given, absent): (Vec<_>, Vec<_>) = members
        .iter()
        .partition(|member| names.contains(member.rust));
    let (named, types) = (given.iter().map(|it| it.rust), given.iter().map(|it| it.of));
    let (given, absent) = (named.clone(), absent.iter().map(|it| it.rust));
    (!names.is_empty()).then(|| {
        quote! {
            impl #record {
                /// The record of these fields; the others are absent.
                pub(crate) fn bare(#(#named: #types),*) -> Self {
                    Self { #(#given,)* #(#absent: ::core::default::Default::default()),* }
                }
            }
        }
    })
}

/// A response is written without naming its view, and can be in a member of another one.
fn response(record: &Ident) -> TokenStream {
    let view = quote!(crate::wire::view::Response);
    quote! {
        #[automatically_derived]
        impl ::serde::Serialize for #record {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(::core::option::Option::None)?;
                crate::wire::WriteRecord::<#view>::write_members(self, &mut map)?;
                ::serde::ser::SerializeMap::end(map)
            }
        }

        #[automatically_derived]
        impl crate::wire::Value for #record {
            const KIND: crate::wire::Kind =
                crate::wire::Kind::Object(<Self as crate::wire::Record<#view>>::SCHEMA);

            fn read_value(
                value: &crate::values::json::Json,
                _: &crate::wire::Field,
                scope: &mut crate::wire::Scope<'_>,
            ) -> ::core::option::Option<Self> {
                crate::wire::record::read_record::<Self, #view>(value, scope)
            }
        }
    }
}

/// No name in Rust and no meaning.
const BARE: (&str, &str) = ("", "");

fn schema(
    view: &Ident,
    name: &str,
    about: &str,
    members: &[Member<'_>],
    attribute: &RecordAttribute,
) -> TokenStream {
    let (exact, first) = (attribute.exact, &attribute.first);
    let here = members.iter().filter_map(|member| member.on(view, exact));
    let mut parts: Vec<_> = here
        .map(|here| match here.wire.shape {
            Shape::Group => {
                let (of, of_view) = (here.member.of, here.of_view());
                quote!(<#of as crate::wire::Record<#of_view>>::SCHEMA.fields)
            }
            Shape::Texts => {
                let name = &here.wire.name;
                quote!(&crate::wire::texts::members(#name))
            }
            _ => {
                let rust = here.member.rust.unraw().to_string();
                let field = here.field((&rust, &here.member.meaning));
                quote!(&[#field])
            }
        })
        .collect();
    if attribute.removable {
        parts.push(quote!(&[crate::wire::table::REMOVE]));
    }
    quote! {
        const SCHEMA: &'static crate::wire::Schema = {
            const PARTS: &[&[crate::wire::Field]] = &[#(#parts),*];
            const FIELDS: [crate::wire::Field; crate::wire::table::count(PARTS)] =
                crate::wire::table::first(&[#(#first),*], crate::wire::table::joined(PARTS));
            &crate::wire::Schema { name: #name, meaning: #about, fields: &FIELDS }
        };
    }
}

fn read(view: &Ident, members: &[Member<'_>], attribute: &RecordAttribute) -> TokenStream {
    let read = members.iter().map(|member| {
        let rust = member.rust;
        let absent = || (None, quote!(#rust: ::core::default::Default::default()));
        member
            .on(view, attribute.exact)
            .map_or_else(absent, |here| here.read())
    });
    let (reads, values): (Vec<_>, Vec<_>) = read.unzip();
    let one_of = one_of(view, members, attribute);
    let removed = attribute.removable.then(
        || quote!(let _: ::core::option::Option<bool> = reader.value(&crate::wire::table::REMOVE);),
    );
    quote! {
        fn read_members(reader: &mut crate::wire::record::Reader<'_>) -> ::core::option::Option<Self> {
            #(#reads)*
            #removed
            #one_of
            ::core::option::Option::Some(Self { #(#values),* })
        }
    }
}

/// The check that one of two members is sent.
fn one_of(
    view: &Ident,
    members: &[Member<'_>],
    attribute: &RecordAttribute,
) -> Option<TokenStream> {
    let is_sent_to_us = !["Response", "Copied"].iter().any(|name| view == name);
    let (first, second) = attribute.one_of.as_ref().filter(|_| is_sent_to_us)?;
    let names = [first, second].map(LitStr::value);
    let given = members.iter().filter_map(|member| {
        let name = member.on(view, attribute.exact)?.wire.name.as_ref()?;
        let read = format_ident!("read_{}", member.rust);
        names
            .contains(&name.value())
            .then(|| quote!(#read.is_some()))
    });
    Some(quote!(reader.one_of([#first, #second], #(#given)||*);))
}

/// Changes the fields whose members are sent.
fn patch(record: &Ident, schema: &TokenStream, members: &[Member<'_>], exact: bool) -> TokenStream {
    let view = format_ident!("Patch");
    let here = members.iter().filter_map(|member| member.on(&view, exact));
    let changes = here.map(|here| {
        let (rust, field) = (here.member.rust, here.field(BARE));
        let method = if here.member.is_option() {
            quote!(change_optional)
        } else {
            quote!(change)
        };
        quote!(reader.#method(const { &#field }, &mut self.#rust);)
    });
    quote! {
        #[automatically_derived]
        impl crate::wire::PatchRecord for #record {
            #schema

            fn patch(&mut self, reader: &mut crate::wire::Reader<'_>) {
                #(#changes)*
            }
        }
    }
}

/// Writes a member by its place in the declaration, and all of them one after the other where the table has their order.
fn write(view: &Ident, members: &[Member<'_>], attribute: &RecordAttribute) -> TokenStream {
    let (mut places, mut arms, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = quote!(0);
    let exact = attribute.exact;
    for here in members.iter().filter_map(|member| member.on(view, exact)) {
        let name = here.member.rust.unraw().to_string().to_uppercase();
        let (at, after) = (format_ident!("{name}_AT"), format_ident!("{name}_END"));
        let (count, of_member, step) = here.write(&at);
        places.push(quote! {
            const #at: usize = #next;
            const #after: usize = #at + #count;
        });
        arms.push(quote!(#at..#after => #of_member));
        steps.push(step);
        next = quote!(#after);
    }
    let all = attribute.first.is_empty().then(|| {
        quote! {
            fn write_members<M: ::serde::ser::SerializeMap>(
                &self,
                map: &mut M,
            ) -> ::core::result::Result<(), M::Error> {
                use crate::wire::write::WriteMember as _;
                #(#steps)*
                Ok(())
            }
        }
    });
    quote! {
        #all

        fn write_member<M: ::serde::ser::SerializeMap>(
            &self,
            at: usize,
            field: &crate::wire::Field,
            map: &mut M,
        ) -> ::core::result::Result<(), M::Error> {
            use crate::wire::write::WriteMember as _;
            #(#places)*
            match at {
                #(#arms,)*
                _ => Ok(()),
            }
        }
    }
}

impl OnView<'_> {
    /// The view that records inside the member have.
    fn of_view(&self) -> TokenStream {
        let view = self.wire.inner_view(self.view);
        quote!(crate::wire::view::#view)
    }

    /// A member as it is read and written. Only tables have its name in Rust and its meaning, so that a program which shows no
    /// table does not contain them.
    fn field(&self, (rust, meaning): (&str, &str)) -> TokenStream {
        let (view, wire) = (self.view, self.wire);
        let (name, most, of_view) = (&wire.name, wire.most(), self.of_view());
        let value = self.member.value(wire.shape);
        let nested = quote!(<#value as crate::wire::Record<#of_view>>::SCHEMA);
        let kind = match (wire.shape, wire.kind(view)) {
            (Shape::Object | Shape::Section, _) => quote!(crate::wire::Kind::Object(#nested)),
            (Shape::List | Shape::Entries, _) => quote!(crate::wire::Kind::List(#nested)),
            (_, Some(kind)) => kind.clone(),
            (_, None) => quote!(<#value as crate::wire::Value>::KIND),
        };
        let (rule, spelling) = (wire.rule(), wire.spelling(value));
        let required = view != "Patch" && wire.is_required(view);
        let padded = view == "Row" && !self.exact;
        quote! {
            crate::wire::Field {
                wire: #name,
                rust: #rust,
                meaning: #meaning,
                kind: #kind,
                required: #required,
                rule: #rule,
                spelling: #spelling,
                most: #most,
                padded: #padded,
                at: 0,
            }
        }
    }

    /// How a member is read, and how its field is set then.
    fn read(&self) -> (Option<TokenStream>, TokenStream) {
        let (member, wire, of_view) = (self.member, self.wire, self.of_view());
        let (rust, value) = (member.rust, member.value(wire.shape));
        let name = format_ident!("read_{}", rust);
        let method = match wire.shape {
            Shape::Texts => {
                let name = &wire.name;
                return (None, quote!(#rust: crate::wire::texts::read(reader, #name)));
            }
            Shape::Group => {
                let read = quote!(let #name = reader.group::<#value, #of_view>(););
                return (Some(read), quote!(#rust: #name?));
            }
            Shape::Section => quote!(section::<#value, #of_view>),
            Shape::Object => quote!(object::<#value, #of_view>),
            Shape::List => quote!(list::<#value, #of_view>),
            Shape::Entries => quote!(entries::<#value, #of_view>),
            Shape::Value => quote!(value::<#value>),
        };
        let field = self.field(BARE);
        let read = quote!(let #name = reader.#method(const { &#field }););
        let is_list = matches!(wire.shape, Shape::List | Shape::Entries);
        let value = match &wire.default {
            Some(default) => quote!(#rust: #name.unwrap_or_else(|| #default)),
            None if is_list && !member.is_option() => quote!(#rust: #name.unwrap_or_default()),
            None if member.is_option() => quote!(#rust: #name),
            None => quote!(#rust: #name?),
        };
        (Some(read), value)
    }

    /// How many members a field has in the table, how one of them is written by its place, and how all are.
    fn write(&self, begin: &Ident) -> (TokenStream, TokenStream, TokenStream) {
        let (rust, of, of_view) = (self.member.rust, self.member.of, self.of_view());
        let written = self.written();
        match self.wire.shape {
            Shape::Group => {
                let group = quote!(crate::wire::WriteRecord::<#of_view>);
                (
                    quote!(<#of as crate::wire::Record<#of_view>>::SCHEMA.fields.len()),
                    quote!(#group::write_member(&self.#rust, at.wrapping_sub(#begin), field, map)),
                    quote!(#group::write_members(&self.#rust, map)?;),
                )
            }
            // The member beside `Texte` is only read.
            Shape::Texts => (
                quote!(2),
                quote!(if at == #begin { Ok(()) } else { map.member(field, #written) }),
                quote!(map.member(&crate::wire::texts::LIST, #written)?;),
            ),
            _ => {
                let field = self.field(BARE);
                let step = quote! {
                    let field = const { &#field };
                    map.member(field, #written)?;
                };
                (quote!(1), quote!(map.member(field, #written)), step)
            }
        }
    }

    /// What is written of a field; `None` where the member is left out.
    fn written(&self) -> TokenStream {
        let (member, wire, of_view) = (self.member, self.wire, self.of_view());
        let rust = member.rust;
        let record = quote!(crate::wire::As::<_, #of_view>::new);
        let list = quote!(crate::wire::write::List::<_, #of_view>);
        let is_option = member.is_option();
        let is_written_empty = self.view == "Response" && wire.is_required(self.view);
        match wire.shape {
            Shape::Object | Shape::Section if is_option => quote!(self.#rust.as_ref().map(#record)),
            Shape::Object | Shape::Section => {
                quote!(::core::option::Option::Some(#record(&self.#rust)))
            }
            Shape::List if is_option => quote!(self.#rust.as_deref().map(#list::of)),
            Shape::List if is_written_empty => {
                quote!(::core::option::Option::Some(#list::of(self.#rust.as_slice())))
            }
            Shape::List => quote!(#list::new(self.#rust.as_slice())),
            Shape::Entries => quote! {
                ::core::option::Option::Some(
                    self.#rust.iter().map(|entry| #record(&entry.value)).collect::<::std::vec::Vec<_>>()
                )
            },
            Shape::Texts => {
                let name = &wire.name;
                quote!(crate::wire::texts::List::new(#name, &self.#rust))
            }
            _ if is_option => {
                quote!(self.#rust.as_ref().and_then(|value| crate::wire::Value::to_wire(value, field)))
            }
            _ => quote!(crate::wire::Value::to_wire(&self.#rust, field)),
        }
    }
}
