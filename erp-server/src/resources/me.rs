//! `GET /admin/me`: who asks, and what the role may do.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use erp_core::master::Role;
use schemars::JsonSchema;
use serde::Serialize;

use super::RESOURCES;
use super::app::{Clerk, Operation, Shared};
use super::response::{Data, data};
use crate::web::{ApiRequest, ApiResponse, Result};

/// The operations of each role by `operationId`, as they are described.
static OPERATIONS: LazyLock<BTreeMap<&str, Vec<String>>> = LazyLock::new(|| {
    let of = |role: Role| {
        let all = RESOURCES.iter().flat_map(|(_, operations)| operations());
        let ids = all.filter_map(|operation| operation.id_for(role.as_str()).map(str::to_owned));
        (role.as_str(), ids.collect())
    };
    Role::ALL.map(of).into()
});

async fn read(app: Shared, user: Clerk, _request: ApiRequest) -> Result<ApiResponse> {
    let company = user.office(&app).company().await?;
    let role = user.caller.role.as_str();
    let may = OPERATIONS.get(role).map(Vec::as_slice).unwrap_or_default();
    data(Me {
        name: &user.caller.name,
        role,
        may,
        company: &company.name,
    })
}

/// A user and what it may do.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Me<'a> {
    /// The name.
    name: &'a str,
    /// The role.
    #[schemars(extend("enum" = Role::ALL.map(Role::as_str)))]
    role: &'a str,
    /// The operations that the role may use, as `operationId` of this document.
    may: &'a [String],
    /// The name of the company (`FirmaBez`); empty before there is one.
    company: &'a str,
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/me", "readMe")
            .by(read)
            .answers_as::<Data<Me<'_>>>(200),
    ]
}
