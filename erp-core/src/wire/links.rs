//! What several resources share: links and attributes (interface: "General response conventions").

use super::record::wire_record;

wire_record! {
    /// An entry of `links`: a linked resource.
    pub struct Link {
        /// Absolute address.
        href: varchar(2048) required,
        /// HTTP method that applies to the link.
        method "type": varchar(2048) required,
        /// Name of the relation.
        relation "rel": varchar(2048) required,
    }
}

wire_record! {
    /// An entry of `attributes` of customers and articles.
    pub struct Attribute {
        /// Value of the attribute.
        contents "Contents": varchar(200),
        /// Unique name of the attribute.
        key "PHKey": varchar(12) required,
    }
}
