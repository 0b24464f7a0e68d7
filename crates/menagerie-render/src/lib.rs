//! Pictures of models without a GPU: the same bytes on every machine, whatever the number of threads.
//!
//! ```
//! use menagerie::formats::{Format, ReadOptions};
//! use menagerie_render::{Shot, Stage, png};
//!
//! # let bytes = menagerie::formats::bo3d::Model::default().to_bytes();
//! let options = ReadOptions::default();
//! let (format, _) = Format::detect(&bytes, Some("robot.bo3d"))?;
//! if let Some(model) = format.open(&bytes, &options).model {
//!     let scene = model.lift(&options)?.scene;
//!     let stage = Stage::new(menagerie::scene::check(&scene)?);
//!     let mut shot = Shot::default();
//!     (shot.width, shot.height) = (320, 240);
//!     let taken = stage.take(&shot)?;
//!     let file: Vec<u8> = png(&taken.picture)?;
//!     # assert!(file.starts_with(b"\x89PNG"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a picture is made
//!
//! A [`Stage`] holds a Scene with its textures decoded; a [`Shot`] says what of it to show and from where.
//!
//! | step | where |
//! |---|---|
//! | the shown nodes at a level of detail, posed, morphed and skinned | `drawable` |
//! | a camera: the model's, or one that the model fills the picture of | `camera`, `framing` |
//! | the studio's lights or the model's, the shadow on the ground | `lights`, `shadow` |
//! | vertices onto a fine grid, triangles cut at the near plane and sorted into tiles of 64 by 64 pixels | `project` |
//! | for each tile: which triangle each of four samples of a pixel sees | `raster`, `tile` |
//! | what a triangle's vertices say about a place, and its colour there | `attributes`, `material`, `texture`, `shade` |
//! | wires, bones, box and axes | `overlay`, `lines` |
//! | several pictures on one | `sheet`, `font` |
//! | two models from the same places, and how far apart | `compare` |
//! | the file | `encode` |
//!
//! # Same bytes
//!
//! Coverage is computed in whole numbers; colours in single floats with the basic operations and square roots, which
//! every processor rounds alike, and with functions computed in software where others are needed. Tiles and chunks of
//! triangles have fixed sizes, and nothing depends on which thread did what when.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit
)]

mod attributes;
mod camera;
pub mod codes;
mod color;
mod compare;
mod crowd;
mod drawable;
mod encode;
mod font;
mod framing;
mod lights;
mod lines;
mod material;
mod math;
mod overlay;
mod picture;
mod project;
mod raster;
mod shade;
mod shadow;
mod sheet;
mod stage;
mod texture;
mod tile;

pub use camera::{CameraChoice, Lens, Side, View, cameras};
pub use codes::CODES;
pub use compare::{Pair, compare, mean, side_by_side};
pub use drawable::levels;
pub use encode::{animated_png, png};
pub use lights::Lights;
pub use picture::{MAX_SIDE, Picture};
pub use sheet::{Cell, contact_sheet};
pub use stage::{Shot, Stage, Taken, Wireframe};
