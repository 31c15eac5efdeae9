//! Users and their tokens.

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::internal::master::User;
use erp_core::internal::{TokenHash, UserChange};
use erp_core::master::Role;
use erp_core::text::Text;
use jiff::Timestamp;
use pollster::block_on;

use super::{holds, never, now, tomorrow, user};

#[test]
fn issuing_a_token() {
    let hash = TokenHash::new([9; 32]);
    holds(
        "issuing a token",
        |erp| {
            block_on(
                erp.office(now())
                    .users()
                    .issue_token(&hash, &user(), tomorrow()),
            )
        },
        never,
    );
}

#[test]
fn revoking_a_token() {
    holds(
        "revoking a token",
        |erp| {
            block_on(
                erp.office(now())
                    .users()
                    .revoke_token(&TokenHash::new([2; 32])),
            )
        },
        never,
    );
}

#[test]
fn removing_expired_tokens() {
    let later: Timestamp = "2026-07-01T00:00:00Z".parse().unwrap();
    holds(
        "removing expired tokens",
        |erp| block_on(erp.upkeep(later).remove_expired_tokens()).map(drop),
        never,
    );
}

#[test]
fn adding_a_user() {
    let other = User {
        name: Text::new("other").unwrap(),
        ..user()
    };
    let add = |erp: &Erp<_>| block_on(erp.office(now()).users().add(&other));
    holds("adding a user", add, |error| {
        matches!(error, Error::Conflict(_))
    });
}

#[test]
fn setting_a_password() {
    holds(
        "setting a password",
        |erp| block_on(erp.office(now()).users().set_password("shop", "other")),
        never,
    );
}

#[test]
fn removing_a_user() {
    let remove = |erp: &Erp<_>| block_on(erp.office(now()).users().remove("shop"));
    holds("removing a user", remove, |error| {
        matches!(error, Error::NotFound { .. })
    });
}

#[test]
fn changing_a_user() {
    let change = UserChange {
        role: Some(Role::Admin),
        shop: Some(None),
    };
    holds(
        "changing a user",
        |erp| block_on(erp.office(now()).users().change("shop", &change)).map(drop),
        never,
    );
}

#[test]
fn ending_all_tokens_of_a_user() {
    holds(
        "ending all tokens of a user",
        |erp| block_on(erp.office(now()).users().revoke_tokens_of("shop")).map(drop),
        never,
    );
}
