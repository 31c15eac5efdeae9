//! What several resources share: links and attributes (interface: "General response conventions").

use std::fmt::Write;

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

// rule: R-CON-05
/// Builds absolute links (interface: general response conventions, 4).
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    base_url: &'a str,
}

impl<'a> Links<'a> {
    /// Links with this base URL, without a trailing slash.
    pub const fn new(base_url: &'a str) -> Self {
        Self { base_url }
    }

    /// A link to a path under `/www`; the last part is percent-encoded.
    pub fn to(
        &self,
        method: &'static str,
        relation: &'static str,
        resource: &str,
        number: &str,
    ) -> Link {
        let mut href = String::with_capacity(self.base_url.len() + 48);
        href.push_str(self.base_url);
        href.push_str("/www/");
        href.push_str(resource);
        href.push('/');
        encode(&mut href, number);
        Link {
            href: href.into(),
            method: SmolStr::new_static(method),
            relation: SmolStr::new_static(relation),
        }
    }

    /// A link to a path under `/www` with a query.
    pub fn query(&self, relation: &'static str, resource: &str, query: &[(&str, &str)]) -> Link {
        let mut href = format!("{}/www/{resource}", self.base_url);
        let mut separator = '?';
        for (name, value) in query {
            href.push(separator);
            href.push_str(name);
            href.push('=');
            encode(&mut href, value);
            separator = '&';
        }
        Link {
            href: href.into(),
            method: SmolStr::new_static("GET"),
            relation: SmolStr::new_static(relation),
        }
    }
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
fn encode(into: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            into.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(into, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-CON-05
    #[test]
    fn numbers_are_percent_encoded() {
        let links = Links::new("https://erp.example.com");
        let link = links.to("GET", "artikelmedia", "artikelmedia", "A/1 ä+");
        assert_eq!(
            link.href,
            "https://erp.example.com/www/artikelmedia/A%2F1%20%C3%A4%2B"
        );
        let link = links.query(
            "next",
            "artikel",
            &[("limit", "5"), ("sorts", "+ArtBez,-ArtNr")],
        );
        assert_eq!(
            link.href,
            "https://erp.example.com/www/artikel?limit=5&sorts=%2BArtBez%2C-ArtNr"
        );
    }
}
