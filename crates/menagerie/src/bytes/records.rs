//! Long lists of records, in the bytes of the file where that can be.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use zerocopy::{FromBytes, Immutable, Unaligned};

use super::SharedBytes;

/// A long list of records of a file: a part of the file's own bytes where these are shared, which costs no memory, or a
/// list of its own.
///
/// It is used as a slice; one that is changed becomes a list of its own.
///
/// ```
/// use menagerie::bytes::{Reader, Records, SharedBytes};
///
/// let file = SharedBytes::from(vec![1, 2, 3, 4]);
/// let mut records: Records<[u8; 2]> = Reader::of_shared(&file).records("pairs", 2).unwrap();
/// assert_eq!(records.as_ptr().cast(), file.as_ptr());
/// records[1] = [9, 9];
/// assert_eq!(*records, [[1, 2], [9, 9]]);
/// ```
#[derive(Clone)]
pub struct Records<T> {
    own: Arc<Vec<T>>,
    /// The part of a file that has them, in place of `own`.
    part: Option<(SharedBytes, Range<usize>)>,
}

impl<T: FromBytes + Immutable + Unaligned + Copy> Records<T> {
    /// The records in a part of a file; `None` where it has no such part, or the part is no whole number of them.
    pub(super) fn part(file: &SharedBytes, range: Range<usize>) -> Option<Self> {
        <[T]>::ref_from_bytes(file.get(range.clone())?).ok()?;
        Some(Self { own: Arc::default(), part: Some((file.clone(), range)) })
    }

    /// The list to change.
    pub fn make_mut(&mut self) -> &mut Vec<T> {
        if self.part.is_some() {
            *self = Self::from(self.to_vec());
        }
        Arc::make_mut(&mut self.own)
    }
}

impl<T: FromBytes + Immutable + Unaligned> Deref for Records<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match &self.part {
            Some((file, range)) => {
                <[T]>::ref_from_bytes(file.get(range.clone()).unwrap_or_default()).unwrap_or_default()
            }
            None => &self.own,
        }
    }
}

impl<T: FromBytes + Immutable + Unaligned + Copy> DerefMut for Records<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.make_mut()
    }
}

impl<T> Default for Records<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Records<T> {
    fn from(own: Vec<T>) -> Self {
        Self { own: Arc::new(own), part: None }
    }
}

impl<T> FromIterator<T> for Records<T> {
    fn from_iter<I: IntoIterator<Item = T>>(records: I) -> Self {
        Self::from(Vec::from_iter(records))
    }
}

impl<'a, T: FromBytes + Immutable + Unaligned> IntoIterator for &'a Records<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: FromBytes + Immutable + Unaligned + PartialEq> PartialEq for Records<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: FromBytes + Immutable + Unaligned + Eq> Eq for Records<T> {}

impl<T: FromBytes + Immutable + Unaligned + fmt::Debug> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
