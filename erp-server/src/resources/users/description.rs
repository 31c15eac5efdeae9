//! `/admin/users`.

use erp_core::master::Role;
use serde_json::{Value, json};

use super::{AddedUser, Revoked, SetPassword, ShownUser, UserAccount, UserTokens};
use crate::openapi::object::Object;
use crate::openapi::schema::{or_null, plain, text, text_of};
use crate::resources::app::Operation;
use crate::resources::response::Data;

/// Pattern of a user name: no colon, no control characters, not only blanks.
const NAME: &str = r"^[^:\x00-\x1f\x7f-\x9f]*[^:\s\x00-\x1f\x7f-\x9f][^:\x00-\x1f\x7f-\x9f]*$";

const SHOP: &str = "The value articles are selected by (`RESTWEBSHOP`)";

pub(in crate::resources) fn operations() -> Vec<Operation> {
    let mut operations = account_operations();
    operations.extend(access_operations());
    operations
}

fn account_operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/users", "listUsers", "The users")
            .by(super::list)
            .answers_as::<Data<Vec<ShownUser>>>(
                200,
                "The users by name",
                json!({"data": [user()]}),
            ),
        Operation::post("/admin/users", "addUser", "Add a user")
            .by(super::add)
            .about("Without a password a random one is made; it is in this response only.")
            .fails(&[409])
            .json_body_as(
                "NewUser",
                new_user(),
                json!({"name": "anna", "role": "shop", "restwebshop": "SHOP1"}),
            )
            .answers_as::<Data<AddedUser>>(
                201,
                "The user; with the password when the server made it, and only here",
                json!({"data": {"name": "anna", "role": "shop", "restwebshop": "SHOP1",
                    "password": "pW9rD2mZk1x8Q0sVtYbNcA"}}),
            )
            .leads_to(201, "readUser", "name", "/data/name")
            .leads_to(201, "changeUser", "name", "/data/name")
            .leads_to(201, "setUserPassword", "name", "/data/name")
            .leads_to(201, "removeUser", "name", "/data/name"),
        of_user(Operation::get("/admin/users/{name}", "readUser", "A user"))
        .by(super::read)
        .answers_as::<Data<UserAccount>>(
            200,
            "The user, with the number of tokens that count",
            json!({"data": {"name": "anna", "role": "shop", "restwebshop": "SHOP1", "tokens": 2}}),
        ),
        of_user(Operation::put(
            "/admin/users/{name}",
            "changeUser",
            "Change what a user may do and see",
        ))
        .by(super::change)
        .about("An absent field stays as it is; a `restwebshop` of `null` is removed. The last admin keeps that role.")
        .fails(&[409])
        .json_body_as("UserChange", change(), json!({"role": "shop"}))
        .answers_as::<Data<ShownUser>>(200, "The user", json!({"data": user()})),
        of_user(Operation::delete(
            "/admin/users/{name}",
            "removeUser",
            "Remove a user and end the user's tokens",
        ))
        .by(super::remove)
        .about("The last admin cannot be removed.")
        .fails(&[409])
        .answers_nothing(204, "Removed"),
    ]
}

fn access_operations() -> Vec<Operation> {
    vec![
        of_user(Operation::put(
            "/admin/users/{name}/password",
            "setUserPassword",
            "Set a user's password and end the user's tokens",
        ))
        .by(super::set_password)
        .about("Without a password a random one is made; it is in this response only.")
        .json_body_as(
            "NewPassword",
            Object::new().property("password", password()),
            json!({}),
        )
        .answers_as::<Data<SetPassword>>(
            200,
            "The user; with the password when the server made it, and only here",
            json!({"data": {"name": "anna", "password": "pW9rD2mZk1x8Q0sVtYbNcA"}}),
        ),
        Operation::put(
            "/admin/me/password",
            "setOwnPassword",
            "Change the own password and end the own tokens",
        )
        .by(super::set_own_password)
        .about("The token of this request ends, too. A wrong `old` counts as a failed login.")
        .fails(&[429])
        .json_body_as(
            "OwnPassword",
            Object::new()
                .property("old", plain(255).description("The password until now"))
                .required("old")
                .property(
                    "new",
                    plain(255).min_length(10).description("The new password"),
                )
                .required("new"),
            json!({"old": "pW9rD2mZk1x8Q0sVtYbNcA", "new": "correct horse battery"}),
        )
        .answers_nothing(204, "Changed"),
        of_user(Operation::get(
            "/admin/users/{name}/tokens",
            "listUserTokens",
            "The tokens of a user",
        ))
        .by(super::tokens)
        .answers_as::<UserTokens>(
            200,
            "How many tokens count, and up to 1,000 of them, those that end last first",
            json!({"count": 1, "data": [token()]}),
        ),
        of_user(Operation::delete(
            "/admin/users/{name}/tokens",
            "revokeUserTokens",
            "End all tokens of a user",
        ))
        .by(super::revoke)
        .answers_as::<Data<Revoked>>(
            200,
            "How many there were",
            json!({"data": {"revoked": 2}}),
        ),
    ]
}

fn new_user() -> Object {
    let name = text_of(80).min_length(1).pattern(NAME);
    Object::new()
        .property("name", name.description("The name, without a colon"))
        .required("name")
        .property("role", role().description("`shop` when it is absent"))
        .property("restwebshop", shop())
        .property("password", password())
}

fn change() -> Object {
    Object::new()
        .property("role", role().description("What the user may do"))
        .property("restwebshop", shop())
}

fn role() -> Object {
    let words = Role::ALL.map(|role| json!(role.as_str()));
    or_null(text()).enum_values(words.into_iter().chain([Value::Null]))
}

fn shop() -> Object {
    or_null(plain(200)).description(SHOP)
}

fn password() -> Object {
    or_null(plain(255).min_length(10)).description("Without one the server makes one")
}

fn of_user(operation: Operation) -> Operation {
    operation.place("name", "The user", text_of(80), json!("anna"))
}

fn user() -> Value {
    json!({"name": "anna", "role": "shop", "restwebshop": "SHOP1"})
}

fn token() -> Value {
    json!({"id": "9f86d081", "debinr": "10007", "issued_at": "2026-06-01T10:00:00Z", "expires_at": "2026-06-01T11:00:00Z"})
}
