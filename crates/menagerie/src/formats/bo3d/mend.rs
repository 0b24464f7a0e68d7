//! What single fields of a broken file should have been.

use super::{MAGIC, codes};
use crate::bytes::Patch;
use crate::diag::{Issue, NEGATIVE_COUNT};

/// Bytes of the file's header, and of that of an entity.
const HEADER: usize = 20;
const ENTITY: u32 = 64;

/// Proposals; whoever asks tries which of them makes the file better.
pub(super) fn mend(bytes: &[u8], issue: &Issue) -> Vec<Patch> {
    let Some(at) = issue.span.map(|span| span.start) else { return Vec::new() };
    if issue.code == &codes::MAGIC {
        return vec![Patch::new(0, MAGIC)];
    }
    if issue.code == &codes::VFLOAT_WIDTH {
        return vec![Patch::new(at, 32i32.to_le_bytes()), Patch::new(at, 16i32.to_le_bytes())];
    }
    if issue.code == &codes::SIZE_TOO_SMALL {
        return vec![Patch::new(at, ENTITY.to_le_bytes())];
    }
    if issue.code == &NEGATIVE_COUNT && issue.path == "header.entity_count" {
        return vec![Patch::new(at, entities(bytes).to_le_bytes())];
    }
    Vec::new()
}

/// How many entities follow each other to the end of the file, by their sizes.
fn entities(bytes: &[u8]) -> u32 {
    let (mut at, mut count) = (HEADER, 0u32);
    while let Some(size) =
        bytes.get(at..).and_then(<[u8]>::first_chunk::<4>).map(|size| u32::from_le_bytes(*size))
    {
        if size < ENTITY || bytes.len() - at < size as usize {
            break;
        }
        at += size as usize;
        count = count.saturating_add(1);
    }
    count
}
