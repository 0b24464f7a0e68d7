//! Kinds of problems, as data.

use std::fmt;

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The file breaks its format's rules: it is not valid.
    Error,
    /// The file is valid, but something about it is likely to go wrong somewhere.
    Warning,
    /// Worth knowing: a choice that was made in reading it.
    Info,
}

impl Severity {
    /// The word for it: `error`, `warning` or `info`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of problem. Its `id` never changes its meaning once released.
#[derive(PartialEq, Eq)]
pub struct Code {
    /// Such as `bo3d/bone-vertex-range`: the area, a slash, what is wrong.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What the format's document says about it, or that it says nothing.
    pub document: &'static str,
    /// What happens to somebody who has such a file.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

impl Code {
    /// Whether it is about what a format's original engine does: `bmd/engine-triangle-room`.
    pub fn is_of_engine(&self) -> bool {
        self.id.split_once('/').is_some_and(|(_, what)| what.starts_with("engine-"))
    }
}

impl fmt::Debug for Code {
    /// The id alone, without its texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({})", self.id)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// A table of codes: `code!{ NAME = Severity "id": "title", document: "…", why: "…", fix: "…"; … }` makes a constant
/// for each, and `CODES` with all of them.
#[macro_export]
macro_rules! code {
    ($($name:ident = $severity:ident $id:literal: $title:literal,
        document: $document:literal, why: $why:literal, fix: $fix:literal;)*) => {
        $(
            #[doc = $title]
            pub static $name: $crate::diag::Code = $crate::diag::Code {
                id: $id,
                severity: $crate::diag::Severity::$severity,
                title: $title,
                document: $document,
                why: $why,
                fix: $fix,
            };
        )*
        /// All codes of this table.
        pub static CODES: &[&$crate::diag::Code] = &[$(&$name),*];
    };
}
pub use code;

code! {
    EMPTY = Error "file/empty": "the file has no bytes",
        document: "Every format begins with a header, so an empty file is in none of them.",
        why: "There is nothing to read. A copy or an export that failed often leaves an empty file behind.",
        fix: "Get the file again from where it came.";
    UNKNOWN_FORMAT = Error "file/unknown-format": "the file is in no format that is known",
        document: "BOGLE, BMD, BO3D, das2 and GLB begin with magic bytes; DGL2 begins with a HEADER chunk.",
        why: "Without knowing the format no byte of the file has a meaning.",
        fix: "Check that the file is what its name says. If you know the format, name it with --from.";
    WRONG_EXTENSION = Warning "file/wrong-extension": "the file's extension belongs to another format than its bytes",
        document: "The formats are recognised by their bytes; extensions are a custom.",
        why: "Programs that choose by the extension will fail to open the file.",
        fix: "Rename the file to the extension of its format.";
    TRUNCATED = Error "file/truncated": "the file ends in the middle of a field",
        document: "A record has all of its fields, and a list as many elements as its count says.",
        why: "The rest of the file is missing, or a size before this place is wrong and everything after it is misread.",
        fix: "Get the file again from where it came; if it is complete, look at the sizes and counts before this place with inspect.";
    COUNT_TOO_LARGE = Error "file/count-too-large": "a list claims more elements than the file has bytes for",
        document: "A list holds as many elements as its count says.",
        why: "A reader that believes the count runs out of memory or past the end of the file.",
        fix: "Get the file again from where it came, or correct the count.";
    NEGATIVE_COUNT = Error "file/negative-count": "a count or size is below zero",
        document: "Counts and sizes are not negative, even where the format reads them as signed numbers.",
        why: "There is no such list; a reader that takes the number as unsigned sees some four billion elements.",
        fix: "Get the file again from where it came, or correct the count.";
    LIMIT = Error "file/limit": "reading the file would cost more than the limit allows",
        document: "The limits are menagerie's own, to protect whoever reads files from strangers.",
        why: "Files that ask for absurd amounts of memory, time or nesting are broken or made to do harm.",
        fix: "If the file is genuine, raise the limit that the message names.";
    NOT_FINITE = Warning "file/not-finite": "a number that is used is infinite or not a number",
        document: "The documents do not forbid such floats, but give them no meaning either.",
        why: "One such coordinate makes bounds, normals and pictures of the whole model meaningless.",
        fix: "Find the field with inspect and correct it where the model was made. Conversions use zero, or the format's default, in its place.";
    UNREADABLE = Error "file/unreadable": "the file could not be read to its end",
        document: "This is not about the format: the disk, the network or the pipe that the bytes come from failed.",
        why: "What comes after that place is not known.",
        fix: "Try again, and check where the file is kept.";
    LINE_TOO_LONG = Error "file/line-too-long": "a line of text is longer than any sensible one",
        document: "The formats do not limit their lines; the limit of 16 million bytes is menagerie's own.",
        why: "The file is not the text that it seems to be, or was made to exhaust memory.",
        fix: "Check that the file is what its extension says.";
    MORE_OF_THE_SAME = Info "file/more-of-the-same": "further issues of a code were counted, not listed",
        document: "This is menagerie's own: at most so many issues of one code are listed for a file.",
        why: "The list would bury everything else.",
        fix: "Mend the listed ones first; the count says how many there are in all.";
}
