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
        Operation::get("/admin/users", "listUsers")
            .by(super::list)
            .answers_as::<Data<Vec<ShownUser>>>(200),
        Operation::post("/admin/users", "addUser")
            .by(super::add)
            .fails(&[409])
            .json_body_as("NewUser", new_user())
            .answers_as::<Data<AddedUser>>(201)
            .leads_to(201, "readUser", "name", "/data/name")
            .leads_to(201, "changeUser", "name", "/data/name")
            .leads_to(201, "setUserPassword", "name", "/data/name")
            .leads_to(201, "removeUser", "name", "/data/name"),
        of_user(Operation::get("/admin/users/{name}", "readUser"))
            .by(super::read)
            .answers_as::<Data<UserAccount>>(200),
        of_user(Operation::put("/admin/users/{name}", "changeUser"))
            .by(super::change)
            .fails(&[409])
            .json_body_as("UserChange", change())
            .answers_as::<Data<ShownUser>>(200),
        of_user(Operation::delete("/admin/users/{name}", "removeUser"))
            .by(super::remove)
            .fails(&[409])
            .answers_nothing(204),
    ]
}

fn access_operations() -> Vec<Operation> {
    vec![
        of_user(Operation::put(
            "/admin/users/{name}/password",
            "setUserPassword",
        ))
        .by(super::set_password)
        .json_body_as(
            "NewPassword",
            Object::new().property("password", password()),
        )
        .answers_as::<Data<SetPassword>>(200),
        Operation::put("/admin/me/password", "setOwnPassword")
            .by(super::set_own_password)
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
            )
            .answers_nothing(204),
        of_user(Operation::get(
            "/admin/users/{name}/tokens",
            "listUserTokens",
        ))
        .by(super::tokens)
        .answers_as::<UserTokens>(200),
        of_user(Operation::delete(
            "/admin/users/{name}/tokens",
            "revokeUserTokens",
        ))
        .by(super::revoke)
        .answers_as::<Data<Revoked>>(200),
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
    operation.place("name", text_of(80))
}
