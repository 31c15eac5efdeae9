//! `/www/token`.

use serde_json::json;

use super::operation::Described;
use super::schema::named;

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::post("/www/token", "createToken", "A bearer token for user name and password")
            .with_credentials()
            .answers(
                200,
                "The token",
                named("TokenAnswer"),
                json!({"access_token": "r5Jp5cUlBPb4dZmDdcVOXJ4UQ5Lg4y0Uq0V2wq0Qk3E", "token_type": "Bearer", "expires_in": 3600}),
            ),
        Described::post("/www/token/revoke", "revokeToken", "End the token of the call")
            .answers_nothing(204, "The token is no token any more"),
    ]
}
