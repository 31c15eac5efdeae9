//! `/admin/users`.

use serde_json::{Value, json};

use crate::openapi::object::{Components, Object};
use crate::openapi::operation::Described;
use crate::openapi::schema::{
    about, data, list_of, named, object, one_of, or_null, plain, text, text_of, time, whole,
};

/// Pattern of a user name: no colon, no control characters, not only blanks.
const NAME: &str = r"^[^:\x00-\x1f\x7f-\x9f]*[^:\s\x00-\x1f\x7f-\x9f][^:\x00-\x1f\x7f-\x9f]*$";

const SHOP: &str = "The value articles are selected by (`RESTWEBSHOP`)";

pub(in crate::resources) fn operations() -> Vec<Described> {
    let mut operations = account_operations();
    operations.extend(access_operations());
    operations
}

fn account_operations() -> Vec<Described> {
    vec![
        Described::get("/admin/users", "listUsers", "The users")
            .admin()
            .answers(
                200,
                "The users by name",
                data(list_of("User")),
                json!({"data": [user()]}),
            ),
        Described::post("/admin/users", "addUser", "Add a user")
            .about("Without a password a random one is made; it is in this response only.")
            .admin()
            .fails(&[409])
            .json_body(
                "NewUser",
                json!({"name": "anna", "role": "shop", "restwebshop": "SHOP1"}),
            )
            .answers(
                201,
                "The user; with the password when the server made it, and only here",
                data(named("AddedUser")),
                json!({"data": {"name": "anna", "role": "shop", "restwebshop": "SHOP1",
                    "password": "pW9rD2mZk1x8Q0sVtYbNcA"}}),
            )
            .leads_to(201, "readUser", "name", "/data/name")
            .leads_to(201, "changeUser", "name", "/data/name")
            .leads_to(201, "setUserPassword", "name", "/data/name")
            .leads_to(201, "removeUser", "name", "/data/name"),
        of_user(Described::get("/admin/users/{name}", "readUser", "A user")).answers(
            200,
            "The user, with the number of tokens that count",
            data(named("UserAccount")),
            json!({"data": {"name": "anna", "role": "shop", "restwebshop": "SHOP1", "tokens": 2}}),
        ),
        of_user(Described::put(
            "/admin/users/{name}",
            "changeUser",
            "Change what a user may do and see",
        ))
        .about("An absent field stays as it is; a `restwebshop` of `null` is removed. The last admin stays one.")
        .fails(&[409])
        .json_body("UserChange", json!({"role": "shop"}))
        .answers(200, "The user", data(named("User")), json!({"data": user()})),
        of_user(Described::delete(
            "/admin/users/{name}",
            "removeUser",
            "Remove a user and end the user's tokens",
        ))
        .about("The last admin cannot be removed.")
        .fails(&[409])
        .answers_nothing(204, "Removed"),
    ]
}

fn access_operations() -> Vec<Described> {
    vec![
        of_user(Described::put(
            "/admin/users/{name}/password",
            "setUserPassword",
            "Set a user's password and end the user's tokens",
        ))
        .about("Without a password a random one is made; it is in this response only.")
        .json_body("NewPassword", json!({}))
        .answers(
            200,
            "The user; with the password when the server made it, and only here",
            data(named("SetPassword")),
            json!({"data": {"name": "anna", "password": "pW9rD2mZk1x8Q0sVtYbNcA"}}),
        ),
        of_user(Described::get(
            "/admin/users/{name}/tokens",
            "listUserTokens",
            "The tokens of a user",
        ))
        .answers(
            200,
            "How many tokens count, and up to 1,000 of them, those that end last first",
            object([
                ("count", about("How many tokens count", whole())),
                ("data", about("Up to 1,000 of them", list_of("UserToken"))),
            ])
            .into(),
            json!({"count": 1, "data": [token()]}),
        ),
        of_user(Described::delete(
            "/admin/users/{name}/tokens",
            "revokeUserTokens",
            "End all tokens of a user",
        ))
        .answers(
            200,
            "How many there were",
            data(object([("revoked", about("Tokens that were ended", whole()))]).into()),
            json!({"data": {"revoked": 2}}),
        ),
    ]
}

/// Schemas of users, which the interface document does not define.
pub(in crate::resources) fn records(components: Components) -> Components {
    let token = object([
        (
            "id",
            text()
                .description("The beginning of the token's hash")
                .into(),
        ),
        ("issued_at", about("When it was issued", or_null(time()))),
        ("expires_at", about("When it ends", time())),
    ]);
    let made = || text().description("The password, when the server made it");
    components
        .add_schema("User", members())
        .add_schema("AddedUser", members().property("password", made()))
        .add_schema(
            "UserAccount",
            members()
                .property("tokens", whole().description("How many tokens count"))
                .required("tokens"),
        )
        .add_schema("NewUser", new_user())
        .add_schema("UserChange", change())
        .add_schema(
            "NewPassword",
            Object::new().property("password", password()),
        )
        .add_schema(
            "SetPassword",
            object([("name", about("The name", text()))]).property("password", made()),
        )
        .add_schema("UserToken", token)
}

fn members() -> Object {
    object([
        ("name", about("The name", text())),
        (
            "role",
            about("What the user may do", one_of(["shop", "admin"])),
        ),
        ("restwebshop", about(SHOP, or_null(text()))),
    ])
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
    or_null(text()).enum_values([json!("shop"), json!("admin"), Value::Null])
}

fn shop() -> Object {
    or_null(plain(200)).description(SHOP)
}

fn password() -> Object {
    or_null(plain(255).min_length(10)).description("Without one the server makes one")
}

fn of_user(described: Described) -> Described {
    described
        .admin()
        .place("name", "The user", text_of(80), json!("anna"))
}

fn user() -> Value {
    json!({"name": "anna", "role": "shop", "restwebshop": "SHOP1"})
}

fn token() -> Value {
    json!({"id": "9f86d081", "issued_at": "2026-06-01T10:00:00Z", "expires_at": "2026-06-01T11:00:00Z"})
}
