//! `POST /shop/token` of the demo: what the back end of a shop does, in small. `examples/back-ends` has it in other languages.

use std::sync::Arc;
use std::time::Instant;

use erp_core::json::Json;
use jiff::Timestamp;
use secrecy::SecretString;

use super::app::{App, Shared};
use super::token::issue;
use crate::tokens;
use crate::web::{ApiError, ApiRequest, ApiResponse, Method, Resource, Result, Routes};

#[derive(Clone, Debug)]
pub struct DemoShop {
    /// The user of the shop, whose password no page gets.
    pub user: &'static str,
    pub password: SecretString,
}

/// Adds the path by which the shop page logs its customers in.
pub fn demo_routes(routes: Routes<App>, shop: DemoShop) -> Routes<App> {
    let shop = Arc::new(shop);
    let handler = move |app: Shared, request| token(app, Arc::clone(&shop), request);
    let login = Resource::default().open(Method::POST, handler);
    routes.at("/shop/token", login)
}

/// A token of the customer who logs in with `{"customer", "password"}`.
async fn token(app: Shared, shop: Arc<DemoShop>, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let text = |name| body.get(name).and_then(Json::as_str).unwrap_or_default();
    // Hashes are compared in constant time.
    let is_right = tokens::hash(&text("password").into()) == tokens::hash(&shop.password);
    let users = app.erp.office(Timestamp::now()).users();
    let user = users.find(shop.user).await?.filter(|_| is_right);
    let user = user.ok_or_else(ApiError::invalid_client)?;
    let throttle = &app.http_state.throttle;
    throttle.request(&user.name, Instant::now())?;
    issue(&app, &request, &user, Some((text("customer"), None))).await
}
