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
            depth: 1024,
            issues_per_code: 100,
        }
    }
}
