//! The place of the bodies: a folder or a bucket.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::{BackoffConfig, RetryConfig};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;

use super::client::{Connector, chain};
use super::objects::Objects;

/// Retries of a request without a useful response.
const TRIES: usize = 2;

/// A request is retried within this time from its start.
const TRIED: Duration = Duration::from_secs(10);

/// A bucket and a key prefix: `s3://bucket/prefix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaStore {
    bucket: String,
    prefix: String,
}

impl FromStr for MediaStore {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "`s3://bucket` or `s3://bucket/prefix`".to_owned();
        let rest = text.strip_prefix("s3://").ok_or_else(wrong)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_matches('/');
        let bucket_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let prefix_letter = |c: char| bucket_letter(c) || c == '/';
        let empty_part =
            prefix.contains("//") || prefix.split('/').any(|part| part.starts_with('.'));
        match !bucket.is_empty()
            && bucket.chars().all(bucket_letter)
            && prefix.chars().all(prefix_letter)
            && !empty_part
        {
            true => Ok(Self {
                bucket: bucket.to_owned(),
                prefix: prefix.to_owned(),
            }),
            false => Err(wrong()),
        }
    }
}

impl fmt::Display for MediaStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix.as_str() {
            "" => write!(f, "s3://{}", self.bucket),
            prefix => write!(f, "s3://{}/{prefix}", self.bucket),
        }
    }
}

/// Where the bodies are.
#[derive(Clone, Debug)]
pub struct Options {
    /// Data folder; its folder `media` holds the bodies, or with a bucket those that are arriving.
    pub data_dir: PathBuf,
    /// Longest body.
    pub body_bytes: u64,
    /// The bucket (setting `media_store`).
    pub store: Option<MediaStore>,
    /// Access to the bucket.
    pub s3: S3Options,
}

/// Access to the bucket: the settings `media_s3_*`.
#[derive(Clone, Debug)]
pub struct S3Options {
    /// URL of the service; `None` for AWS.
    pub endpoint: Option<String>,
    /// Region that requests are signed for.
    pub region: String,
    /// Access key.
    pub access_key: Option<String>,
    /// Its secret.
    pub secret_key: Option<SecretString>,
    /// File that holds the secret instead.
    pub secret_key_file: Option<PathBuf>,
    /// Name the bucket in the host of requests.
    pub virtual_host: bool,
    /// Allow an endpoint without TLS.
    pub allow_http: bool,
}

/// Why the media settings are invalid.
#[derive(Debug, Error)]
pub enum PlaceError {
    /// A setting required by `media_store` is missing.
    #[error("`media_store` needs `{0}`")]
    Missing(&'static str),
    /// Two exclusive settings are set.
    #[error("of `media_s3_secret_key` and `media_s3_secret_key_file` only one can be set")]
    TwoSecrets,
    /// The secret file cannot be used.
    #[error("`media_s3_secret_key_file`: `{file}` {reason}")]
    SecretFile {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// Over plain http, pictures and credentials would be unencrypted.
    #[error("`media_s3_endpoint` `{0}` is not https; `media_s3_allow_http` allows that")]
    Http(String),
    /// A setting that requires `media_store`.
    #[error("`{0}` is set, but `media_store` is not")]
    Useless(&'static str),
    /// The client of the object store rejects the settings.
    #[error("`media_store`: {0}")]
    Client(String),
    /// An I/O error.
    #[error("`media_store`: {0}")]
    Io(#[from] io::Error),
}

/// The object store of these options; `None` when bodies are in the data folder.
pub(super) fn objects_of(options: &Options) -> Result<Option<Objects>, PlaceError> {
    let s3 = &options.s3;
    let Some(place) = &options.store else {
        return useless(s3).map_or(Ok(None), |name| Err(PlaceError::Useless(name)));
    };
    let access_key = s3.access_key.as_deref();
    let access_key = access_key.ok_or(PlaceError::Missing("media_s3_access_key"))?;
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&place.bucket)
        .with_region(&s3.region)
        .with_access_key_id(access_key)
        .with_secret_access_key(secret(s3)?.expose_secret())
        .with_virtual_hosted_style_request(s3.virtual_host)
        .with_allow_http(s3.allow_http)
        .with_retry(RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: TRIES,
            retry_timeout: TRIED,
        })
        .with_http_connector(Connector::new(s3.allow_http));
    if let Some(endpoint) = &s3.endpoint {
        builder = builder.with_endpoint(endpoint_of(s3, endpoint, &place.bucket)?);
    }
    let store = builder.build();
    let store = store.map_err(|error| PlaceError::Client(chain(&error)))?;
    let shown = format!("s3://{}/", place.bucket);
    Ok(Some(Objects::new(Arc::new(store), &place.prefix, shown)?))
}

/// A setting that has no effect without a bucket.
fn useless(s3: &S3Options) -> Option<&'static str> {
    let set = [
        ("media_s3_endpoint", s3.endpoint.is_some()),
        ("media_s3_access_key", s3.access_key.is_some()),
        ("media_s3_secret_key", s3.secret_key.is_some()),
        ("media_s3_secret_key_file", s3.secret_key_file.is_some()),
    ];
    set.into_iter().find_map(|(name, set)| set.then_some(name))
}

fn secret(s3: &S3Options) -> Result<SecretString, PlaceError> {
    let file = match (&s3.secret_key, &s3.secret_key_file) {
        (Some(_), Some(_)) => return Err(PlaceError::TwoSecrets),
        (Some(secret), None) => return Ok(secret.clone()),
        (None, None) => return Err(PlaceError::Missing("media_s3_secret_key")),
        (None, Some(file)) => file,
    };
    let refuse = |reason: String| PlaceError::SecretFile {
        file: file.display().to_string(),
        reason,
    };
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| refuse(format!("cannot be read: {error}")))?;
    match text.trim() {
        "" => Err(refuse("is empty".to_owned())),
        secret => Ok(secret.to_owned().into()),
    }
}

