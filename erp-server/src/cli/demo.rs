//! `erp-server demo`: a server with the demo catalogue, three users and example commands.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use erp_core::Erp;
use erp_core::erp::{Actor, Error};
use erp_core::master::{Role, User};
use erp_core::text::Text;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use super::media::bodies;
use super::serve::serve;
use super::user::random_password;
use super::{Failure, open_on, runtime, settings, with_all_settings};
use crate::app::core_settings;
use crate::audit;
use crate::http::Listen;
use crate::master_data::{Files, Format, Media, Progress, import_bytes};
use crate::media::Bodies;
use crate::passwords;
use crate::store::Store;

/// The demo catalogue, ordered by the references between its files.
const FILES: [(&str, &str); 7] = [
    (
        "01-firma.ndjson",
        include_str!("../../demo/01-firma.ndjson"),
    ),
    (
        "02-steuern.ndjson",
        include_str!("../../demo/02-steuern.ndjson"),
    ),
    (
        "03-artikel.ndjson",
        include_str!("../../demo/03-artikel.ndjson"),
    ),
    (
        "04-preise.ndjson",
        include_str!("../../demo/04-preise.ndjson"),
    ),
    (
        "05-bestand.ndjson",
        include_str!("../../demo/05-bestand.ndjson"),
    ),
    (
        "06-kunden.ndjson",
        include_str!("../../demo/06-kunden.ndjson"),
    ),
    (
        "07-medien.ndjson",
        include_str!("../../demo/07-medien.ndjson"),
    ),
];

/// The pictures of the demo's media rows.
const PICTURES: [(&str, &[u8]); 17] = [
    (
        "bilder/ab-4006.svg",
        include_bytes!("../../demo/bilder/ab-4006.svg"),
    ),
    (
        "bilder/bf-6003.svg",
        include_bytes!("../../demo/bilder/bf-6003.svg"),
    ),
    (
        "bilder/bu-1001.png",
        include_bytes!("../../demo/bilder/bu-1001.png"),
    ),
    (
        "bilder/bu-1001.svg",
        include_bytes!("../../demo/bilder/bu-1001.svg"),
    ),
    (
        "bilder/bu-1002.svg",
        include_bytes!("../../demo/bilder/bu-1002.svg"),
    ),
    (
        "bilder/bu-1003.svg",
        include_bytes!("../../demo/bilder/bu-1003.svg"),
    ),
    (
        "bilder/bu-1004.svg",
        include_bytes!("../../demo/bilder/bu-1004.svg"),
    ),
    (
        "bilder/bu-1006.svg",
        include_bytes!("../../demo/bilder/bu-1006.svg"),
    ),
    (
        "bilder/bu-1008.svg",
        include_bytes!("../../demo/bilder/bu-1008.svg"),
    ),
    (
        "bilder/bu-1013.svg",
        include_bytes!("../../demo/bilder/bu-1013.svg"),
    ),
    (
        "bilder/el-2003.svg",
        include_bytes!("../../demo/bilder/el-2003.svg"),
    ),
    (
        "bilder/el-2015.svg",
        include_bytes!("../../demo/bilder/el-2015.svg"),
    ),
    (
        "bilder/hh-5007.svg",
        include_bytes!("../../demo/bilder/hh-5007.svg"),
    ),
    (
        "bilder/hh-5009.png",
        include_bytes!("../../demo/bilder/hh-5009.png"),
    ),
    (
        "bilder/lm-3001.png",
        include_bytes!("../../demo/bilder/lm-3001.png"),
    ),
    (
        "bilder/lm-3001.svg",
        include_bytes!("../../demo/bilder/lm-3001.svg"),
    ),
    (
        "bilder/lm-3006.svg",
        include_bytes!("../../demo/bilder/lm-3006.svg"),
    ),
];

/// Name, role and `RESTWEBSHOP` value of the demo's users.
const USERS: [(&str, Role, Option<&str>); 3] = [
    ("shop1", Role::Shop, Some("SHOP1")),
    ("shop2", Role::Shop, Some("SHOP2")),
    ("admin", Role::Admin, None),
];

/// Default data folder of the demo.
const FOLDER: &str = "demo-data";

/// The shop page in a checkout of the project.
const PAGE: &str = "examples/shop";

