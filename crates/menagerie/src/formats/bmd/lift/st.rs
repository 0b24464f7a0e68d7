//! Which of its two forms the texture coordinates of 128-bit vertices have. Nothing in a file says it.

use crate::bytes::Span;
use crate::diag::Issue;
use crate::formats::bmd::codes;
use crate::formats::bmd::model::{Mesh, Model};
use crate::formats::bmd::vertex::{StReading, VertexKind};

/// A file with fewer 128-bit vertices than this that uses every exponent was made to use them.
const FEW_VERTICES: usize = 256;
/// How far apart texture coordinates of neighbours may be, at the median, in a file of the old form.
const COHERENT: f32 = 3.0;

/// The reading that an option asks for, or that the file looks like.
pub(super) fn reading(model: &Model, option: Option<&str>) -> StReading {
    match option {
        Some("spec") => StReading::Spec,
        Some("legacy") => StReading::Legacy,
        _ if looks_legacy(model) => StReading::Legacy,
        _ => StReading::Spec,
    }
}

/// Whether texture coordinates look like those of the oldest exporters.
///
/// The old form stores a negative T as what the document's form reads as an exponent of 8 to 15, so as coordinates in
/// the thousands. That is the hint. Against it speaks that few vertices use every exponent there is, and that in the
/// old form neighbours would be far apart.
pub(in crate::formats::bmd) fn looks_legacy(model: &Model) -> bool {
    let words = || model.meshes.iter().flat_map(wide_words).map(|(_, word)| word);
    let exponents = words().fold(0u32, |seen, word| seen | 1 << (word >> 28));
    let absurd = exponents & 0xFF00 != 0;
    let all_of_few = exponents == 0xFFFF && words().count() < FEW_VERTICES;
    absurd && !all_of_few && neighbours_apart(model) < COHERENT
}

/// The 128-bit vertices of a mesh: their numbers and their S/T words.
fn wide_words(mesh: &Mesh) -> impl Iterator<Item = (usize, u32)> {
    let wide = mesh.vertices.iter().enumerate().filter(|(_, vertex)| vertex.kind() == VertexKind::Bits128);
    wide.map(|(i, vertex)| {
        let [_, _, word, _] = vertex.words;
        (i, word)
    })
}

/// The median distance of neighbours in the old form, which repeats every 16.
fn neighbours_apart(model: &Model) -> f32 {
    let mut distances = Vec::new();
    for mesh in &model.meshes {
        let st = |i: u32| {
            let vertex = mesh.vertices.get(i as usize)?;
            (vertex.kind() == VertexKind::Bits128).then(|| vertex.st(false, StReading::Legacy)).flatten()
        };
        for [a, b, c] in mesh.faces.iter().flat_map(|face| face.triangles()) {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if let (Some(from), Some(to)) = (st(from), st(to)) {
                    let apart = from.iter().zip(to).map(|(x, y)| {
                        let d = (x - y).abs();
                        d.min(16.0 - d)
                    });
                    distances.push(apart.fold(0.0, f32::max));
                }
            }
        }
    }
    distances.sort_by(f32::total_cmp);
    distances.get(distances.len() / 2).copied().unwrap_or(0.0)
}

/// What to say about the reading of a file with 128-bit vertices, when it is not told what to do.
pub(in crate::formats::bmd) fn st_hint(model: &Model) -> Option<Issue> {
    let has_wide = |mesh: &Mesh| wide_words(mesh).next().is_some();
    let (i, mesh) = model.meshes.iter().enumerate().find(|(_, mesh)| has_wide(mesh))?;
    let message = if looks_legacy(model) {
        "texture coordinates of 128-bit vertices are read in the old form (legacy): the document's form would put some in the thousands"
    } else {
        "texture coordinates of 128-bit vertices are read as the document says (spec): nothing hints at the old form"
    };
    let start = mesh.vertices_at as usize;
    let span = Span::new(start, start + mesh.stored_vertex_bytes());
    Some(Issue::new(&codes::ST_READING, format!("meshes[{i}].vertices"), message).at(span))
}
