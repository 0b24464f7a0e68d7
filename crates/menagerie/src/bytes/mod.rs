//! Checked little-endian reading and writing.
//!
//! The ground floor. A [`Reader`] always knows where it is: every failure carries the byte range and the path of the
//! field that could not be read. A [`Writer`] takes the same names, and can draw a [`ByteMap`] of what it writes: the
//! tree of fields behind `inspect`, and the place where a problem found later in a model is looked up. Fields that a
//! record always has are listed once, as a [`Layout`], for both.
//!
//! Nothing here knows any format, and nothing here allocates because a file says so: a count is checked against the
//! bytes that are left before any memory is asked for.

#![deny(clippy::indexing_slicing)]

mod layout;
mod limits;
mod map;
mod map_list;
mod number;
mod packed;
mod patch;
mod reader;
mod records;
mod shared;
mod span;
mod text;
mod tight;
mod writer;

pub use layout::{Layout, Stored, layout, record};
pub use limits::{Limits, OverLimit, Used};
pub use map::{ByteMap, Field, FieldType, MapKind, MapNode, Record, Value};
pub use map_list::MapList;
pub use number::{Token, float_start, read_float, read_integer, tokens, whole_start};
pub use packed::{SE32_MAX, Se32, f8a_from_f32, f8a_to_f32};
pub use patch::Patch;
pub use reader::{ReadError, ReadErrorKind, Reader};
pub use records::Records;
pub use shared::SharedBytes;
pub use span::Span;
pub use text::{decode_text, utf8_or_windows_1252};
pub use tight::{extend_tight, push_tight, resize_tight};
pub use writer::Writer;

/// `n` rounded up to a multiple of `to`, or `None` when that does not fit.
pub fn align(n: usize, to: usize) -> Option<usize> {
    n.checked_next_multiple_of(to)
}
