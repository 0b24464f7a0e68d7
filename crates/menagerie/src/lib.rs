//! Reads, writes, checks, explains and converts the 3D models of five game engines, among each other and to and from
//! the formats that modern tools speak.
//!
//! # The levels
//!
//! ```text
//! bytes ──read──▶ file model ──lift──▶ Scene ──lower──▶ file model ──write──▶ bytes
//! ```
//!
//! - [`bytes`]: checked little-endian reading and writing, byte ranges, limits.
//! - [`diag`]: issues with stable codes, and the report of what a conversion cost.
//! - [`scene`]: the one common model.
//! - [`formats`]: the file models, one folder a format, and the registry.
//! - [`ops`]: changes of a Scene.
//! - [`pictures`]: kinds of pictures, their texels, and PNG files of these.
//! - [`diff`]: what differs between two Scenes.
//! - [`repair`]: broken files mended, every change listed.
//! - [`convert`]: from one format to another, with a report of every loss.
//!
//! The library opens no file, prints nothing, asks no clock, and never panics because of what a file holds.
//!
//! # The short way
//!
//! ```
//! use menagerie::Format;
//!
//! # let bytes = menagerie::formats::bo3d::Model::default().to_bytes();
//! let model = menagerie::from_bytes(bytes)?; // or menagerie::open("robot.bo3d"), with the pictures beside it
//! let scene = model.scene()?;
//! println!("{}: {} nodes", model.format().name, scene.nodes.len());
//!
//! let glb = model.convert(Format::GLTF)?;
//! for loss in glb.losses.losses() {
//!     println!("{} {}: {}", loss.code(), loss.kind, loss.message);
//! }
//! # Ok::<(), menagerie::Error>(())
//! ```
//!
//! [`open()`], [`from_bytes`] and [`Scene::write`] are enough for most programs. `examples/` has more: walking through a
//! model, building a Scene by hand, converting with losses, one format only.
//!
//! # Level by level
//!
//! ```
//! use menagerie::formats::{Format, ReadOptions};
//!
//! # let bytes = menagerie::formats::bo3d::Model::default().to_bytes();
//! let options = ReadOptions::default();
//! let (format, _) = Format::detect(&bytes, Some("empty.bo3d"))?;
//! let reading = format.open(&bytes, &options);
//! for issue in reading.issues.iter() {
//!     eprintln!("{} {issue}", issue.code);
//! }
//! if let Some(model) = reading.model {
//!     assert_eq!(model.write()?.bytes, bytes, "an unchanged model gives the same bytes");
//!     let scene = model.lift(&options)?.scene;
//!     println!("{} nodes", scene.nodes.len());
//! }
//! # Ok::<(), menagerie::diag::Issue>(())
//! ```

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit
)]

pub mod bytes;
pub mod convert;
pub mod diag;
pub mod diff;
pub mod formats;
mod math;
pub mod open;
pub mod ops;
mod parallel;
pub mod pictures;
pub mod repair;
pub mod scene;

#[cfg(feature = "fs")]
pub use open::open;
pub use open::{Error, Model, Written, from_bytes};

pub use convert::Conversion;
pub use formats::Format;
pub use glam;
pub use scene::Scene;

/// Every code that there is, of issues, losses and differences: what `menagerie explain` knows.
pub fn codes() -> impl Iterator<Item = &'static diag::Code> {
    formats::codes().chain(convert::CODES.iter().copied()).chain(diff::CODES.iter().copied())
}

/// The example of the README is a doc test too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
