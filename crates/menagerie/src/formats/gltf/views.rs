//! The bytes of buffer views, decompressed where they have to be.

use std::collections::BTreeMap;

use super::meshopt::{self, Compression};
use super::model::Model;
use crate::bytes::Limits;

/// Where lists are read from: the file's buffer views, and those that had to be decompressed first.
#[derive(Debug)]
pub(super) struct Views<'a> {
    pub(super) model: &'a Model,
    decoded: &'a Decoded,
    /// How many bytes a list of zeros without bytes of its own may take.
    pub(super) zeros_allowed: usize,
}

/// The decompressed buffer views, or why one could not be.
#[derive(Debug, Default)]
pub(super) struct Decoded(BTreeMap<u32, Result<(Vec<u8>, usize), String>>);

impl Decoded {
    /// Decompresses the views of a model that are compressed.
    pub(super) fn of(model: &Model, limits: &Limits) -> Self {
        let mut decoded = BTreeMap::new();
        for (index, view) in model.document.buffer_views.iter().enumerate() {
            let Some(compression) = Compression::of(view) else { continue };
            let result = compression.and_then(|compression| {
                let bytes = compression.decode(model, limits)?;
                Ok((bytes, compression.stride))
            });
            decoded.insert(index as u32, result);
        }
        Self(decoded)
    }

    /// The views that could not be decompressed, and why.
    pub(super) fn failures(&self) -> impl Iterator<Item = (u32, &str)> {
        self.0.iter().filter_map(|(view, result)| Some((*view, result.as_ref().err()?.as_str())))
    }
}

impl<'a> Views<'a> {
    pub(super) fn new(model: &'a Model, decoded: &'a Decoded, limits: &Limits) -> Self {
        Self { model, decoded, zeros_allowed: usize::try_from(limits.memory_left()).unwrap_or(usize::MAX) }
    }

    /// The bytes of a view, or why it has none.
    pub(super) fn get(&self, view: u32) -> Result<&'a [u8], String> {
        match self.decoded.0.get(&view) {
            Some(Ok((bytes, _))) => return Ok(bytes),
            Some(Err(reason)) => return Err(reason.clone()),
            None => {}
        }
        let count = self.model.document.buffer_views.len();
        if view as usize >= count {
            return Err(format!("there is no buffer view {view} of {count}"));
        }
        self.model.view(view).ok_or_else(|| format!("buffer view {view} reaches past its buffer"))
    }

    /// The bytes of a view as far as they are there.
    pub(super) fn get_start(&self, view: u32) -> Option<&'a [u8]> {
        match self.decoded.0.get(&view) {
            Some(decoded) => decoded.as_ref().ok().map(|(bytes, _)| bytes.as_slice()),
            None => self.model.view_start(view),
        }
    }

    /// The distance from one element of a view to the next, where it says one.
    pub(super) fn stride(&self, view: u32) -> Option<usize> {
        if let Some(Ok((_, stride))) = self.decoded.0.get(&view) {
            return Some(*stride);
        }
        let stride = self.model.document.buffer_views.get(view as usize)?.byte_stride?;
        usize::try_from(stride).ok().filter(|&stride| stride > 0)
    }
}

/// The names of the extension that compresses views.
pub(super) const COMPRESSION: [&str; 2] = meshopt::NAMES;
