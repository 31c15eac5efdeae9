//! `GET /admin/export`.

use erp_core::erp::{ExportOf, ExportPlace};
use erp_core::import::LEFT_OUT;
use erp_core::internal::master::Right;
use salvo::http::header::CONTENT_DISPOSITION;
use serde_json::json;

use super::app::{Editor, Operation, Shared, allow};
use super::attachment::{attachment, file_name};
use crate::openapi::headers::ATTACHMENT;
use crate::openapi::schema::{bytes, one_of, plain};
use crate::web::{ApiError, ApiRequest, ApiResponse, HeaderValue, Result};

pub(super) const LINES: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// Exports all data as lines in the import format, followed by orders, offers and invoices, or the lines of one record.
///
/// Pages are read while the client receives them; [`erp_core::erp::Upkeep::export`] describes the effect of concurrent
/// changes.
async fn export(app: Shared, user: Editor, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let (article, customer) = (query.text("article", 15)?, query.text("customer", 20)?);
    match (article, customer, query.flag("company")?) {
        (None, None, false) => {
            allow(&user, Right::Administration)?;
            all(app, user).await
        }
        (Some(article), None, false) => rows_of(app, user, ExportOf::Article(article)).await,
        (None, Some(customer), false) => rows_of(app, user, ExportOf::Customer(customer)).await,
        (None, None, true) => rows_of(app, user, ExportOf::Company).await,
        _ => {
            let first = "`article`, `customer`";
            let names = sentence!("list.and", first, last = "`company`");
            let text = sentence!("parameter.not_together", names);
            Err(ApiError::malformed(text))
        }
    }
}

async fn rows_of(app: Shared, user: Editor, wanted: ExportOf<'_>) -> Result<ApiResponse> {
    let rows = user.upkeep(&app).export_of(wanted).await?;
    Ok(ApiResponse::stream(LINES, move |mut chunks| async move {
        for row in &rows {
            chunks.buffer().extend_from_slice(row.json.as_bytes());
            chunks.buffer().push(b'\n');
            chunks.send_full().await?;
        }
        Ok(chunks)
    }))
}

async fn all(app: Shared, user: Editor) -> Result<ApiResponse> {
    // Read the first page before responding, so that its errors keep their status.
    let first = user.upkeep(&app).export(ExportPlace::default()).await?;
    let response = ApiResponse::stream(LINES, move |mut chunks| async move {
        let (mut page, mut left_out) = (first, 0);
        loop {
            left_out += page.left_out;
            for row in &page.rows {
                chunks.buffer().extend_from_slice(row.json.as_bytes());
                chunks.buffer().push(b'\n');
                chunks.send_full().await?;
            }
            let Some(place) = page.next else {
                if left_out > 0 {
                    let line = format!("{}\n", json!({LEFT_OUT: left_out}));
                    chunks.buffer().extend_from_slice(line.as_bytes());
                }
                return Ok(chunks);
            };
            page = user
                .upkeep(&app)
                .export(place)
                .await
                .map_err(ApiError::from)?;
        }
    });
    let name = attachment(&file_name("export", "ndjson"))?;
    Ok(response.header(CONTENT_DISPOSITION, name))
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/export", "exportData")
            .by(export)
            .query("article", plain(15))
            .query("customer", plain(20))
            .query("company", one_of(["true", "false", "1", "0", ""]))
            .fails(&[404])
            .answers_file(200, &[("application/x-ndjson", bytes())])
            .response_headers(&[200], &[ATTACHMENT]),
    ]
}
