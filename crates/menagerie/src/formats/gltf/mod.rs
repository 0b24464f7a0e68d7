//! glTF 2.0 (`.glb`, `.gltf`), the bridge to modern tools.
//!
//! A JSON document with flat lists that refer to each other by index, and buffers of bytes: accessors give typed lists
//! in buffer views. A `.glb` packs both into one file, a `.gltf` is the JSON alone and names the other files or holds
//! them in data URIs.
//!
//! `docs/formats/gltf.md` says what is read and written, and where everything goes that glTF has no place for.

use std::collections::BTreeSet;

use super::{
    Capabilities, FileModel, Format, Holds, Lifted, Output, Probe, ReadOptions, Summary, of_lifting,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden};

mod accessor;
mod check;
pub mod codes;
mod data;
mod extras;
pub mod json;
mod lift;
mod locate;
mod lower;
mod meshopt;
mod missing;
mod model;
mod notes;
mod read;
mod references;
mod repair;
mod sampling;
mod strips;
mod uri;
mod views;
mod write;

pub use check::check;
pub use lift::lift;
pub use lower::lower;
pub use model::{BIN_CHUNK, Chunk, Container, JSON_CHUNK, Model};
pub use read::read;

/// The first four bytes of every GLB.
pub const MAGIC: [u8; 4] = *b"glTF";

/// Names of extensions that are understood.
pub(crate) mod extension {
    pub(crate) const LIGHTS: &str = "KHR_lights_punctual";
    pub(crate) const UNLIT: &str = "KHR_materials_unlit";
    pub(crate) const EMISSIVE_STRENGTH: &str = "KHR_materials_emissive_strength";
    pub(crate) const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";
    pub(crate) const QUANTIZATION: &str = "KHR_mesh_quantization";
    pub(crate) const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";
    pub(crate) const LOD: &str = "MSFT_lod";
    pub(crate) const VISIBILITY: &str = "KHR_node_visibility";
    pub(crate) const INSTANCING: &str = "EXT_mesh_gpu_instancing";
    pub(crate) const POINTER: &str = "KHR_animation_pointer";
}

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "gltf",
    name: "glTF",
    about: "the exchange format of modern tools and engines, binary or as text",
    extensions: &["glb", "gltf"],
    mime: "model/gltf-binary",
    probe,
    axes: Axes::Y_UP_FRONT_PLUS_Z,
    unit: "metre",
    metres: Some(1.0),
    hidden: Hidden::Counts,
    pictures: Usable::PNG_AND_JPEG,
    capabilities: Capabilities {
        weights_per_vertex: usize::MAX,
        vertex_limit: None,
        uv_sets: 8,
        instances: true,
        embeds_textures: true,
        ambient_light: true,
        holds: &[
            (Aspect::Scenes, Holds::Fully, ""),
            (Aspect::Hierarchy, Holds::Fully, ""),
            (Aspect::Names, Holds::Fully, ""),
            (Aspect::Transforms, Holds::Fully, "shear in extras"),
            (Aspect::Visibility, Holds::Fully, "KHR_node_visibility"),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Fully, ""),
            (Aspect::Normals, Holds::Fully, ""),
            (Aspect::Tangents, Holds::Fully, ""),
            (Aspect::Uvs, Holds::Fully, ""),
            (Aspect::Colors, Holds::Fully, ""),
            (Aspect::Skins, Holds::Fully, ""),
            (Aspect::Morphs, Holds::Fully, ""),
            (Aspect::Lods, Holds::Fully, "MSFT_lod; distances in extras"),
            (Aspect::Materials, Holds::Fully, "Phong in extras"),
            (Aspect::Textures, Holds::Partly, "PNG and JPEG inside the file"),
            (Aspect::Cameras, Holds::Fully, ""),
            (Aspect::Lights, Holds::Fully, "attenuation and ambient light in extras"),
            (Aspect::Animations, Holds::Fully, ""),
            (Aspect::CustomAttributes, Holds::Fully, ""),
            (Aspect::Extras, Holds::Fully, ""),
        ],
    },
    options: &[],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read(bytes, options, issues)?)),
    stream: None,
    mend: super::no_mend,
    lower: |scene, options, losses| Ok(Box::new(lower(scene, options, losses)?)),
};

/// A GLB has magic bytes; a `.gltf` is an object with an `asset`, which stands near its beginning or its end.
fn probe(bytes: &[u8]) -> Probe {
    const LOOK: usize = 64 << 10;
    if bytes.starts_with(&MAGIC) {
        return Probe::Magic;
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let names_asset = |part: &[u8]| part.windows(7).any(|word| word == b"\"asset\"");
    let begins = text.trim_ascii_start().starts_with(b"{");
    let head = text.get(..text.len().min(LOOK)).unwrap_or_default();
    let tail = text.get(text.len().saturating_sub(LOOK)..).unwrap_or_default();
    if begins && (names_asset(head) || names_asset(tail)) { Probe::Shape } else { Probe::No }
}

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        Model::summary(self)
    }

    fn check(&self, limits: &Limits, issues: &mut Issues) {
        check(self, limits, issues);
    }

    fn noted_pictures(&self) -> BTreeSet<String> {
        missing::only_noted(&self.document)
    }

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn write(&self) -> Result<Output, Issue> {
        let beside = self.beside.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
        Ok(Output { bytes: self.bytes.to_vec(), beside })
    }

    fn into_output(self: Box<Self>) -> Result<Output, Issue> {
        let beside = self.beside.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
        Ok(Output { bytes: self.bytes.into_vec(), beside })
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        // What lists of vertices take is counted as they are read: the numbers in the JSON are mere claims.
        let elements = Summary { vertices: 0, triangles: 0, ..self.summary() };
        of_lifting(&elements, &options.limits)?;
        lift(self, options)
    }
}
