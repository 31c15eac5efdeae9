use std::fmt;
use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// A PostgreSQL connection string: `postgresql://user:password@host:port/database`, with several hosts for a
/// database with standbys, or the key/value form. Its password is never printed.
///
/// ```
/// use erp_store_postgres::DatabaseUrl;
///
/// let url: DatabaseUrl = "postgresql://erp:geheim@db1,db2:5433/shop".parse().unwrap();
/// assert_eq!(url.to_string(), "postgresql://erp@db1,db2:5433/shop");
/// assert!("http://db1".parse::<DatabaseUrl>().is_err());
/// ```
#[derive(Clone)]
pub struct DatabaseUrl {
    text: SecretString,
    /// The password, if it is not part of the text.
    password: Option<SecretString>,
}

impl DatabaseUrl {
    /// Connection settings. Only servers that accept writes are used. Unless the text says `disable` or `require`,
    /// connections to this machine are unencrypted and all others are encrypted: with `prefer`, libpq's default, a
    /// man in the middle could downgrade the connection.
    pub(super) fn config(&self) -> Result<Config, String> {
        let mut config = read(self.text.expose_secret())?;
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_application_name().is_none() {
            config.application_name("erp-server");
        }
        if let Some(password) = &self.password {
            config.password(password.expose_secret());
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            let local = config.get_hosts().iter().all(is_local);
            config.ssl_mode(if local {
                SslMode::Disable
            } else {
                SslMode::Require
            });
        }
        Ok(config)
    }

    /// The same database with another password.
    #[must_use]
    pub fn with_password(&self, password: &SecretString) -> Self {
        Self {
            text: self.text.clone(),
            password: Some(password.clone()),
        }
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
            text: SecretString::from(text),
            password: None,
        })
    }
}

/// Prints the address without the password.
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
            // A single port applies to all hosts.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        text.parse::<DatabaseUrl>().unwrap().config().unwrap()
    }

    #[test]
    fn only_the_parameter_sslmode_decides_about_encryption() {
        for (text, mode) in [
            ("postgresql://erp@db1/shop", SslMode::Require),
            ("postgresql://sslmode@db1/shop", SslMode::Require),
            (
                "postgresql://erp:sslmode%3Ddisable@db1/shop",
                SslMode::Require,
            ),
            (
                "postgresql://erp:sslmode=disable@db1/shop",
                SslMode::Require,
            ),
            ("postgresql://erp@db1/sslmode", SslMode::Require),
            ("postgresql://erp@sslmode/shop", SslMode::Require),
            (
                "host=db1 user=erp password='sslmode=disable'",
                SslMode::Require,
            ),
            (
                "host=db1 user=erp application_name=sslmode",
                SslMode::Require,
            ),
            // `prefer` may fall back to an unencrypted connection, so it is not accepted as encryption.
            ("postgresql://erp@db1/shop?sslmode=prefer", SslMode::Require),
            ("postgresql://erp@db1,localhost/shop", SslMode::Require),
            ("postgresql://erp@localhost/sslmode", SslMode::Disable),
            ("postgresql://erp@127.0.0.1/shop", SslMode::Disable),
            (
                "postgresql://erp@db1/shop?sslmode=disable",
                SslMode::Disable,
            ),
            ("host=db1 user=erp sslmode=disable", SslMode::Disable),
            (
                "postgresql://erp@localhost/shop?sslmode=require",
                SslMode::Require,
            ),
            ("host=localhost user=erp sslmode=require", SslMode::Require),
        ] {
            assert_eq!(config(text).get_ssl_mode(), mode, "{text}");
        }
    }

    #[test]
    fn a_password_is_taken_as_it_is() {
        let password = SecretString::from("a?b&c'\\=ä sslmode=disable");
        for text in [
            "postgresql://erp:other@db1/shop",
            "postgresql://e?rp@db1/shop",
            "postgresql://erp@db1/shop?connect_timeout=3",
            "host=db1 user=erp dbname=shop",
        ] {
            let url: DatabaseUrl = text.parse().unwrap();
            let config = url.with_password(&password).config().unwrap();
            let expected = password.expose_secret().as_bytes();
            assert_eq!(config.get_password(), Some(expected), "{text}");
            assert_eq!(config.get_dbname(), Some("shop"), "{text}");
            assert_eq!(config.get_ssl_mode(), SslMode::Require, "{text}");
        }
    }
}