/// The request URL: with the bucket in the host name if the settings say so.
fn endpoint_of(s3: &S3Options, endpoint: &str, bucket: &str) -> Result<String, PlaceError> {
    let (scheme, host) = endpoint.split_once("://").unwrap_or(("https", endpoint));
    if scheme != "https" && !s3.allow_http {
        return Err(PlaceError::Http(endpoint.to_owned()));
    }
    Ok(match s3.virtual_host {
        true => format!("{scheme}://{bucket}.{host}"),
        false => format!("{scheme}://{host}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    fn settings(changes: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::defaults().unwrap();
        for (name, value) in changes {
            settings.set(name, value, "a test").unwrap();
        }
        settings
    }

    fn options(changes: &[(&str, &str)]) -> Options {
        settings(changes).media_options()
    }

    fn refused(changes: &[(&str, &str)]) -> String {
        objects_of(&options(changes)).unwrap_err().to_string()
    }

    const STORE: (&str, &str) = ("media_store", "s3://bucket/a/b");
    const KEY: (&str, &str) = ("media_s3_access_key", "AK");
    const SECRET: (&str, &str) = ("media_s3_secret_key", "very secret");

    #[test]
    fn a_place_is_a_bucket_with_a_prefix() {
        for (text, shown) in [
            ("s3://bucket", "s3://bucket"),
            ("s3://bucket/", "s3://bucket"),
            ("s3://bucket/a/b/", "s3://bucket/a/b"),
        ] {
            assert_eq!(text.parse::<MediaStore>().unwrap().to_string(), shown);
        }
        for text in [
            "",
            "bucket",
            "s3://",
            "s3:///a",
            "http://bucket",
            "s3://b/a//b",
            "s3://b/../a",
            "s3://b/ä",
        ] {
            assert!(text.parse::<MediaStore>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert!(objects_of(&options(&[])).unwrap().is_none());
        let objects = objects_of(&options(&[STORE, KEY, SECRET]))
            .unwrap()
            .unwrap();
        let shown = objects.shown(erp_core::media::BodyHash::new([0xab; 32]));
        assert_eq!(shown, format!("s3://bucket/a/b/ab/ab/{}", "ab".repeat(32)));
        assert_eq!(
            refused(&[STORE]),
            "`media_store` needs `media_s3_access_key`"
        );
        assert_eq!(
            refused(&[STORE, KEY]),
            "`media_store` needs `media_s3_secret_key`"
        );
        let clear = ("media_s3_endpoint", "http://127.0.0.1:9000");
        assert_eq!(
            refused(&[STORE, KEY, SECRET, clear]),
            "`media_s3_endpoint` `http://127.0.0.1:9000` is not https; `media_s3_allow_http` allows that"
        );
        let allowed = ("media_s3_allow_http", "true");
        assert!(objects_of(&options(&[STORE, KEY, SECRET, clear, allowed])).is_ok());
        assert_eq!(
            refused(&[KEY]),
            "`media_s3_access_key` is set, but `media_store` is not"
        );
        let file = ("media_s3_secret_key_file", "/there/is/no/such/file");
        assert!(refused(&[STORE, KEY, SECRET, file]).starts_with("of `media_s3_secret_key`"));
        assert!(refused(&[STORE, KEY, file]).contains("`/there/is/no/such/file` cannot be read"));
    }

    #[test]
    fn the_secret_comes_from_a_file_and_is_never_shown() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "  very secret\n").unwrap();
        let path = file.path().display().to_string();
        let read = options(&[STORE, KEY, ("media_s3_secret_key_file", &path)]);
        assert_eq!(secret(&read.s3).unwrap().expose_secret(), "very secret");
        fs::write(file.path(), "\n").unwrap();
        assert!(
            secret(&read.s3)
                .unwrap_err()
                .to_string()
                .ends_with("is empty")
        );
        let given = settings(&[STORE, KEY, SECRET]);
        assert!(!format!("{given:?}").contains("very secret"));
        let values = given.values();
        assert!(
            values
                .iter()
                .all(|(_, value)| !value.contains("very secret"))
        );
        let shown = values.iter().find(|(doc, _)| doc.name == SECRET.0).unwrap();
        assert_eq!(shown.1, "(set)");
        let objects = objects_of(&given.media_options()).unwrap().unwrap();
        assert!(!format!("{objects:?}").contains("very secret"));
    }

    #[test]
    fn a_bucket_can_be_a_host() {
        let changes = [("media_s3_virtual_host", "true")];
        let endpoint = endpoint_of(&options(&changes).s3, "https://s3.example", "bucket");
        assert_eq!(endpoint.unwrap(), "https://bucket.s3.example");
        let endpoint = endpoint_of(&options(&[]).s3, "https://s3.example", "bucket");
        assert_eq!(endpoint.unwrap(), "https://s3.example");
    }
}
