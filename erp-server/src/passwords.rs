//! Password hashing with Argon2id and the parameters recommended by OWASP.

use std::net::IpAddr;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use erp_core::internal::Say;
use erp_net::network_of;
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;

use crate::lane::{self, Lane, LaneError};
use crate::web::ApiError;

/// 19 MiB, 2 passes, 1 lane: first choice of OWASP for Argon2id. Takes about 20 ms on one core.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Minimum length; shorter passwords are too easy to guess.
pub const SHORTEST_PASSWORD: usize = 10;

/// Maximum length; Basic credentials with longer passwords are rejected.
pub const LONGEST_PASSWORD: usize = 255;

/// Hash of an unknown password, in the same form and at the same cost as any other. It is checked for unknown user
/// names, so that response time does not reveal which users exist.
const NO_USER: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                      Pn0zdTYJpo3CQ0ahEfHbCsuL6EPbUBgrGBNVxpODc6M";

/// Reports that a hash could not be computed. No message contains anything about the password.
#[derive(Debug, Error)]
pub enum PasswordError {
    #[error("the password could not be hashed: {0}")]
    Failed(String),
    /// The queue is full, or the job failed.
    #[error(transparent)]
    Lane(#[from] LaneError),
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Failed(_) => Self::internal(error),
            PasswordError::Lane(error) => error.into(),
        }
    }
}

/// Reasons for rejecting a password. No message contains anything about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum PasswordRule {
    /// Too easy to guess.
    #[say("malformed.password_short", least = SHORTEST_PASSWORD)]
    Short,
    /// Cannot be sent with Basic authentication.
    #[say("malformed.password_long", most = LONGEST_PASSWORD)]
    Long,
    /// Cannot be sent with Basic authentication.
    #[say("malformed.password_control")]
    Control,
}

/// Validates a new password.
/// Errors: when it is too easy to guess or cannot be used to log in (RFC 7617).
pub fn check(password: &str) -> Result<SecretString, PasswordRule> {
    let length = password.chars().count();
    if length < SHORTEST_PASSWORD {
        return Err(PasswordRule::Short);
    }
    if length > LONGEST_PASSWORD {
        return Err(PasswordRule::Long);
    }
    if password.chars().any(char::is_control) {
        return Err(PasswordRule::Control);
    }
    Ok(SecretString::from(password))
}

/// Maximum number of hashes computed concurrently, on any machine: 76 MiB in total.
const MOST_AT_ONCE: usize = 4;

/// Refuses a password while the queue is full.
const TOO_MANY: &str = "too many passwords wait to be checked";

/// Computes password hashes, a bounded number at a time. Clones share the limits.
///
/// One hash takes 19 MiB and about 20 ms on a core, and unauthenticated clients can request one by trying to log
/// in. So at most half of the cores compute hashes, and the queue is bounded.
#[derive(Clone, Debug)]
pub struct Passwords(Lane);

impl Passwords {
    /// At most `waiting` requests queue.
    pub fn new(waiting: usize) -> Self {
        let at_once = (lane::cores() / 2).clamp(1, MOST_AT_ONCE);
        Self(Lane::new(at_once, waiting, TOO_MANY))
    }

    /// Computes the hash of a new password as a PHC string, for this caller.
    /// Errors: when the system provides no random salt, or the queue is full.
    pub async fn hash(
        &self,
        caller: &str,
        password: SecretString,
    ) -> Result<String, PasswordError> {
        self.0.run(caller, move || hash(&password)).await?
    }

    /// Runs a check of a password by [`verify`]. Guesses come from networks in which a client has many addresses, so each
    /// network is a caller of the lane: those of one do not keep the clients of another out.
    /// Errors: when the check could not run, or the queue is full.
    pub async fn check<T: Send + 'static>(
        &self,
        client: Option<IpAddr>,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let network = client.map(|client| network_of(client).to_string());
        Ok(self.0.run(&network.unwrap_or_default(), check).await?)
    }
}

fn argon2id() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None);
    let params = params.map_err(|error| PasswordError::Failed(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Computes the hash of a new password on the calling thread, for the command line.
/// Errors: when the system provides no random salt.
pub fn hash(password: &SecretString) -> Result<String, PasswordError> {
    let hash = argon2id()?.hash_password(password.expose_secret().as_bytes());
    let hash = hash.map_err(|error| PasswordError::Failed(error.to_string()))?;
    Ok(hash.to_string())
}

/// Checks a password against a stored hash. For a user that does not exist pass `None`: the check takes the same time and
/// returns `false`.
pub fn verify(password: &SecretString, stored: Option<&str>) -> bool {
    let Ok(hash) = PasswordHash::new(stored.unwrap_or(NO_USER)) else {
        return false;
    };
    // Parameters come from the stored hash, so that hashes made with older parameters stay valid.
    let checked = Argon2::default().verify_password(password.expose_secret().as_bytes(), &hash);
    checked.is_ok() && stored.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;

    // rule: R-AUT-03
    #[tokio::test]
    async fn the_right_password_and_no_other() {
        let passwords = Passwords::new(8);
        let hash = passwords.hash("shop", "schlüssel".into()).await.unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        let verify = |password: &str, stored| verify(&password.into(), stored);
        assert!(verify("schlüssel", Some(&hash)));
        assert!(!verify("Schlüssel", Some(&hash)));
        assert!(!verify("schlüssel", None));
        assert!(!verify("schlüssel", Some("no hash")));
        assert!(!hash.contains("schl"));
    }

    // rule: D-WRK-03
    #[tokio::test]
    async fn guesses_of_one_network_keep_no_other_client_out() {
        let passwords = Passwords::new(4);
        let check = |address: [u8; 4]| passwords.check(Some(address.into()), || ());
        let guesses = join_all((1..=20).map(|last| check([192, 0, 2, last])));
        let (guesses, other) = tokio::join!(guesses, check([198, 51, 100, 1]));
        other.unwrap();
        let refused = guesses.into_iter().find_map(Result::err).unwrap();
        assert_eq!(refused.to_string(), TOO_MANY);
        assert_eq!(ApiError::from(refused).status().as_u16(), 503);
    }

    #[test]
    fn a_password_can_be_sent_and_is_not_short() {
        for (text, rule) in [
            ("kurz", Some(PasswordRule::Short)),
            ("äöüäöüäöü", Some(PasswordRule::Short)),
            ("äöüäöüäöüä", None),
            (&"x".repeat(255), None),
            (&"x".repeat(256), Some(PasswordRule::Long)),
            ("lang genug\t", Some(PasswordRule::Control)),
        ] {
            assert_eq!(check(text).err(), rule, "{text}");
        }
        assert!(!PasswordRule::Short.to_string().contains("kurz"));
    }

    // rule: R-AUT-05
    #[test]
    fn an_unknown_user_costs_as_much_as_a_known_one() {
        let no_user = PasswordHash::new(NO_USER).unwrap();
        let known = hash(&"x".into()).unwrap();
        let known = PasswordHash::new(&known).unwrap();
        assert_eq!(no_user.algorithm, known.algorithm);
        assert_eq!(no_user.version, known.version);
        assert_eq!(no_user.params, known.params);
        assert_eq!(no_user.salt.map(|s| s.len()), known.salt.map(|s| s.len()));
        assert_eq!(no_user.hash.map(|h| h.len()), known.hash.map(|h| h.len()));
    }
}
