//! Response headers.

use super::object::Object;
use super::schema::{one_of, text};

pub(crate) struct HeaderDoc {
    pub(crate) name: &'static str,
    about: &'static str,
    example: &'static str,
    /// The only value it can have is the example.
    is_fixed: bool,
}

impl HeaderDoc {
    pub(crate) fn add_to(&self, response: &mut Object) {
        let schema = if self.is_fixed {
            one_of([self.example])
        } else {
            text()
        };
        let field = header(schema, self.about).with("example", self.example);
        response.add("headers", self.name, field);
    }
}

/// Header fields: the constant, the name, what it means, an example; or with `=` the only value it can have.
macro_rules! fields {
    ($($constant:ident $name:literal $about:literal $(= $value:literal)? $($example:literal)?)*) => {
        $(pub(crate) const $constant: HeaderDoc = HeaderDoc {
            name: $name,
            about: $about,
            example: concat!($($value)? $($example)?),
            is_fixed: !concat!($($value)?).is_empty(),
        };)*
    };
}

fields! {
    UNKNOWN_PARAMETERS "X-Unknown-Parameters" "Query parameters of the request that do not exist, percent-encoded: the first ten, at most 200 bytes" "limt"
    ETAG "ETag" "The revision of the record, for `If-Match`" "\"r42\""
    ANSWER_TAG "ETag" "The digest of the response: another one when anything it shows has changed" "\"c9f86d081884c7d659a2feaa0c55ad015\""
    CONTENT_MD5 "Content-MD5" "The Base64 MD5 of the body" "Q2hlY2sgSW50ZWdyaXR5IQ=="
    LOCATION "Location" "The address of the record" "https://erp.example.ch/www/auftrag/100001"
    ADDRESS_CHECK "X-Address-Check" "What the check of towns and postal codes came to: `unchanged`, `corrected`, `conflict`, `ambiguous`, `unknown_postal_code` or `not_covered`, by address" "LiefAdr=corrected, RechAdr=unchanged"
    LINK "Link" "The relations of `links` (RFC 8288)" "<https://erp.example.ch/www/artikel?limit=2&offset=0>; rel=\"start\""
    FILE_TAG "ETag" "The digest of the file, for `If-None-Match` and `If-Range`" "\"9f86d081884c7d65\""
    LAST_MODIFIED "Last-Modified" "When the record was changed last" "Mon, 01 Jun 2026 10:00:00 GMT"
    CONTENT_RANGE "Content-Range" "Which bytes these are" "bytes 0-99/12529"
    ATTACHMENT "Content-Disposition" "The name of the file (RFC 6266)" "attachment; filename=\"erp-backup-20260601T100000Z.tar.gz\""
    RATE_LIMIT "RateLimit" "Requests that are left (`r`) and seconds until all are there again (`t`); absent when limits are off" "\"user\";r=99;t=1"
    RATE_POLICY "RateLimit-Policy" "Requests (`q`) in a window of seconds (`w`); absent when limits are off" "\"user\";q=600;w=60"
    REPLAYED "Idempotent-Replayed" "The response is the one to an earlier request with this `Idempotency-Key`" = "true"
    ACCEPT_RANGES "Accept-Ranges" "Parts of the file can be asked for" = "bytes"
    FILE_NAME "Content-Disposition" "The name of the file (RFC 6266)" "inline; filename=\"lm-3001.png\""
    INVOICE_PROFILE "X-Invoice-Profile" "Standard, level, document type and guideline of the XML" "standard=\"Factur-X\"; level=\"EN 16931\"; type=\"INVOICE\"; guideline=\"urn:cen.eu:en16931:2017\""
    PDF_A "X-PDF-A" "Whether the PDF is PDF/A-3: `kept`, `upgraded`, `lifted`, or `not-claimed` with the reasons; of `Combine`" "lifted"
    INVOICE_FILES "X-Invoice-Files" "The file names of all invoices in the PDF, the one that is returned first, each in quotes; `\"`, `%`, `\\` and all that is not printable ASCII is percent-encoded (UTF-8). Of `Extract`, and of `Check` and `Read` with a PDF" "\"factur-x.xml\", \"ZUGFeRD-invoice.xml\""
    INVOICE_CHECK "X-Invoice-Check" "Whether the invoice keeps its rules: `valid`, with the number of warnings if there are any, `invalid` with those of fatal findings and warnings, or `not-checked` with the reason" "invalid; fatal=3; warnings=1"
    INVOICE_NAME "Content-Disposition" "The name of the file (RFC 6266)" "attachment; filename=\"factur-x.xml\""
}

/// Adds the headers of every response.
pub(crate) fn common(response: &mut Object) {
    let id = "The id of the request: the client's own, or one of the server";
    response.add("headers", "X-Request-Id", always(id));
    let version = always("The version of the interface").with("example", "1.0");
    response.add("headers", "API-Version", version);
    UNKNOWN_PARAMETERS.add_to(response);
}

pub(crate) fn header(schema: Object, about: &str) -> Object {
    let header = Object::default().with("schema", schema);
    header.description(about)
}

pub(crate) fn always(about: &str) -> Object {
    header(text(), about).with("required", true)
}

pub(crate) const RATE: [HeaderDoc; 2] = [RATE_LIMIT, RATE_POLICY];

pub(crate) const FILE: [HeaderDoc; 2] = [ACCEPT_RANGES, FILE_NAME];

pub(crate) const INVOICE: [HeaderDoc; 5] = [
    INVOICE_PROFILE,
    PDF_A,
    INVOICE_FILES,
    INVOICE_CHECK,
    INVOICE_NAME,
];
