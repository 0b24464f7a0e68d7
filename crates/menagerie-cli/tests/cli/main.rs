//! The program as people run it. One test program for all, because each would link the whole library again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by a panic")]

mod batches;
mod collection;
mod convert;
mod exit_codes;
mod faults;
mod identify;
mod inspect;
mod json;
mod optimize;
mod readme;
mod render;
mod repair;
mod support;
