//! Fallback for error statuses that salvo itself sets without a body.

use salvo::catcher::Catcher;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use super::request_layer;

/// Writes our error body instead of salvo's HTML page.
pub(super) fn catcher() -> Catcher {
    Catcher::new(ErrorCatcher)
}

struct ErrorCatcher;

#[async_trait]
impl Handler for ErrorCatcher {
    async fn handle(
        &self,
        _req: &mut Request,
        _depot: &mut Depot,
        res: &mut Response,
        _ctrl: &mut FlowCtrl,
    ) {
        request_layer::complete(res);
    }
}
