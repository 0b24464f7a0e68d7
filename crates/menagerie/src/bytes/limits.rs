/// What reading a file may cost. A file that asks for more is refused with the code `file/limit`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest file that is read, in bytes.
    pub file_bytes: u64,
    /// The largest size that compressed data may inflate to, in bytes.
    pub inflated_bytes: u64,
    /// How many times larger than the compressed data the inflated data may be.
    pub inflate_ratio: u64,
    /// Vertices, and triangles, that a Scene may draw when every instance of a mesh is written out, as formats without
    /// instances need it.
    pub drawn: u64,
    /// Keys that all channels of all animations together may be resampled to.
    pub keys: u64,
    /// The largest file that is written, in bytes.
    pub output_bytes: u64,
    /// What reading may take in memory beyond the file, in bytes, however small the file is. Larger files may take their
    /// size times `inflate_ratio`, up to `inflated_bytes`.
    pub least_memory: u64,
    /// How many parts of a model are kept apart that only names tell apart: objects, groups and materials of OBJ. What
    /// comes after is put together.
    pub parts: usize,
    /// The longest line of text, in bytes.
    pub line_bytes: usize,
    /// The longest header in words, in bytes: that of PLY.
    pub header_bytes: usize,
    /// The longest row of a table whose rows differ in length, in bytes: those of PLY.
    pub row_bytes: usize,
    /// How deep a tree may be.
    pub depth: usize,
    /// How many issues of one code are kept; further ones are counted.
    pub issues_per_code: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 30,
            inflated_bytes: 4 << 30,
            inflate_ratio: 1100,
            drawn: 40_000_000,
            keys: 4_000_000,
            output_bytes: 8 << 30,
            least_memory: 64 << 20,
            parts: 1 << 16,
            line_bytes: 16 << 20,
            header_bytes: 1 << 20,
            row_bytes: 64 << 20,
            depth: 1024,
            issues_per_code: 100,
        }
    }
}
