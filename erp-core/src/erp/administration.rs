//! Back-office operations other than imports: user roles, tokens of users, single attributes of the company.

use jiff::Timestamp;

use super::catalogue::MasterKind;
use super::work::{ENTRIES_PER_READ, yield_now};
use super::{Actor, Attempt, Erp, Error, TokenHash, Users, keys, retry_on_conflict};
use crate::master::{Attribute, Attributes, Company, Role, Token, User};
use crate::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, Key, Scan, Space, Storage};
use crate::text::Text;

/// Changes to a user; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserChange {
    /// The new role.
    pub role: Option<Role>,
    /// The new value that selects articles (`RESTWEBSHOP`); `Some(None)` removes it.
    pub shop: Option<Option<Text<200>>>,
}

/// A token of a user, without the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// [`TokenHash::short`] of its hash.
    pub id: String,
    /// Start of validity, where it is known.
    pub issued_at: Option<Timestamp>,
    /// End of validity.
    pub expires_at: Timestamp,
}

impl<S: Storage> Users<'_, S> {
    /// Changes the role or shop of a user, effective from the user's next request.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user, [`Error::Conflict`] when no admin would be left.
    pub async fn change(
        self,
        name: &str,
        change: &UserChange,
        actor: Option<&Actor>,
    ) -> Result<User, Error> {
        let (user, _) = retry_on_conflict!(self.erp, actor, {
            let found = self.erp.load::<User>(&keys::user(name)).await?;
            let found = found.ok_or_else(|| Error::not_found("user", name))?;
            let user = User {
                role: change.role.unwrap_or(found.record.role),
                shop: change.shop.clone().unwrap_or(found.record.shop.clone()),
                ..found.record.clone()
            };
            if user == found.record {
                Attempt::Done(user)
            } else {
                let mut changes = ChangeSet::new();
                changes.guard(keys::user(name), Some(found.revision));
                if user.role != Role::Admin {
                    self.keep_an_admin(&mut changes, &found.record).await?;
                }
                changes.put(keys::user(name), encode(&user)?);
                Attempt::Commit(changes, user)
            }
        });
        Ok(user)
    }

    /// Makes a change that takes away this user's admin role depend on another admin who keeps the role.
    pub(super) async fn keep_an_admin(
        self,
        changes: &mut ChangeSet,
        leaving: &User,
    ) -> Result<(), Error> {
        if leaving.role != Role::Admin {
            return Ok(());
        }
        let users = Scan::prefix(&Key::of(Space::User).build());
        for (key, entry) in self.erp.scan_all(users).await?.entries {
            let other: User = decode(&key, &entry)?;
            if other.role == Role::Admin && other.name != leaving.name {
                // If two admins remove each other at the same moment, this guard fails for one of them.
                changes.guard(key, Some(entry.revision));
                return Ok(());
            }
        }
        Err(Error::Conflict(format!(
            "`{}` is the last admin; make another user admin first",
            leaving.name
        )))
    }

    /// The tokens of a user that have not expired at `now`, latest expiry first. A token with an issue time in the
    /// future (its issuer's clock was ahead) is listed although it is not valid yet.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user.
    pub async fn tokens_of(self, name: &str, now: Timestamp) -> Result<Vec<IssuedToken>, Error> {
        self.known_user(name).await?;
        let listed = self.erp.scan_all(keys::tokens_of_user(name)).await?.entries;
        let hashes = listed.iter().map(|(key, _)| TokenHash::of_user_key(key));
        let hashes: Vec<TokenHash> = hashes.flatten().collect();
        let mut tokens = Vec::new();
        for some in hashes.chunks(ENTRIES_PER_READ) {
            let keys: Vec<Key> = some.iter().map(keys::token).collect();
            let entries = self.erp.store.get(&keys).await?;
            for ((hash, key), entry) in some.iter().zip(&keys).zip(entries) {
                let Some(entry) = entry else { continue };
                let token: Token = decode(key, &entry)?;
                tokens.push(IssuedToken {
                    id: hash.short(),
                    issued_at: token.issued_at,
                    expires_at: token.expires_at,
                });
            }
            yield_now().await;
        }
        tokens.retain(|token| now < token.expires_at);
        tokens.sort_by(|one, other| {
            let later = other.expires_at.cmp(&one.expires_at);
            later.then_with(|| one.id.cmp(&other.id))
        });
        Ok(tokens)
    }

    /// Revokes all tokens of a user and returns their number, expired tokens included.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user.
    pub async fn revoke_tokens_of(self, name: &str, actor: Option<&Actor>) -> Result<usize, Error> {
        self.known_user(name).await?;
        let mut ended = 0_usize;
        loop {
            // One page at a time: a user may have more tokens than fit in one commit.
            let (some, _) = retry_on_conflict!(self.erp, actor, {
                let page = self.erp.store.scan(keys::tokens_of_user(name)).await?;
                match page.entries.len() {
                    0 => Attempt::Done(0),
                    some => Attempt::Commit(self.ending_tokens(page.entries).await?, some),
                }
            });
            if some == 0 {
                return Ok(ended);
            }
            ended = ended.saturating_add(some);
        }
    }

    async fn known_user(self, name: &str) -> Result<(), Error> {
        let user = self.find(name).await?;
        user.map(drop).ok_or_else(|| Error::not_found("user", name))
    }
}

impl<S: Storage> Erp<S> {
    /// The company's settings and attributes; defaults before the first import.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn company(&self) -> Result<Company, Error> {
        Ok(self
            .load(&keys::company())
            .await?
            .map(|found| found.record)
            .unwrap_or_default())
    }

    /// Stores one attribute of the company and replaces one with the same name; other attributes are unchanged.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn set_company_attribute(
        &self,
        attribute: &Attribute,
        actor: Option<&Actor>,
    ) -> Result<(), Error> {
        let set = |attributes: &mut Attributes| {
            attributes.set(attribute.clone());
            Ok(())
        };
        self.change_company_attributes(set, actor).await
    }

    /// Removes one attribute of the company.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no attribute of this name.
    pub async fn remove_company_attribute(
        &self,
        key: &str,
        actor: Option<&Actor>,
    ) -> Result<(), Error> {
        let remove = |attributes: &mut Attributes| match attributes.remove(key) {
            true => Ok(()),
            false => Err(Error::not_found("attribute", key)),
        };
        self.change_company_attributes(remove, actor).await
    }

    async fn change_company_attributes(
        &self,
        change: impl Fn(&mut Attributes) -> Result<(), Error>,
        actor: Option<&Actor>,
    ) -> Result<(), Error> {
        retry_on_conflict!(self, actor, {
            let found: Option<Versioned<Company>> = self.load(&keys::company()).await?;
            let revision = found.as_ref().map(|found| found.revision);
            let mut company = found.map(|found| found.record).unwrap_or_default();
            let before = company.attributes.clone();
            change(&mut company.attributes)?;
            if company.attributes == before {
                Attempt::Done(())
            } else {
                let mut changes = ChangeSet::new();
                changes.guard(keys::company(), revision);
                changes.put(keys::company(), encode(&company)?);
                MasterKind::Settings.touch(&mut changes);
                Attempt::Commit(changes, ())
            }
        });
        Ok(())
    }
}
