//! Formats of others, beside those of this library.

use std::sync::{PoisonError, RwLock};

use super::{ALL, Format};

static OTHERS: RwLock<Vec<&'static Format>> = RwLock::new(Vec::new());

/// Makes a format of one's own known: it is then detected, found by its name and extensions, and converted to and from
/// like the others. False when a format of that name or with one of its extensions is known already.
pub fn register(format: &'static Format) -> bool {
    let mut others = OTHERS.write().unwrap_or_else(PoisonError::into_inner);
    let taken = |known: &Format| {
        known.id.eq_ignore_ascii_case(format.id)
            || known
                .extensions
                .iter()
                .any(|e| format.extensions.iter().any(|own| own.eq_ignore_ascii_case(e)))
    };
    if ALL.iter().chain(others.iter()).any(|known| taken(known)) {
        return false;
    }
    others.push(format);
    true
}

/// All formats that are known: the library's own in their order, then those that were registered.
pub fn known() -> impl Iterator<Item = &'static Format> {
    let others = OTHERS.read().unwrap_or_else(PoisonError::into_inner).clone();
    ALL.iter().copied().chain(others)
}
