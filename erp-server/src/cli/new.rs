//! `erp-server new`: a folder with a configuration file, a store and its first admin.

mod template;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::internal::master::User;
use serde_json::json;

use super::backend::{Backend, run_here};
use super::company::{CompanyArgs, answer, begin};
use super::failure::Failure;
use super::open::{Opening, runtime};
use super::print::ResultArgs;
use super::private_file::write_private_file;
use crate::config::Settings;
use crate::store::create_private;

const FILE: &str = "erp.toml";

const DATA: &str = "data";

/// Make a folder with a commented configuration file, a store and its first admin
///
/// Asks for the folder, the company, its country, its currency and its first invoice number unless options give them; an empty
/// line takes the answer in brackets. The company gets today's tax rates of CH, LI, DE or AT.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server new /srv/erp\n  \
        erp-server new /srv/erp --company Muster --country CH --currency CHF --listen 0.0.0.0:8080 --json")]
pub(super) struct NewCommand {
    /// The folder; it must be empty or missing
    folder: Option<PathBuf>,
    #[command(flatten)]
    company: CompanyArgs,
    /// Address and port the server listens on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// PostgreSQL database for several servers; empty for a store in the folder
    #[arg(long, value_name = "URL", default_value = "")]
    database: String,
    /// Name of the first admin, who gets a random password
    #[arg(long, value_name = "NAME", default_value = "admin")]
    admin: String,
    #[command(flatten)]
    result: ResultArgs,
}

impl NewCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let folder = match self.folder {
            Some(folder) => folder,
            None => answer(None, "In which new folder?", "", check_folder)?.into(),
        };
        let folder = std::path::absolute(folder)?;
        refuse_full(&folder)?;
        let data = folder.join(DATA);
        let mut settings = Settings::defaults()?;
        settings.set("data_dir", &data.display().to_string(), "FOLDER")?;
        for (name, value) in [("listen", &self.listen), ("database", &self.database)] {
            settings
                .set(name, value, &format!("--{name}"))
                .map_err(|error| Failure::usage(error.to_string()))?;
        }
        let admin = User::check_new_name(&self.admin);
        let admin = admin.map_err(|error| Failure::usage(error.to_string()))?;
        let company = self.company.ask()?;
        create_private(&data).map_err(|error| Failure::cannot_write(&data, &error))?;
        let rows = company.map(|company| company.lines()).unwrap_or_default();
        let users = [(admin.as_str(), "admin")];
        let store = async |backend: &Backend| begin(backend, &rows, &users).await;
        let made = runtime()?.block_on(run_here(settings, Opening::InFolder, store))?;
        let secret: String = made.into_iter().map(|(_, password)| password).collect();
        let given = [
            ("listen", self.listen),
            ("data_dir", data.display().to_string()),
            ("database", self.database),
        ];
        let file = folder.join(FILE);
        write_private_file(&file, &template::render(&file, &given))
            .map_err(|error| Failure::cannot_write(&file, &error))?;
        let file = file.display();
        self.result.print(
            &json!({"config": file.to_string(), "data_dir": data, "admin": admin, "password": secret}),
            format_args!(
                "settings: {file}\npassword of {admin}: {secret}\nstart: erp-server serve --config {file}"
            ),
        );
        Ok(())
    }
}

fn check_folder(folder: &str) -> Result<(), String> {
    match folder {
        "" => Err("name a new folder".to_owned()),
        folder => refuse_full(Path::new(folder)).map_err(|failure| failure.message),
    }
}

/// An existing installation is never changed.
fn refuse_full(folder: &Path) -> Result<(), Failure> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(Failure::usage(format!(
            "`{}` is not empty; name a new folder",
            folder.display()
        ))),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::usage(format!(
            "`{}` cannot be read: {error}",
            folder.display()
        ))),
        _ => Ok(()),
    }
}
