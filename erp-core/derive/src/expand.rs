//! What is generated for a record: one implementation of `Record` for each view.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, GenericArgument, Ident, LitStr, PathArguments, Type};

use crate::attributes::{RecordAttribute, Shape, WireAttribute, docs};

/// A field with its attribute.
struct Member<'a> {
    rust: &'a Ident,
    of: &'a Type,
    meaning: String,
    /// `None` for a field that is on no view.
    wire: Option<WireAttribute>,
}

impl Member<'_> {
    /// The attribute, if the view has the field.
    fn in_view(&self, view: &Ident) -> Option<&WireAttribute> {
        self.wire.as_ref().filter(|wire| wire.is_in(view))
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
                Some(Type::Tuple(entry)) => entry.elems.last().unwrap_or(inner),
                _ => inner,
            },
            _ => inner,
        }
    }
}

/// The type inside `outer<..>`.
fn inside<'a>(of: &'a Type, outer: &str) -> Option<&'a Type> {
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
        let wire = WireAttribute::of(&field.attrs)?;
        let meaning = docs(&field.attrs);
        members.push(Member {
            rust,
            of: &field.ty,
            meaning,
            wire,
        });
    }
    let about = docs(&input.attrs);
    let views = attribute.views.iter().map(|(view, name)| {
        let name = name
            .as_ref()
            .map_or_else(|| input.ident.to_string(), LitStr::value);
        let schema = schema(view, &name, &about, &members, &attribute);
        if view == "Patch" {
            return patch(&input.ident, &schema, &members, attribute.exact);
        }
        let read = read(view, &members, &attribute);
        let write = write(view, &members);
        let record = &input.ident;
        quote! {
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
    Ok(quote!(#(#views)*))
}

/// The description of one member.
fn field(view: &Ident, member: &Member<'_>, wire: &WireAttribute, exact: bool) -> TokenStream {
    let (name, rust) = (&wire.name, member.rust.to_string());
    let rust = rust.trim_start_matches("r#");
    let value = member.value(wire.shape);
    let (inner_view, most) = (wire.inner_view(view), wire.most());
    let nested = quote!(<#value as crate::wire::Record<crate::wire::view::#inner_view>>::SCHEMA);
    let kind = match (wire.shape, wire.kind(view)) {
        (Shape::Object | Shape::Section, _) => quote!(crate::wire::Kind::Object(#nested)),
        (Shape::List | Shape::Entries, _) => quote!(crate::wire::Kind::List(#nested)),
        (_, Some(kind)) => kind.clone(),
        (_, None) => quote!(<#value as crate::wire::Value>::KIND),
    };
    let (meaning, rule) = (&member.meaning, wire.rule());
    let required = view != "Patch" && wire.is_required(view);
    quote! {
        crate::wire::Field {
            wire: #name,
            rust: #rust,
            meaning: #meaning,
            kind: #kind,
            required: #required,
            rule: #rule,
            most: #most,
            padded: <crate::wire::view::#view as crate::wire::View>::PADDED && !#exact,
        }
    }
}

fn schema(
    view: &Ident,
    name: &str,
    about: &str,
    members: &[Member<'_>],
    attribute: &RecordAttribute,
) -> TokenStream {
    let exact = attribute.exact;
    let here = members
        .iter()
        .filter_map(|member| Some((member, member.in_view(view)?)));
    let mut parts: Vec<_> = here
        .filter(|(_, wire)| wire.shape != Shape::Complete)
        .map(|(member, wire)| match wire.shape {
            Shape::Group => {
                let of = member.of;
                quote!(<#of as crate::wire::Record<crate::wire::view::#view>>::SCHEMA.fields)
            }
            Shape::Texts => {
                let name = &wire.name;
                quote!(&crate::wire::texts::members(#name))
            }
            _ => {
                let field = field(view, member, wire, exact);
                quote!(&[#field])
            }
        })
        .collect();
    if attribute.removable {
        parts.push(quote!(&[crate::wire::record::REMOVE]));
    }
    quote! {
        const SCHEMA: &'static crate::wire::Schema = {
            const PARTS: &[&[crate::wire::Field]] = &[#(#parts),*];
            const FIELDS: [crate::wire::Field; crate::wire::record::count(PARTS)] =
                crate::wire::record::joined(PARTS);
            &crate::wire::Schema { name: #name, meaning: #about, fields: &FIELDS }
        };
    }
}

fn read(view: &Ident, members: &[Member<'_>], attribute: &RecordAttribute) -> TokenStream {
    let mut reads = Vec::new();
    let mut values = Vec::new();
    for member in members {
        let rust = member.rust;
        let Some(wire) = member.in_view(view) else {
            values.push(quote!(#rust: ::core::default::Default::default()));
            continue;
        };
        if wire.shape == Shape::Complete {
            values.push(quote!(#rust: reader.is_complete()));
            continue;
        }
        if wire.shape == Shape::Texts {
            let name = &wire.name;
            values.push(quote!(#rust: crate::wire::texts::read(reader, #name)));
            continue;
        }
        let value = member.value(wire.shape);
        let field = field(view, member, wire, attribute.exact);
        let inner_view = wire.inner_view(view);
        let of_view = quote!(crate::wire::view::#inner_view);
        let name = format_ident!("read_{}", rust.to_string().trim_start_matches("r#"));
        let method = match wire.shape {
            Shape::Group => {
                reads.push(quote!(let #name = reader.group::<#value, #of_view>();));
                values.push(quote!(#rust: #name?));
                continue;
            }
            Shape::Section => quote!(section::<#value, #of_view>),
            Shape::Object => quote!(object::<#value, #of_view>),
            Shape::List => quote!(list::<#value, #of_view>),
            Shape::Entries => quote!(entries::<#value, #of_view>),
            _ => quote!(value::<#value>),
        };
        reads.push(quote! {
            let #name = reader.#method(const { &#field });
        });
        let is_list = matches!(wire.shape, Shape::List | Shape::Entries);
        values.push(match &wire.default {
            Some(default) => quote!(#rust: #name.unwrap_or_else(|| #default)),
            None if is_list && !member.is_option() => quote!(#rust: #name.unwrap_or_default()),
            None if member.is_option() => quote!(#rust: #name),
            None => quote!(#rust: #name?),
        });
    }
    let one_of = attribute.one_of.as_ref().map(|(first, second)| {
        let given = members.iter().filter_map(|member| {
            let wire = member.in_view(view)?;
            let name = wire.name.as_ref()?;
            let read = format_ident!("read_{}", member.rust);
            [first, second]
                .map(LitStr::value)
                .contains(&name.value())
                .then(|| quote!(#read.is_some()))
        });
        quote!(reader.one_of([#first, #second], #(#given)||*);)
    });
    let removed = attribute.removable.then(|| {
        quote!(let _: ::core::option::Option<bool> = reader.value(&crate::wire::record::REMOVE);)
    });
    quote! {
        fn read_members(reader: &mut crate::wire::record::Reader<'_>) -> ::core::option::Option<Self> {
            #(#reads)*
            #removed
            #one_of
            ::core::option::Option::Some(Self { #(#values),* })
        }
    }
}

/// Changes the fields whose members are sent.
fn patch(record: &Ident, schema: &TokenStream, members: &[Member<'_>], exact: bool) -> TokenStream {
    let view = format_ident!("Patch");
    let here = members
        .iter()
        .filter_map(|member| Some((member, member.in_view(&view)?)));
    let changes = here.map(|(member, wire)| {
        let (rust, field) = (member.rust, field(&view, member, wire, exact));
        let method = match member.is_option() {
            true => quote!(change_optional),
            false => quote!(change),
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

fn write(view: &Ident, members: &[Member<'_>]) -> TokenStream {
    let mut arms = Vec::new();
    let mut groups = Vec::new();
    let here = members
        .iter()
        .filter_map(|member| Some((member, member.in_view(view)?)));
    for (member, wire) in here {
        let (rust, of, name) = (member.rust, member.of, &wire.name);
        let inner_view = wire.inner_view(view);
        let of_view = quote!(crate::wire::view::#inner_view);
        let record = quote!(crate::wire::As::<_, #of_view>::new);
        let is_option = member.is_option();
        let written = match wire.shape {
            Shape::Group => {
                groups.push(quote! {
                    <#of as crate::wire::WriteRecord<#of_view>>::write_member(&self.#rust, field, map)?
                });
                continue;
            }
            Shape::Complete => continue,
            Shape::Texts => {
                arms.push(quote! {
                    "Texte" => if let Some(value) = crate::wire::texts::List::new(#name, &self.#rust) {
                        map.serialize_entry(field.wire, &value)?;
                    }
                });
                continue;
            }
            Shape::Value if is_option => {
                quote!(self.#rust.as_ref().and_then(|value| crate::wire::Value::to_wire(value, field)))
            }
            Shape::Value => quote!(crate::wire::Value::to_wire(&self.#rust, field)),
            Shape::Object | Shape::Section if is_option => quote!(self.#rust.as_ref().map(#record)),
            Shape::Object | Shape::Section => {
                quote!(::core::option::Option::Some(#record(&self.#rust)))
            }
            Shape::List => {
                quote!(crate::wire::record::List::<_, #of_view>::new(self.#rust.as_slice()))
            }
            Shape::Entries => quote! {
                ::core::option::Option::Some(
                    self.#rust.iter().map(|(_, entry)| #record(entry)).collect::<::std::vec::Vec<_>>()
                )
            },
        };
        arms.push(quote! {
            #name => if let Some(value) = #written {
                map.serialize_entry(field.wire, &value)?;
            }
        });
    }
    quote! {
        fn write_member<M: ::serde::ser::SerializeMap>(
            &self,
            field: &crate::wire::Field,
            map: &mut M,
        ) -> ::core::result::Result<bool, M::Error> {
            match field.wire {
                #(#arms,)*
                _ => return Ok(false #(|| #groups)*),
            }
            Ok(true)
        }
    }
}
