//! A cursor over bytes that checks every step and knows what it reads.

use std::fmt::{self, Write as _};

use zerocopy::{FromBytes, Immutable, Unaligned};

use super::{Limits, Records, SharedBytes, Span};

/// A cursor over the bytes of a file that knows the path of what it is reading.
///
/// ```
/// use menagerie::bytes::Reader;
///
/// let mut reader = Reader::new(&[1, 0, 0, 0, 7]);
/// assert_eq!(reader.u32("version").unwrap(), 1);
/// let error = reader.scope("entities[0]", |r| r.u32("size")).unwrap_err();
/// assert_eq!(error.to_string(), "entities[0].size: 4 bytes are needed and 1 is left, at byte 4..5");
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    /// Added to positions in spans: not zero where `data` is a part of the file.
    base: usize,
    scopes: Vec<Scope>,
    /// The whole file, where lists may share its bytes.
    file: Option<&'a SharedBytes>,
}

#[derive(Debug, Clone)]
enum Scope {
    Name(String),
    Item(&'static str, usize),
}

/// Why a field could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The data ends before the field does.
    Truncated {
        /// Bytes that the field has.
        needed: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// A list claims more elements than the bytes that are left can hold.
    Count {
        /// Elements claimed.
        count: u64,
        /// Bytes of one element.
        each: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// A count or a size is below zero.
    Negative {
        /// What the file says.
        value: i64,
    },
    /// Reading on would cost more than [`Limits`] allows.
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        found: u64,
        /// How much is allowed.
        allowed: u64,
    },
}

/// A field that could not be read: why, at which bytes, and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Why.
    pub kind: ReadErrorKind,
    /// The bytes of the field, as far as the data goes.
    pub span: Span,
    /// The path of the field, such as `entities[3].name`.
    pub path: String,
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, left } => {
                let (s, are) = if *needed == 1 { ("", "is") } else { ("s", "are") };
                let left_are = if *left == 1 { "is" } else { "are" };
                write!(f, "{needed} byte{s} {are} needed and {left} {left_are} left")
            }
            Self::Count { count, each, left } => {
                write!(f, "{count} elements of {each} bytes do not fit into the {left} bytes that are left")
            }
            Self::Negative { value } => write!(f, "a count or size cannot be {value}"),
            Self::Limit { what, found, allowed } => {
                write!(f, "{found} {what} are more than the limit of {allowed}")
            }
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, at byte {}", self.path, self.kind, self.span)
    }
}

impl std::error::Error for ReadError {}

/// A little-endian number as a field: `reader.u32("count")`.
macro_rules! number {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(
            #[doc = concat!("Reads one little-endian `", stringify!($type), "`.")]
            pub fn $name(&mut self, name: &'static str) -> Result<$type, ReadError> {
                self.array(name).map(<$type>::from_le_bytes)
            }
        )*
    };
}

