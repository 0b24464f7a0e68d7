//! The library for C and C++: `include/menagerie.h` is made of these files, so what is said here is said there.
//!
//! The border is thin: handles that own what the library gives, plain structs that point into them, and no panic that
//! crosses. This is the only crate with `unsafe`; what each use relies on is what the header asks of the caller.

mod border;
mod handles;
mod model;
mod pose;
mod result;
mod scene;

pub use border::{MenagerieStatus, menagerie_last_error};
pub use handles::{MenagerieModel, MenageriePose, MenagerieResult, MenagerieScene};
pub use model::*;
pub use pose::*;
pub use result::*;
pub use scene::*;

/// The version of this interface. It changes when a program that was built with an older header would break.
pub const MENAGERIE_ABI_VERSION: u32 = 1;

/// The version of the interface of the library that is loaded; compare it with MENAGERIE_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn menagerie_abi_version() -> u32 {
    MENAGERIE_ABI_VERSION
}
