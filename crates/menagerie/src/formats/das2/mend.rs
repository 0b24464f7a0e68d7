//! What single fields of a broken file should have been.

use super::model::{Kind, Numbering};
use super::{MORPH_TARGET, codes};
use crate::bytes::Patch;
use crate::diag::{Issue, TRUNCATED};

/// Proposals; whoever asks tries which of them makes the file better.
pub(super) fn mend(_: &[u8], issue: &Issue) -> Vec<Patch> {
    let Some(span) = issue.span else { return Vec::new() };
    let one_of = |bytes: &[u8]| bytes.iter().map(|byte| Patch::new(span.start, [*byte])).collect();
    if issue.code == &codes::LEVEL {
        return one_of(&[9, 0]);
    }
    if issue.code == &codes::ZLIB && span.start > 0 {
        // The level stands before the body; zero says that nothing is packed.
        return vec![Patch::new(span.start - 1, [0])];
    }
    if issue.code == &codes::CHANNEL_KIND {
        return one_of(&[1, 0, 2, 3]);
    }
    if issue.code == &codes::NESTED_IDENTIFIER {
        return one_of(&[MORPH_TARGET, Kind::Mesh.identifier(Numbering::Headings)]);
    }
    if issue.code == &TRUNCATED && issue.path.ends_with("].data") && span.start >= 4 {
        // A buffer that was cut has what is left.
        let left = u32::try_from(span.len()).unwrap_or_default();
        return vec![Patch::new(span.start - 4, left.to_le_bytes())];
    }
    Vec::new()
}
