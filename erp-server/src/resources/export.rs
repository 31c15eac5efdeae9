//! `GET /admin/export`.

use erp_core::erp::ExportPlace;
use salvo::http::header::CONTENT_DISPOSITION;

use super::app::{Admin, Operation, Shared};
use super::attachment::{attachment, file_name};
use crate::openapi::headers::ATTACHMENT;
use crate::openapi::schema::bytes;
use crate::web::{ApiError, ApiRequest, ApiResponse};

/// Exports all data as lines in the import format, followed by orders and offers. Admins only.
///
/// Pages are read while the client receives them; [`erp_core::erp::Upkeep::export`] describes the effect of concurrent
/// changes.
async fn all(app: Shared, user: Admin, _request: ApiRequest) -> Result<ApiResponse, ApiError> {
    // Read the first page before responding, so that its errors keep their status.
    let first = user.upkeep(&app).export(ExportPlace::default()).await?;
    let response = ApiResponse::line_stream(move |mut chunks| async move {
        let mut page = first;
        loop {
            for row in &page.rows {
                chunks.buffer().extend_from_slice(row.json.as_bytes());
                chunks.buffer().push(b'\n');
                chunks.send_full().await?;
            }
            let Some(place) = page.next else {
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

/// The operations of this resource.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/export", "exportData", "All data as lines of the import")
            .by(all)
            .about("Company, tax codes, articles, prices, stock, customers and media as rows that `POST /admin/import` reads, then orders (`Auftrag`) and offers (`Offerte`), which an import skips. Each line is one record as it was at some moment of the response. Media rows name their files by SHA-256; the files are not part of it.")
            .answers_file(200, "One JSON object a line", &[("application/x-ndjson", bytes())])
            .response_headers(&[200], &[ATTACHMENT]),
    ]
}
