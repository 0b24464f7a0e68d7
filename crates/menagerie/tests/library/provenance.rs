//! Where things come from: the bytes that lifting names for a triangle are those of that triangle.

use menagerie::bytes::{ByteMap, MapKind};
use menagerie::formats::{ALL, Format, PrimitiveOrigin, Provenance, ReadOptions};
use menagerie::scene::{Primitive, Scene};

/// A file that was lifted with its record.
struct Recorded {
    name: String,
    format: &'static Format,
    bytes: Vec<u8>,
    map: ByteMap,
    scene: Scene,
    provenance: Provenance,
}

fn recorded() -> Vec<Recorded> {
    let mut all = Vec::new();
    for format in ALL.iter().copied() {
        for crate::support::TestFile { path, bytes } in
            crate::support::own("made", format).into_iter().chain(crate::support::real(format))
        {
            let mut options = ReadOptions::default();
            let Some(model) = format.open(&bytes, &options).model else { continue };
            assert!(model.lift(&options).map_or(true, |lifted| lifted.provenance.is_none()), "nobody asked");
            options.provenance = true;
            let Ok(lifted) = model.lift(&options) else { continue };
            let provenance = lifted.provenance.expect("it was asked for");
            let name = path.display().to_string();
            all.push(Recorded { name, format, bytes, map: model.layout(), scene: lifted.scene, provenance });
        }
    }
    all
}

impl Recorded {
    /// The bytes that an element lies in: the file's, or what was decoded.
    fn space(&self, path: &str) -> &[u8] {
        let MapKind::Group(parts) = &self.map.root.kind else { return &self.bytes };
        let first = parts.iter().find(|part| path.starts_with(&format!("{}.", part.name)));
        match first.map(|part| &part.kind) {
            Some(MapKind::Encoded { bytes, .. }) => bytes,
            _ => &self.bytes,
        }
    }

    fn primitives(&self) -> impl Iterator<Item = (&Primitive, &PrimitiveOrigin)> {
        let meshes = self.scene.meshes.values().zip(&self.provenance.meshes);
        meshes.flat_map(|(mesh, origins)| mesh.primitives.iter().zip(origins))
    }

    fn triangle_bytes(&self, origin: &PrimitiveOrigin, triangle: usize) -> Option<&[u8]> {
        let span = origin.triangles.span_of(triangle, &self.map)?;
        let bytes = self.space(&origin.triangles.path).get(span.range()?);
        Some(bytes.unwrap_or_else(|| panic!("{}: {span} is outside", self.name)))
    }
}

/// Some triangles of a primitive: the first, the last, and a few between.
fn some(count: usize) -> impl Iterator<Item = usize> {
    let step = (count / 7).max(1);
    (0..count).step_by(step).chain(count.checked_sub(1))
}

/// Indices in the bytes of a triangle, by how many bytes there are.
fn indices(bytes: &[u8]) -> Option<[u32; 3]> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
    matches!(bytes.len(), 3 | 6 | 12).then(|| {
        let size = bytes.len() / 3;
        [0, 1, 2].map(|corner| word(&bytes[corner * size..(corner + 1) * size]))
    })
}

#[test]
fn the_bytes_of_a_triangle_hold_its_corners() {
    let mut checked = std::collections::BTreeMap::new();
    for file in recorded() {
        for (primitive, origin) in file.primitives() {
            let indexed = match file.format.id {
                "bo3d" | "bogle" => true,
                // Without indices the bytes are those of the corners themselves.
                "das2" | "gltf" => origin.triangles.bytes.is_some_and(|bytes| bytes.size <= 12),
                _ => false,
            };
            for triangle in some(primitive.triangles().len()).filter(|_| indexed) {
                let Some(bytes) = file.triangle_bytes(origin, triangle) else { continue };
                assert_eq!(
                    indices(bytes),
                    Some(primitive.triangles()[triangle]),
                    "{} triangle {triangle}",
                    file.name
                );
                *checked.entry(file.format.id).or_insert(0) += 1;
            }
        }
    }
    for format in ["bo3d", "das2"] {
        assert!(checked.get(format).is_some_and(|count| *count > 5), "{format}: {checked:?}");
    }
}

#[test]
fn the_bytes_of_a_separate_triangle_hold_its_positions() {
    let mut checked = 0;
    for file in recorded().into_iter().filter(|file| matches!(file.format.id, "dgl2" | "stl")) {
        let turn = file.format.axes.turn.inverse();
        // Lines of text hold no bytes of floats.
        for (primitive, origin) in file.primitives().filter(|(_, origin)| origin.triangles.path != "lines") {
            for triangle in some(primitive.triangles().len()) {
                let Some(bytes) = file.triangle_bytes(origin, triangle).filter(|bytes| bytes.len() >= 50)
                else {
                    continue;
                };
                for corner in primitive.triangles()[triangle] {
                    // DGL2 keeps the space that its meshes were written in.
                    let own = primitive.positions[corner as usize];
                    let position = if file.format.id == "stl" { turn.vector(own) } else { own };
                    let wanted: Vec<u8> = position.iter().flat_map(|x| x.to_le_bytes()).collect();
                    assert!(
                        bytes.windows(12).any(|window| window == wanted),
                        "{} triangle {triangle}",
                        file.name
                    );
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 5, "{checked}");
}

#[test]
fn lines_of_text_are_found_again() {
    let mut checked = 0;
    for file in recorded().into_iter().filter(|file| file.format.id == "obj") {
        for (primitive, origin) in file.primitives() {
            for triangle in some(primitive.triangles().len()) {
                let Some(line) = file.triangle_bytes(origin, triangle) else { continue };
                assert!(line.trim_ascii_start().starts_with(b"f"), "{}: {}", file.name, line.escape_ascii());
                checked += 1;
            }
        }
    }
    assert!(checked > 5, "{checked}");
}

#[test]
fn every_path_is_one_of_the_byte_map() {
    for file in recorded() {
        let Provenance { nodes, materials, cameras, lights, animations, .. } = &file.provenance;
        let paths = [nodes, materials, cameras, lights, animations].into_iter().flatten();
        for path in paths.filter(|path| !path.is_empty()) {
            let found = file.map.find(path);
            // The parts of an animation or a bone may lie apart; the first that there is must be found.
            let below = || {
                [".record", ".frames"].iter().any(|part| file.map.find(&format!("{path}{part}")).is_some())
            };
            assert!(found.is_some() || below(), "{}: {path}", file.name);
        }
        assert_eq!(nodes.len(), file.scene.nodes.len());
        for (primitive, origin) in file.primitives() {
            for vertex in some(primitive.positions.len()).filter(|_| !origin.vertices.path.is_empty()) {
                let span = origin.vertices.span_of(vertex, &file.map);
                // Vertices that PLY's texture coordinates of corners split are nowhere in the file.
                assert!(span.is_some() || file.format.id == "ply", "{}: vertex {vertex}", file.name);
                let Some(span) = span else { continue };
                assert!(
                    span.end as usize <= file.space(&origin.vertices.path).len(),
                    "{}: {span}",
                    file.name
                );
            }
        }
    }
}
