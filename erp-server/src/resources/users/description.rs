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

const USER: &str = "/admin/users/{name}";

const TOKENS: &str = "/admin/users/{name}/tokens";

pub(in crate::resources) fn operations() -> Vec<Operation> {
    let name = || text_of(80);
    let new_password = Object::new().property("password", password());
    let own_password = Object::new()
        .member("old", "The password until now", plain(255))
        .member("new", "The new password", plain(255).min_length(10));
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
        Operation::get(USER, "readUser")
            .by(super::read)
            .place("name", name())
            .answers_as::<Data<UserAccount>>(200),
        Operation::put(USER, "changeUser")
            .by(super::change)
            .place("name", name())
            .fails(&[409])
            .json_body_as("UserChange", change())
            .answers_as::<Data<ShownUser>>(200),
        Operation::delete(USER, "removeUser")
            .by(super::remove)
            .place("name", name())
            .fails(&[409])
            .answers_nothing(204),
        Operation::put("/admin/users/{name}/password", "setUserPassword")
            .by(super::set_password)
            .place("name", name())
            .json_body_as("NewPassword", new_password)
            .answers_as::<Data<SetPassword>>(200),
        Operation::put("/admin/me/password", "setOwnPassword")
            .by(super::set_own_password)
            .fails(&[429])
            .json_body_as("OwnPassword", own_password)
            .answers_nothing(204),
        Operation::get(TOKENS, "listUserTokens")
            .by(super::tokens)
            .place("name", name())
            .answers_as::<UserTokens>(200),
        Operation::delete(TOKENS, "revokeUserTokens")
            .by(super::revoke)
            .place("name", name())
            .answers_as::<Data<Revoked>>(200),
    ]
}

fn new_user() -> Object {
    let name = text_of(80).min_length(1).pattern(NAME);
    Object::new()
        .member("name", "The name, without a colon", name)
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
