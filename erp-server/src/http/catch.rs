//! Fallback for error statuses that salvo itself sets without a body.

use salvo::catcher::Catcher;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use super::envelope;

/// Writes our error body instead of salvo's HTML page.
pub(super) fn catcher() -> Catcher {
    Catcher::new(Net)
}

struct Net;

#[async_trait]
impl Handler for Net {
    async fn handle(
        &self,
        _req: &mut Request,
        _depot: &mut Depot,
        res: &mut Response,
        _ctrl: &mut FlowCtrl,
    ) {
        envelope::complete(res);
    }
}