pub(super) fn command() -> Command {
    let credentials = Arg::new("credentials")
        .long("credentials")
        .value_name("FILE")
        .help("Write the users with their passwords to a JSON file that only its owner may read");
    with_all_settings(
        Command::new("demo")
            .about("Serve a demo company with random passwords")
            .arg(credentials),
    )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let mut settings = settings(matches)?;
    if matches!(settings.listen, Listen::Unix(_)) {
        return Err(Failure::usage("the demo needs an address with a port"));
    }
    let named = matches.contains_id("data_dir") || std::env::var_os("ERP_DATA_DIR").is_some();
    if !named && settings.data_dir == Path::new("data") {
        settings.data_dir = PathBuf::from(FOLDER);
    }
    if settings.page_dir.is_none() && Path::new(PAGE).join("index.html").is_file() {
        settings.page_dir = Some(PathBuf::from(PAGE));
    }
    let has_page = settings.page_dir.is_some();
    let runtime = runtime()?;
    let store = open_on(&runtime, &settings)?;
    let erp = Erp::new(store.clone(), core_settings(&settings));
    let bodies = bodies(&settings);
    let actor = audit::command("demo");
    let users = runtime.block_on(async {
        fill(&erp, &bodies, &actor).await?;
        set_up_users(&erp, &actor).await
    })?;
    if let Some(file) = matches.get_one::<String>("credentials") {
        write_credentials(Path::new(file), &users)?;
    }
    serve(settings, runtime, store, |_, address| {
        say!("{}", session(address, &users, has_page))
    })
}

async fn fill(erp: &Erp<Store>, bodies: &Bodies, actor: &Actor) -> Result<(), Failure> {
    let media = Media {
        bodies,
        files: Files::Embedded(&PICTURES),
    };
    for (name, text) in FILES {
        let text = text.as_bytes();
        import_bytes(
            erp,
            &media,
            name,
            (Format::Ndjson, text),
            &Silent,
            Some(actor),
        )
        .await?;
    }
    Ok(())
}

struct Silent;

impl Progress for Silent {
    fn begin(&self, _: usize) {}
    fn advance(&self, _: usize) {}
    fn end(&self) {}
}

/// A demo user with a random password.
struct DemoUser {
    name: &'static str,
    role: Role,
    shop: Option<&'static str>,
    password: SecretString,
}

/// Creates the demo users, or sets new passwords for existing ones.
async fn set_up_users(erp: &Erp<Store>, actor: &Actor) -> Result<Vec<DemoUser>, Failure> {
    let mut users = Vec::new();
    for (name, role, shop) in USERS {
        let password = random_password()?;
        let password_hash = passwords::hash(&password)?;
        let shop_value = shop.map(Text::new).transpose()?;
        let user = User {
            name: Text::new(name)?,
            password_hash,
            role,
            shop: shop_value,
        };
        match erp.users().add(&user, Some(actor)).await {
            Err(Error::Conflict(_)) => {
                erp.users()
                    .set_password(name, &user.password_hash, Some(actor))
                    .await?;
            }
            other => other?,
        }
        users.push(DemoUser {
            name,
            role,
            shop,
            password,
        });
    }
    Ok(users)
}

/// Writes the users to a file that is private from its first byte on.
fn write_credentials(path: &Path, users: &[DemoUser]) -> Result<(), Failure> {
    let list: Vec<_> = users
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
    // An existing file may be readable by others; only a new one is private from the beginning.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => (),
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(serde_json::to_string_pretty(&list)?.as_bytes())?;
    file.write_all(b"\n")?;
    Ok(file.sync_all()?)
}

/// The printed text: users, and the main requests of a shop to copy and paste.
fn session(address: &str, users: &[DemoUser], has_page: bool) -> String {
    let mut text = format!("listening on {address}\n");
    if has_page {
        text.push_str(&format!("\nThe shop: open {address}/ in a browser\n"));
    }
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
    let password = |name: &str| {
        let user = users.iter().find(|user| user.name == name);
        user.map(|user| user.password.expose_secret().to_owned())
            .unwrap_or_default()
    };
    let session = include_str!("../../demo/session.sh")
        .replace("@BASE@", address)
        .replace("@SHOP_PASSWORD@", &password("shop1"))
        .replace("@ADMIN_PASSWORD@", &password("admin"));
    text.push_str("\nThe main job of a shop, to copy and paste into another terminal:\n\n");
    text.push_str(&session);
    text
}
