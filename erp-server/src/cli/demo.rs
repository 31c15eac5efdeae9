//! `erp-server demo`: a server with the demo catalogue, three users and example commands.

mod catalogue;
mod history;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::internal::Actor;
use erp_core::internal::master::User;
use erp_core::master::Role;
use erp_core::text::Text;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::failure::Failure;
use super::media::bodies;
use super::open::{open_on, runtime};
use super::private_file::write_private_file;
use super::serve::serve;
use super::settings_args::SettingsArgs;
use super::user::random_password;
use crate::config::core_settings;
use crate::import::import_lines;
use crate::media::Bodies;
use crate::observe::audit;
use crate::passwords;
use crate::resources::DemoShop;
use crate::store::Store;
use crate::web::Listen;
use catalogue::{FILES, PICTURES};

/// Name, role and `RESTWEBSHOP` value of the demo's users.
const USERS: [(&str, Role, Option<&str>); 3] = [
    ("shop1", Role::Shop, Some("SHOP1")),
    ("shop2", Role::Shop, Some("SHOP2")),
    ("admin", Role::Admin, None),
];

/// The name of the password that all customers of the shop page have.
const CUSTOMERS: &str = "customers";

const SHOP: &str = "shop1";

const FOLDER: &str = "demo-data";

const PAGE: &str = "examples/shop";

/// The users with their passwords, in the data folder: the next start has the same, so that open pages, bookmarks and
/// printed commands stay valid.
const KEPT: &str = "demo-users.json";

/// Serve a demo company; its random passwords are kept in the data folder
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  erp-server demo\n  erp-server demo --credentials users.json --listen 127.0.0.1:0"
)]
pub(super) struct DemoCommand {
    /// Write the users with their passwords to a JSON file that only its owner may read
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// How many orders of the past weeks an empty store begins with
    #[arg(long, value_name = "NUMBER", default_value_t = 40, value_parser = clap::value_parser!(u16).range(..=1_000))]
    orders: u16,
    #[command(flatten)]
    settings: SettingsArgs<true>,
}

impl DemoCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut settings = self.settings.load()?;
        if matches!(settings.web.listen, Listen::Unix(_)) {
            return Err(Failure::usage("the demo needs an address with a port"));
        }
        let named = self.settings.has("data_dir") || std::env::var_os("ERP_DATA_DIR").is_some();
        if !named && settings.store.data_dir == Path::new("data") {
            settings.store.data_dir = PathBuf::from(FOLDER);
        }
        if settings.web.page_dir.is_none() && Path::new(PAGE).join("index.html").is_file() {
            settings.web.page_dir = Some(PathBuf::from(PAGE));
        }
        let page = settings.web.page_dir.clone();
        // A receiver of events is tried on the same machine, and canceling in the shop page.
        settings.events.event_private_targets = true;
        settings.business.shop_may_cancel = true;
        let runtime = runtime()?;
        let store = open_on(&runtime, &settings)?;
        let erp = Erp::new(store.clone(), core_settings(&settings));
        let bodies = bodies(&settings);
        let actor = audit::command("demo");
        let kept = settings.store.data_dir.join(KEPT);
        let passwords = Passwords::read(&kept)?;
        let (users, customers) = (passwords.users()?, passwords.of(CUSTOMERS)?);
        let list = credentials(&users, &customers)?;
        // A store in a database has no folder yet.
        fs::create_dir_all(&settings.store.data_dir)?;
        write_private_file(&kept, &list)?;
        if let Some(file) = &self.credentials {
            write_private_file(file, &list)?;
        }
        runtime.block_on(async {
            // Later starts leave what was changed since.
            if history::is_new(&erp).await? {
                fill(&erp, &bodies, &actor).await?;
                history::add(&erp, self.orders, &actor).await?;
            }
            set_up_users(&erp, &users, &actor).await
        })?;
        let shop = DemoShop {
            user: SHOP,
            password: customers.clone(),
        };
        serve(settings, runtime, store, Some(shop), |address| {
            say!("{}", session(address, &users, &customers, page.as_deref()))
        })
    }
}

async fn fill(erp: &Erp<Store>, bodies: &Bodies, actor: &Actor) -> Result<(), Failure> {
    let picture = |path: &str| {
        let found = PICTURES.iter().find(|(name, _)| *name == path);
        found.map(|(_, bytes)| bytes.to_vec())
    };
    let office = erp.office(Timestamp::now()).actor(actor);
    for (_, lines) in FILES {
        import_lines(office, bodies, &picture, lines).await?;
    }
    Ok(())
}

