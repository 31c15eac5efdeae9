//! Where a database is.

use std::fmt;
use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// A connection string of PostgreSQL: `postgresql://user:password@host:port/database`, with several hosts
/// for a database with standbys, or the form of key words. Its password never shows.
///
/// ```
/// use erp_server::store::postgres::DatabaseUrl;
///
/// let url: DatabaseUrl = "postgresql://erp:geheim@db1,db2:5433/shop".parse().unwrap();
/// assert_eq!(url.to_string(), "postgresql://erp@db1,db2:5433/shop");
/// assert!("http://db1".parse::<DatabaseUrl>().is_err());
/// ```
#[derive(Clone)]
pub struct DatabaseUrl {
    text: SecretString,
    /// Whether the text says how to encrypt.
    says_ssl: bool,
}

impl DatabaseUrl {
    /// How to connect. Only servers that take writes will do. Unless the text says otherwise, connections
    /// to this machine are plain and all others are encrypted.
    pub(super) fn config(&self) -> Result<Config, String> {
        let mut config = read(self.text.expose_secret())?;
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_application_name().is_none() {
            config.application_name("erp-server");
        }
        if !self.says_ssl {
            let local = config.get_hosts().iter().all(is_local);
            config.ssl_mode(match local {
                true => SslMode::Disable,
                false => SslMode::Require,
            });
        }
        Ok(config)
    }

    /// The same database with another password.
    ///
    /// # Errors
    /// When the password cannot stand in a connection string.
    pub fn with_password(&self, password: &SecretString) -> Result<Self, String> {
        let text = self.text.expose_secret();
        let escaped: String = password
            .expose_secret()
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect();
        let text = match text.split_once("://") {
            Some(_) => {
                let join = if text.contains('?') { '&' } else { '?' };
                format!("{text}{join}password={escaped}")
            }
            None => {
                let quoted = password
                    .expose_secret()
                    .replace('\\', "\\\\")
                    .replace('\'', "\\'");
                format!("{text} password='{quoted}'")
            }
        };
        text.parse()
    }
}

fn read(text: &str) -> Result<Config, String> {
    let config: Config = text
        .parse()
        .map_err(|_| "a connection string like `postgresql://erp@localhost:5432/erp`".to_owned())?;
    match config.get_hosts() {
        [] => Err("a connection string with a host".to_owned()),
        _ => Ok(config),
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address = name.parse::<std::net::IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read(text)?;
        Ok(Self {
            says_ssl: text.contains("sslmode"),
            text: SecretString::from(text),
        })
    }
}

/// The address without the password.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(config) = read(self.text.expose_secret()) else {
            return Err(fmt::Error);
        };
        f.write_str("postgresql://")?;
        if let Some(user) = config.get_user() {
            write!(f, "{user}@")?;
        }
        let ports = config.get_ports();
        for (index, host) in config.get_hosts().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let name = match host {
                Host::Tcp(name) => name.clone(),
                #[cfg(unix)]
                Host::Unix(path) => path.display().to_string(),
            };
            // One port stands for all hosts.
            let port = ports
                .get(index)
                .or(ports.first())
                .filter(|port| **port != 5432);
            match port {
                Some(port)
                    if ports.len() > 1 || index.saturating_add(1) == config.get_hosts().len() =>
                {
                    write!(f, "{comma}{name}:{port}")?;
                }
                _ => write!(f, "{comma}{name}")?,
            }
        }
        match config.get_dbname() {
            Some(name) => write!(f, "/{name}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}
