//! Bytes that several hold at once.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes that several hold at once: those of a file, in memory or mapped, which a model can keep without a copy.
///
/// ```
/// use menagerie::bytes::SharedBytes;
///
/// let file = SharedBytes::new(b"BO3D".to_vec());
/// let kept = file.clone();
/// assert!(std::ptr::eq(&*file, &*kept));
/// ```
#[derive(Clone)]
pub struct SharedBytes(Holder);

#[derive(Clone)]
enum Holder {
    Vec(Arc<Vec<u8>>),
    Other(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl SharedBytes {
    /// Shares what holds bytes. It has to be the same bytes each time.
    pub fn new(holder: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Holder::Other(Arc::new(holder)))
    }

    /// The bytes alone: without a copy where a `Vec` was shared and nobody else holds it any more.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Holder::Vec(bytes) => Arc::unwrap_or_clone(bytes),
            Holder::Other(bytes) => (*bytes).as_ref().to_vec(),
        }
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedBytes {}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Holder::Vec(Arc::new(bytes)))
    }
}

impl Deref for SharedBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Holder::Vec(bytes) => bytes,
            Holder::Other(bytes) => (**bytes).as_ref(),
        }
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({})", self.len())
    }
}