impl<'a> Reader<'a> {
    /// A reader at the start of a file.
    pub fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0, base: 0, scopes: Vec::new(), file: None }
    }

    /// A reader at the start of a file whose bytes can be shared: [`Self::records`] copies nothing.
    pub fn of_shared(file: &'a SharedBytes) -> Self {
        Self { file: Some(file), ..Self::new(file) }
    }

    /// A reader of a part of a file that begins at byte `base`.
    pub fn part(data: &'a [u8], base: usize) -> Self {
        Self { base, ..Self::new(data) }
    }

    number! { u8: u8, u16: u16, u32: u32, u64: u64, i8: i8, i16: i16, i32: i32, f32: f32 }

    /// The position in the file.
    pub fn position(&self) -> usize {
        self.base.saturating_add(self.at)
    }

    /// The number of bytes that are left.
    pub fn left(&self) -> usize {
        self.data.len().saturating_sub(self.at)
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.left() == 0
    }

    /// Runs `read` with `name` added to the path.
    pub fn scope<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.scopes.push(Scope::Name(name.to_owned()));
        let result = read(self);
        self.scopes.pop();
        result
    }

    /// Runs `read` with `list[index]` added to the path.
    pub fn item<T>(
        &mut self,
        list: &'static str,
        index: usize,
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.scopes.push(Scope::Item(list, index));
        let result = read(self);
        self.scopes.pop();
        result
    }

    /// The path of the field `name` of what is being read.
    pub fn path(&self, name: &str) -> String {
        let mut path = String::new();
        for scope in &self.scopes {
            if !path.is_empty() {
                path.push('.');
            }
            match scope {
                Scope::Name(name) => path.push_str(name),
                Scope::Item(list, index) => {
                    // Writing into a String cannot fail.
                    let _ = write!(path, "{list}[{index}]");
                }
            }
        }
        if !path.is_empty() && !name.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        path
    }

    /// The error `kind` for the field `name`, whose `bytes` bytes begin at the cursor.
    pub fn error(&self, name: &str, kind: ReadErrorKind, bytes: usize) -> ReadError {
        let start = self.position();
        let span = Span::new(start, start.saturating_add(bytes.min(self.left())));
        ReadError { kind, span, path: self.path(name) }
    }

    /// Reads `n` bytes.
    pub fn bytes(&mut self, name: &'static str, n: usize) -> Result<&'a [u8], ReadError> {
        let taken = self.at.checked_add(n).and_then(|end| Some((self.data.get(self.at..end)?, end)));
        match taken {
            Some((bytes, end)) => {
                self.at = end;
                Ok(bytes)
            }
            None => {
                let kind = ReadErrorKind::Truncated { needed: n as u64, left: self.left() as u64 };
                Err(self.error(name, kind, n))
            }
        }
    }

    /// A reader of the next `n` bytes, which are taken from this one. It goes on with the same path.
    pub fn slice(&mut self, name: &'static str, n: usize) -> Result<Reader<'a>, ReadError> {
        let base = self.position();
        let data = self.bytes(name, n)?;
        Ok(Reader { data, at: 0, base, scopes: self.scopes.clone(), file: self.file })
    }

    /// Reads an array of bytes whose length the code knows.
    pub fn array<const N: usize>(&mut self, name: &'static str) -> Result<[u8; N], ReadError> {
        self.bytes(name, N)?.first_chunk().copied().ok_or_else(|| {
            let kind = ReadErrorKind::Truncated { needed: N as u64, left: self.left() as u64 };
            self.error(name, kind, N)
        })
    }

    /// Reads `N` floats.
    pub fn floats<const N: usize>(&mut self, name: &'static str) -> Result<[f32; N], ReadError> {
        let bytes = self.bytes(name, N.saturating_mul(4))?;
        let mut floats = [0.0; N];
        for (float, bytes) in floats.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *float = f32::from_le_bytes(*bytes);
        }
        Ok(floats)
    }

    /// Reads a signed 32-bit count or size, which must not be below zero.
    pub fn count_i32(&mut self, name: &'static str) -> Result<usize, ReadError> {
        let value = self.i32(name)?;
        usize::try_from(value).map_err(|_| {
            let end = self.position();
            ReadError {
                kind: ReadErrorKind::Negative { value: value.into() },
                span: Span::new(end.saturating_sub(4), end),
                path: self.path(name),
            }
        })
    }

    /// Fails unless `count` elements of at least `each` bytes fit into what is left. To be called before memory is asked for.
    pub fn check_count(&self, name: &str, count: usize, each: usize) -> Result<(), ReadError> {
        match count.checked_mul(each) {
            Some(bytes) if bytes <= self.left() => Ok(()),
            _ => {
                let left = self.left();
                let kind = ReadErrorKind::Count { count: count as u64, each: each as u64, left: left as u64 };
                Err(self.error(name, kind, left))
            }
        }
    }

    /// Reads `count` records, each as it is in memory. One copy, and no more memory than the file has bytes.
    pub fn table<T: FromBytes + Immutable + Copy>(
        &mut self,
        name: &'static str,
        count: usize,
    ) -> Result<Vec<T>, ReadError> {
        self.check_count(name, count, size_of::<T>())?;
        let bytes = self.bytes(name, count.saturating_mul(size_of::<T>()))?;
        let mut records = Vec::new();
        match <[T]>::ref_from_bytes(bytes) {
            Ok(all) => records.extend_from_slice(all),
            // Aligned records at an address that is not: one by one.
            Err(_) => {
                records.reserve_exact(count);
                records.extend(
                    bytes.chunks_exact(size_of::<T>().max(1)).filter_map(|b| T::read_from_bytes(b).ok()),
                );
            }
        }
        Ok(records)
    }

    /// Reads `count` records like [`Self::table`], without a copy where the bytes of the file are shared.
    pub fn records<T: FromBytes + Immutable + Unaligned + Copy>(
        &mut self,
        name: &'static str,
        count: usize,
    ) -> Result<Records<T>, ReadError> {
        let Some(file) = self.file else { return self.table(name, count).map(Records::from) };
        self.check_count(name, count, size_of::<T>())?;
        let start = self.position();
        let bytes = self.bytes(name, count.saturating_mul(size_of::<T>()))?;
        let shared = Records::part(file, start..start.saturating_add(bytes.len()));
        let copied = || <[T]>::ref_from_bytes(bytes).map(<[T]>::to_vec).unwrap_or_default();
        Ok(shared.unwrap_or_else(|| copied().into()))
    }

    /// Fails when the file is larger than [`Limits::file_bytes`].
    pub fn check_limits(&self, limits: &Limits) -> Result<(), ReadError> {
        let found = self.data.len() as u64;
        if found > limits.file_bytes {
            let kind = ReadErrorKind::Limit { what: "bytes in a file", found, allowed: limits.file_bytes };
            return Err(self.error("", kind, self.left()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_where_and_what() {
        let data = [0xFFu8; 8];
        let mut reader = Reader::part(&data, 100);
        let error = reader.item("entities", 3, |r| r.count_i32("size")).unwrap_err();
        assert_eq!(error.to_string(), "entities[3].size: a count or size cannot be -1, at byte 100..104");
        let error = reader.scope("header", |r| r.table::<[u8; 32]>("vertices", usize::MAX)).unwrap_err();
        assert_eq!(error.path, "header.vertices");
        assert_eq!(error.span, Span::new(104, 108));
        assert!(matches!(error.kind, ReadErrorKind::Count { .. }));
        assert_eq!(reader.left(), 4, "a failed read takes nothing");
    }

    #[test]
    fn tables_are_copied_whole() {
        let data: Vec<u8> = (0..24).collect();
        let mut reader = Reader::new(&data);
        reader.u8("skip").unwrap();
        let words = reader.table::<u32>("words", 5).unwrap();
        assert_eq!(words, [0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0x100F_0E0D, 0x1413_1211]);
        assert_eq!(reader.left(), 3);
    }

    #[test]
    fn signalling_nan_bits_are_kept() {
        let bits = 0x7F80_0001u32;
        let value = Reader::new(&bits.to_le_bytes()).f32("x").unwrap();
        assert_eq!(value.to_bits(), bits);
    }
}
