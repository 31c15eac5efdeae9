//! `POST /admin/auftrag/{AuftNr}/rechnung`, `POST /admin/rechnung/{RechNr}/gutschrift`, `GET /www/rechnung/{RechNr}`.

use std::sync::Arc;

use erp_core::erp::MadeInvoice;
use erp_core::internal::response::{Invoice, InvoiceNumberAnswer};
use erp_core::internal::wire::Envelope;
use erp_core::text::Text;
use salvo::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_DISPOSITION, VARY};

use super::app::{Clerk, Operation, Shared, User};
use super::attachment::attachment;
use crate::openapi::headers::{ATTACHMENT, ETAG};
use crate::openapi::schema::{bytes, data, named, text_of};
use crate::web::{
    ApiError, ApiRequest, ApiResponse, HeaderMap, HeaderValue, Result, StatusCode, preferred,
};

const XML: &str = "application/xml";

const PDF: &str = "application/pdf";

async fn make(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let (actor, order) = (user.actor(&request), request.key("AuftNr"));
    let if_match = request.if_match()?;
    let state = Arc::clone(&app);
    let made = app.invoicing.read(user.signature(), async move {
        let office = user.office(&state).actor(&actor);
        office
            .if_match(if_match.as_deref())
            .make_invoice(&order)
            .await
    });
    answered(&request, made.await??)
}

async fn cancel(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let (actor, invoice) = (user.actor(&request), request.key("RechNr"));
    let state = Arc::clone(&app);
    let made = app.invoicing.read(user.signature(), async move {
        let office = user.office(&state).actor(&actor);
        office.make_credit_note(&invoice).await
    });
    answered(&request, made.await??)
}

/// 201 with the number; that a clock is wrong is logged, too.
fn answered(request: &ApiRequest, made: MadeInvoice) -> Result<ApiResponse> {
    let MadeInvoice {
        number, notices, ..
    } = made;
    if made.is_misdated {
        tracing::warn!(invoice = %number, "an invoice is of an earlier day than the one before it: a clock is or was wrong");
    }
    let path = format!("/www/rechnung/{number}");
    let language = request.locale();
    let notices: Vec<String> = notices.iter().map(|notice| notice.text(language)).collect();
    let notice: String = notices.join("; ").chars().take(4_000).collect();
    let notice = Text::new(&notice).ok().filter(|notice| !notice.is_empty());
    let response = ApiResponse::created(&Envelope::data(InvoiceNumberAnswer { number, notice }))?;
    Ok(response.located(request, &path))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InvoiceForm {
    Json,
    Xml,
    Pdf,
}

/// The names by which each form is asked for.
const FORMS: [(&str, InvoiceForm); 7] = [
    ("application/json", InvoiceForm::Json),
    ("application/*", InvoiceForm::Json),
    ("*/*", InvoiceForm::Json),
    (XML, InvoiceForm::Xml),
    ("text/xml", InvoiceForm::Xml),
    ("text/*", InvoiceForm::Xml),
    (PDF, InvoiceForm::Pdf),
];

/// The form that `Accept` prefers; JSON without one.
fn wanted(headers: &HeaderMap) -> Result<InvoiceForm> {
    let fields = headers.get_all(ACCEPT).iter();
    let mut fields = fields.filter_map(|field| field.to_str().ok());
    if fields.all(|field| field.trim_matches([' ', '\t', ',']).is_empty()) {
        return Ok(InvoiceForm::Json);
    }
    let form = |wanted: &str| {
        let mut forms = FORMS.iter();
        Some(forms.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?.1)
    };
    preferred(headers, &ACCEPT, form).ok_or_else(|| {
        let text = sentence!("header.accept");
        ApiError::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", text)
    })
}

async fn read(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let by_both = HeaderValue::from_static("accept, accept-language");
    let form = wanted(request.headers()).map_err(|error| error.with_header(VARY, by_both))?;
    let shown = read_as(form, app, user, request.key("RechNr")).await?;
    Ok(shown.header(VARY, HeaderValue::from_static("accept")))
}

async fn read_as(
    form: InvoiceForm,
    app: Shared,
    user: User,
    number: String,
) -> Result<ApiResponse> {
    let shop = user.shop(&app);
    match form {
        InvoiceForm::Json => {
            let shown = shop.invoice(&number).await?;
            let revision = shown.revision;
            let invoice = Invoice {
                invoice: shown.value.invoice,
                credit_note: shown.value.credit_note,
            };
            Ok(ApiResponse::json(&Envelope::data(invoice))?.etag(revision))
        }
        InvoiceForm::Xml => {
            let xml = shop.invoice_xml(&number).await?;
            file(XML, &format!("rechnung-{number}.xml"), xml.into_bytes())
        }
        InvoiceForm::Pdf => {
            let state = Arc::clone(&app);
            let wanted = number.clone();
            // Many pages take longer than other requests can wait for this thread.
            let pdf = app.invoice_pages.read(user.signature(), async move {
                user.shop(&state).invoice_pdf(&wanted).await
            });
            file(PDF, &format!("rechnung-{number}.pdf"), pdf.await??)
        }
    }
}

fn file(media_type: &'static str, name: &str, bytes: Vec<u8>) -> Result<ApiResponse> {
    // The bytes follow from the invoice, the logo and the program alone.
    let file = ApiResponse::bytes(HeaderValue::from_static(media_type), bytes);
    Ok(file
        .tagged()
        .header(CONTENT_DISPOSITION, attachment(name)?)
        .header(CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

pub(super) fn operations() -> Vec<Operation> {
    let make_path = "/admin/auftrag/{AuftNr}/rechnung";
    let cancel_path = "/admin/rechnung/{RechNr}/gutschrift";
    vec![
        Operation::post(make_path, "makeInvoice")
            .by(make)
            .place("AuftNr", text_of(10))
            .fails(&[409, 422])
            .if_match()
            .answers(201, data(named("InvoiceNumberAnswer")))
            .leads_to(201, "readInvoice", "RechNr", "/data/RechNr"),
        Operation::post(cancel_path, "cancelInvoice")
            .by(cancel)
            .place("RechNr", text_of(10))
            .fails(&[409, 422])
            .answers(201, data(named("InvoiceNumberAnswer")))
            .leads_to(201, "readInvoice", "RechNr", "/data/RechNr"),
        Operation::get("/www/rechnung/{RechNr}", "readInvoice")
            .by(read)
            .place("RechNr", text_of(10))
            .fails(&[406])
            .answers(200, data(named("Invoice")))
            .or_file(200, XML, bytes())
            .or_file(200, PDF, bytes())
            .with_tag(ETAG)
            .response_headers(&[200], &[ATTACHMENT]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_the_one_that_is_preferred() {
        let form = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            wanted(&headers).ok()
        };
        assert_eq!(wanted(&HeaderMap::new()).ok(), Some(InvoiceForm::Json));
        for (accept, expected) in [
            ("*/*", Some(InvoiceForm::Json)),
            ("application/xml", Some(InvoiceForm::Xml)),
            (
                "Application/XML; q=0.9, application/json;q=0.8",
                Some(InvoiceForm::Xml),
            ),
            (
                "text/html, application/xml;q=0.5, */*;q=0.8",
                Some(InvoiceForm::Json),
            ),
            ("application/xml;q=0", None),
            (
                "application/pdf, application/xml;q=0.9",
                Some(InvoiceForm::Pdf),
            ),
            ("image/png", None),
            ("image/png, application/xml;q=x", None),
        ] {
            assert_eq!(form(accept), expected, "{accept}");
        }
    }
}
