//! What several resources share: links and attributes (interface: "General response conventions").

use erp_derive::Record;
use smol_str::SmolStr;

/// An entry of `links`: a linked resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Response)]
pub struct Link {
    /// Absolute address.
    #[wire("href", varchar(2048), required)]
    pub href: SmolStr,
    /// HTTP method that applies to the link.
    #[wire("type", varchar(2048), required)]
    pub method: SmolStr,
    /// Name of the relation.
    #[wire("rel", varchar(2048), required)]
    pub relation: SmolStr,
}

/// An entry of `attributes` of customers and articles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Response)]
pub struct Attribute {
    /// Value of the attribute.
    #[wire("Contents", varchar(200))]
    pub contents: Option<SmolStr>,
    /// Unique name of the attribute.
    #[wire("PHKey", varchar(12), required)]
    pub key: SmolStr,
}
