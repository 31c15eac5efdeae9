//! Response headers.

use serde_json::{Map, Value, json};

use super::object::{Object, Response, header};
use super::schema::{one_of, text};

/// A header that this response can have.
pub(crate) struct HeaderDoc {
    pub(crate) name: &'static str,
    about: &'static str,
    schema: fn() -> Object,
    example: fn() -> Value,
}

impl HeaderDoc {
    pub(crate) fn add_to(&self, response: &mut Response) {
        let mut field = header((self.schema)(), self.about);
        field.insert("example".to_owned(), (self.example)());
        response.add_header(self.name, field);
    }
}

/// Adds the headers of every response.
pub(crate) fn common(response: &mut Response) {
    let id = "The id of the request: the client's own, or one of the server";
    response.add_header("X-Request-Id", always(id, None));
    let version = always("The version of the interface", Some("1.0"));
    response.add_header("API-Version", version);
}

/// A header that is always present.
pub(crate) fn always(about: &str, example: Option<&str>) -> Map<String, Value> {
    let mut field = header(text(), about);
    field.insert("required".to_owned(), true.into());
    if let Some(example) = example {
        field.insert("example".to_owned(), example.into());
    }
    field
}

/// Rate limit of the user.
pub(crate) const RATE: [HeaderDoc; 2] = [
    HeaderDoc {
        name: "RateLimit",
        about: "Requests that are left (`r`) and seconds until all are there again (`t`); absent when limits are off",
        schema: text,
        example: || json!("\"user\";r=99;t=1"),
    },
    HeaderDoc {
        name: "RateLimit-Policy",
        about: "Requests (`q`) in a window of seconds (`w`); absent when limits are off",
        schema: text,
        example: || json!("\"user\";q=600;w=60"),
    },
];

/// Revision of a record.
pub(crate) const ETAG: HeaderDoc = HeaderDoc {
    name: "ETag",
    about: "The revision of the record, for `If-Match`",
    schema: text,
    example: || json!("\"r42\""),
};

/// Digest of a response that is not a single record.
pub(crate) const ANSWER_TAG: HeaderDoc = HeaderDoc {
    name: "ETag",
    about: "The digest of the response: another one when anything it shows has changed",
    schema: text,
    example: || json!("\"c9f86d081884c7d659a2feaa0c55ad015\""),
};

/// Base64 MD5 of the response body.
pub(crate) const CONTENT_MD5: HeaderDoc = HeaderDoc {
    name: "Content-MD5",
    about: "The Base64 MD5 of the body",
    schema: text,
    example: || json!("Q2hlY2sgSW50ZWdyaXR5IQ=="),
};

/// Marks a response replayed for an `Idempotency-Key`.
pub(crate) const REPLAYED: HeaderDoc = HeaderDoc {
    name: "Idempotent-Replayed",
    about: "The response is the one to an earlier request with this `Idempotency-Key`",
    schema: || one_of(["true"]),
    example: || json!("true"),
};

/// Result of the town checks.
pub(crate) const ADDRESS_CHECK: HeaderDoc = HeaderDoc {
    name: "X-Address-Check",
    about: "What the check of towns and postal codes came to: `unchanged`, `corrected`, `conflict`, `ambiguous`, `unknown_postal_code` or `not_covered`, by address",
    schema: text,
    example: || json!("LiefAdr=corrected, RechAdr=unchanged"),
};

/// Links to the previous and next page.
pub(crate) const LINK: HeaderDoc = HeaderDoc {
    name: "Link",
    about: "The relations of `links` (RFC 8288)",
    schema: text,
    example: || json!("<https://erp.example.ch/www/artikel?limit=2&offset=0>; rel=\"start\""),
};

/// Digest of a file.
pub(crate) const FILE_TAG: HeaderDoc = HeaderDoc {
    name: "ETag",
    about: "The digest of the file, for `If-None-Match` and `If-Range`",
    schema: text,
    example: || json!("\"9f86d081884c7d65\""),
};

/// Time of a file.
pub(crate) const LAST_MODIFIED: HeaderDoc = HeaderDoc {
    name: "Last-Modified",
    about: "When the record was changed last",
    schema: text,
    example: || json!("Mon, 01 Jun 2026 10:00:00 GMT"),
};

/// Further headers of file responses.
pub(crate) const FILE: [HeaderDoc; 2] = [
    HeaderDoc {
        name: "Accept-Ranges",
        about: "Parts of the file can be asked for",
        schema: || one_of(["bytes"]),
        example: || json!("bytes"),
    },
    HeaderDoc {
        name: "Content-Disposition",
        about: "The name of the file (RFC 6266)",
        schema: text,
        example: || json!("inline; filename=\"lm-3001.png\""),
    },
];

/// Range of a partial file response.
pub(crate) const CONTENT_RANGE: HeaderDoc = HeaderDoc {
    name: "Content-Range",
    about: "Which bytes these are",
    schema: text,
    example: || json!("bytes 0-99/12529"),
};

/// File name for saving.
pub(crate) const ATTACHMENT: HeaderDoc = HeaderDoc {
    name: "Content-Disposition",
    about: "The name of the file (RFC 6266)",
    schema: text,
    example: || json!("attachment; filename=\"erp-backup-20260601T100000Z.tar.gz\""),
};

/// Result of an e-invoice request.
pub(crate) const INVOICE: [HeaderDoc; 5] = [
    HeaderDoc {
        name: "X-Invoice-Profile",
        about: "Standard, level, document type and guideline of the XML",
        schema: text,
        example: || {
            json!(
                "standard=\"Factur-X\"; level=\"EN 16931\"; type=\"INVOICE\"; guideline=\"urn:cen.eu:en16931:2017\""
            )
        },
    },
    HeaderDoc {
        name: "X-PDF-A",
        about: "Whether the PDF is PDF/A-3: `kept`, `upgraded`, `lifted`, or `not-claimed` with the reasons; of `Combine`",
        schema: text,
        example: || json!("lifted"),
    },
    HeaderDoc {
        name: "X-Invoice-Files",
        about: "The file names of all invoices in the PDF, the one that is returned first; of `Extract`, and of `Check` with a PDF",
        schema: text,
        example: || json!("\"factur-x.xml\", \"ZUGFeRD-invoice.xml\""),
    },
    HeaderDoc {
        name: "X-Invoice-Check",
        about: "Whether the invoice keeps its rules: `valid`, `invalid` with the numbers of fatal findings and warnings, or `not-checked` with the reason",
        schema: text,
        example: || json!("invalid; fatal=3; warnings=1"),
    },
    HeaderDoc {
        name: "Content-Disposition",
        about: "The name of the file (RFC 6266)",
        schema: text,
        example: || json!("attachment; filename=\"factur-x.xml\""),
    },
];
