//! Changes of single bytes.

use super::Span;

/// Bytes of a file that should have been others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Where they are.
    pub span: Span,
    /// What should be there; as many bytes.
    pub bytes: Vec<u8>,
}

impl Patch {
    /// The bytes from `start` on should be these.
    pub fn new(start: u64, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { span: Span { start, end: start.saturating_add(bytes.len() as u64) }, bytes }
    }

    /// The file with these bytes in their place; `None` where that is outside of it, or changes nothing.
    pub fn apply(&self, file: &[u8]) -> Option<Vec<u8>> {
        let place = self.span.range()?;
        if file.get(place.clone())? == self.bytes {
            return None;
        }
        let mut patched = file.to_vec();
        patched.get_mut(place)?.copy_from_slice(&self.bytes);
        Some(patched)
    }
}