struct DemoUser {
    name: &'static str,
    role: Role,
    shop: Option<&'static str>,
    password: SecretString,
}

struct Passwords(Vec<Value>);

impl Passwords {
    fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Self).map_err(|error| {
                Failure::new(format!("`{shown}` is damaged ({error}): remove it"))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self(Vec::new())),
            Err(error) => Err(error.into()),
        }
    }

    /// The kept password, or a new one.
    fn of(&self, name: &str) -> Result<SecretString, Failure> {
        let kept = self.0.iter().find(|user| user["name"] == name);
        match kept.and_then(|user| user["password"].as_str()) {
            Some(password) => Ok(password.into()),
            None => Ok(random_password()?),
        }
    }

    fn users(&self) -> Result<Vec<DemoUser>, Failure> {
        let user = |&(name, role, shop)| {
            self.of(name).map(|password| DemoUser {
                name,
                role,
                shop,
                password,
            })
        };
        USERS.iter().map(user).collect()
    }
}

/// Creates the demo users; an existing one gets the printed password back if it was changed.
async fn set_up_users(erp: &Erp<Store>, users: &[DemoUser], actor: &Actor) -> Result<(), Failure> {
    let accounts = erp.office(Timestamp::now()).actor(actor).users();
    for user in users {
        let found = accounts.find(user.name).await?;
        if found.is_some_and(|found| passwords::verify(&user.password, Some(&found.password_hash)))
        {
            continue;
        }
        let hash = passwords::hash(&user.password)?;
        let shop = user.shop.map(Text::new).transpose()?;
        let new = User::new(Text::new(user.name)?, hash, user.role, shop);
        match accounts.add(&new).await {
            Err(Error::Conflict(_)) => {
                accounts.set_password(user.name, &new.password_hash).await?;
            }
            other => other?,
        }
    }
    Ok(())
}

/// The users, and the password of the customers of the shop page, as JSON.
fn credentials(users: &[DemoUser], customers: &SecretString) -> Result<String, Failure> {
    let mut list: Vec<_> = users
        .iter()
        .map(|user| {
            json!({
                "name": user.name,
                "password": user.password.expose_secret(),
                "role": user.role.as_str(),
                "restwebshop": user.shop,
            })
        })
        .collect();
    let password = customers.expose_secret();
    list.push(
        json!({"name": CUSTOMERS, "password": password, "role": "customer", "restwebshop": null}),
    );
    Ok(format!("{}\n", serde_json::to_string_pretty(&list)?))
}

/// The printed text: users, pages, and the main requests of a shop to copy and paste. Links have a password after `#`,
/// which a browser sends nowhere: one click to log in, and no endpoint that gives a password away.
fn session(
    address: &str,
    users: &[DemoUser],
    customers: &SecretString,
    page: Option<&Path>,
) -> String {
    let mut text = format!("listening on {address}\n");
    text.push_str("\nUsers of this demo:\n");
    for user in users {
        let shop = user.shop.unwrap_or("everything");
        let password = user.password.expose_secret();
        text.push_str(&format!(
            "  {:<6} {password}  ({}, sees {shop})\n",
            user.name,
            user.role.as_str()
        ));
    }
    let customers = customers.expose_secret();
    text.push_str(&format!(
        "Customers 10001 to 10020 log in at the shop with the password {customers}\n"
    ));
    let password = |name: &str| {
        let user = users.iter().find(|user| user.name == name);
        user.map(|user| user.password.expose_secret().to_owned())
            .unwrap_or_default()
    };
    text.push_str("\nOpen in a browser:\n");
    if page.is_some() {
        text.push_str(&format!("  the shop       {address}/#demo={customers}\n"));
    }
    let admin = password("admin");
    text.push_str(&format!(
        "  the console    {address}/console#demo=admin:{admin}\n  the interface  {address}/docs\n"
    ));
    let session = include_str!("../../demo/session.sh")
        .replace("@BASE@", address)
        .replace("@SHOP_PASSWORD@", &password(SHOP))
        .replace("@ADMIN_PASSWORD@", &admin);
    let program = std::env::args().next().unwrap_or_default();
    text.push_str(&format!(
        "\nA receiver of its events (webhooks), with node: add it, and start it with the secret that is printed:\n\n\
         echo '{admin}' | {program} events add http://127.0.0.1:9000/hook --server {address} --login admin\n\
         SECRET=whsec_... node examples/receivers/receiver.mjs 9000\n"
    ));
    text.push_str("\nThe main job of a shop, to copy and paste into another terminal:\n\n");
    text.push_str(&session);
    text
}
