//! DGL2 to Scene.
//!
//! Entities become nodes without a parent, with their place as it is: meshes keep the z-up space of Blender that they
//! were written in, for the entities' rotations already turn it. Triangles become one primitive per material, with equal
//! corners welded. Properties are kept in extras, in their order.

mod mesh;

pub(super) use mesh::NORMAL_LENGTH;

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::codes;
use super::dml::{Dml, Value as _};
use super::model::{Chunk, ChunkData, EntityData, MaterialData, Model, kind};
use super::notes::{ChunkNote, EntityNote, FileNote, HeaderNote, Hex, MaterialNote, Name, Note as _};
use super::surface::{Pairs, Surface, color, get, given_off};
use crate::diag::{Aspect, Issue, Issues};
use crate::formats::{Lifted, ReadOptions, Recorder};
use crate::scene::{
    AlphaMode, Blend, Extras, Image, Light, LightKind, Material, MaterialId, MeshId, Node, Phong, Scene,
    SceneRoot, Shading, Texture, TextureId, TextureRef, Transform,
};

/// The entity type of a light.
pub(super) const LIGHT: u32 = 1;

/// Where v = 0 is in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VDirection {
    /// At the top, as in files from September 2015 on.
    Top,
    /// At the bottom, as in older files.
    Bottom,
}

impl VDirection {
    /// What the texts of a file tell; `None` when they do not. Texts without braces, and `bbox`, came after the change
    /// of direction; braces without any `visible` came before; in between nothing tells.
    pub fn infer(model: &Model) -> Option<Self> {
        let entities =
            model.entities().map(|(_, _, entity)| (Some(entity.kind), &entity.properties.text[..]));
        let materials = model.materials().map(|(_, _, material)| (None, material.text()));
        let texts: Vec<(Option<u32>, Dml)> = entities
            .chain(materials)
            .filter(|(_, text)| !text.trim_ascii().is_empty())
            .map(|(kind, text)| (kind, Dml::parse(text)))
            .collect();
        if texts.iter().any(|(_, dml)| !dml.braced || dml.get("bbox").is_some()) {
            return Some(Self::Top);
        }
        let normal = |kind: &Option<u32>| kind.is_some_and(|kind| kind != LIGHT);
        let says_visible = texts.iter().any(|(kind, dml)| normal(kind) && dml.get("visible").is_some());
        (!texts.is_empty() && !says_visible).then_some(Self::Bottom)
    }
}

/// The Scene that a model means.
pub fn lift(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let mut lifter = Lifter {
        model,
        scene: Scene::default(),
        issues: Issues::new(options.limits.issues_per_code),
        v: VDirection::Top,
        materials: BTreeMap::new(),
        textures: BTreeMap::new(),
        meshes: BTreeMap::new(),
        variants: BTreeMap::new(),
        note: FileNote::default(),
        names: model.chunks.iter().map(|chunk| (chunk.kind, chunk.name.as_slice())).collect(),
        origins: Recorder::new(options.provenance),
        shape_only: options.shape_only,
    };
    lifter.frame();
    lifter.materials();
    lifter.decide_v(options.settings.get("dgl2-v"));
    lifter.meshes();
    lifter.entities();
    lifter.give_up();
    lifter.note.keep(&mut lifter.scene.extras);
    let provenance = lifter.origins.finish(&lifter.scene);
    Lifted { scene: lifter.scene, issues: lifter.issues, provenance }
}

struct Lifter<'a> {
    model: &'a Model,
    scene: Scene,
    issues: Issues,
    v: VDirection,
    /// Materials by their id; of equal ids the last.
    materials: BTreeMap<i32, MaterialId>,
    textures: BTreeMap<String, TextureId>,
    /// Meshes by their id; of equal ids the last, with the chunk.
    meshes: BTreeMap<i32, (MeshId, usize)>,
    /// Meshes with the material of an entity, by the ids of both.
    variants: BTreeMap<(i32, i32), MeshId>,
    /// What is kept of the whole file.
    note: FileNote,
    /// The names of all chunks, by kind.
    names: std::collections::BTreeSet<(u16, &'a [u8])>,
    /// Where things come from, if that was asked for.
    origins: Recorder,
    shape_only: bool,
}

impl Lifter<'_> {
    /// What belongs to the whole file: the scene's name, chunks that nobody knows, the dialect.
    fn frame(&mut self) {
        let header = self.model.of_kind(kind::HEADER).next().map(|(_, chunk)| chunk);
        let mut root = SceneRoot::default();
        let (name, kept) = header.map(|chunk| Name::read(&chunk.name)).unwrap_or_default();
        root.name = name;
        let data = header.and_then(|chunk| match &chunk.data {
            ChunkData::Raw(bytes) => Some(bytes.clone()),
            _ => None,
        });
        let note = HeaderNote {
            name_bytes: kept.bytes,
            header_data: Hex(data.unwrap_or_default()),
            header_id: header.map(|chunk| chunk.id).filter(|id| *id != -1),
            no_header: header.is_none(),
        };
        note.keep(&mut root.extras);
        let end = self.model.of_kind(kind::END).next().map(|(_, chunk)| chunk);
        self.note.end = end.filter(|chunk| !is_plain_end(chunk)).map(as_note);
        let unknown = self.model.chunks.iter().filter(|chunk| chunk.kind > kind::ENTITY);
        self.note.unknown_chunks = unknown.map(as_note).collect();
        self.scene.scenes.push(root);
        self.scene.default_scene = Some(0);
    }

    fn decide_v(&mut self, setting: Option<&str>) {
        let (direction, message) = match setting {
            Some("top") => (VDirection::Top, None),
            Some("bottom") => (VDirection::Bottom, None),
            _ => match VDirection::infer(self.model) {
                Some(VDirection::Top) => (VDirection::Top, Some("v = 0 is taken to be the top of pictures")),
                Some(VDirection::Bottom) => {
                    (VDirection::Bottom, Some("v = 0 is taken to be the bottom of pictures"))
                }
                None => {
                    (VDirection::Top, Some("nothing tells where v = 0 is; the top of pictures was taken"))
                }
            },
        };
        self.v = direction;
        if direction == VDirection::Bottom {
            self.note.v = Some("bottom".to_owned());
        }
        let first = self.model.meshes().next();
        if let (Some(message), Some((index, ..))) =
            (message, first.filter(|_| !self.scene.textures.is_empty()))
        {
            let path = format!("chunks[{index}].triangles");
            self.issues.push(Issue::new(&codes::V_DIRECTION, path, message));
        }
    }

    fn materials(&mut self) {
        let see_through = self.materials_seen_through();
        for (index, chunk, data) in self.model.materials() {
            let dml = Dml::parse(data.text());
            let pairs = dml.to_pairs();
            let surface = Surface::read(&pairs, |_, _| {});
            let mut material = self.surface(&surface);
            if material.alpha == AlphaMode::Opaque && see_through.contains(&chunk.id) {
                material.alpha = AlphaMode::Blend(Blend::Alpha);
            }
            let (name, kept) = self.name(chunk);
            material.name = name;
            let (after, bare) = match data {
                MaterialData::Sized(properties) => (properties.after.clone(), false),
                MaterialData::Bare(_) => (Vec::new(), true),
            };
            let note = MaterialNote {
                name_bytes: kept.bytes,
                numbered: kept.number,
                id: Some(chunk.id),
                properties: Some(pairs),
                braced: dml.braced,
                after: Hex(after),
                bare,
            };
            note.keep(&mut material.extras);
            let id = self.scene.materials.push(material);
            self.origins.material(id.index(), || format!("chunks[{index}]"));
            self.materials.insert(chunk.id, id);
        }
    }

    /// The ids of the materials of meshes that an entity shows as transparent.
    fn materials_seen_through(&self) -> std::collections::BTreeSet<i32> {
        let transparent = |entity: &EntityData| {
            let dml = entity.properties.parse();
            dml.get("transparent").and_then(|value| value.as_bool()) == Some(true)
        };
        let meshes: std::collections::BTreeSet<i32> = self
            .model
            .entities()
            .filter(|(_, _, entity)| transparent(entity))
            .map(|(_, _, e)| e.mesh)
            .collect();
        let triangles = self.model.meshes().filter(|(_, chunk, _)| meshes.contains(&chunk.id));
        triangles.flat_map(|(_, _, triangles)| triangles).map(|triangle| triangle.material.get()).collect()
    }

    fn surface(&mut self, surface: &Surface) -> Material {
        let [specular_r, specular_g, specular_b, _] = surface.specular;
        let mut texture = |slot: usize| {
            let name = surface.textures.get(slot).cloned().flatten()?;
            Some(TextureRef::new(self.texture(name)))
        };
        let (diffuse_texture, normal_texture, glow) = (texture(0), texture(1), texture(2));
        // A glow map shines by itself, whatever the factor.
        let glows = glow.is_some() && surface.emission == 0.0;
        // Without one the surface gives off a part of its own colour, its picture included: the walls of level_001 have
        // a picture and a factor of 0.2, and would be grey all over otherwise.
        let emissive_texture = glow.or_else(|| diffuse_texture.clone().filter(|_| surface.emission != 0.0));
        Material {
            shading: Shading::Phong(Box::new(Phong {
                diffuse: surface.diffuse,
                specular: [specular_r, specular_g, specular_b],
                shininess: surface.shininess,
                diffuse_texture,
                ..Phong::default()
            })),
            emissive: if glows { [1.0; 3] } else { given_off(surface.diffuse, surface.emission) },
            emissive_texture,
            normal_texture: normal_texture.map(|texture| (texture, 1.0)),
            alpha: if surface.additive { AlphaMode::Blend(Blend::Additive) } else { AlphaMode::Opaque },
            double_sided: surface.double_sided,
            unlit: surface.shadeless,
            ..Material::default()
        }
    }

    fn texture(&mut self, name: String) -> TextureId {
        if let Some(&texture) = self.textures.get(&name) {
            return texture;
        }
        let image = self.scene.images.push(Image { uri: Some(name.clone()), ..Image::default() });
        let texture = self.scene.textures.push(Texture { image: Some(image), ..Texture::default() });
        self.textures.insert(name, texture);
        texture
    }

    /// What the file speaks of and does not have. In a file that is cut off, meshes that no entity shows are shown: what
    /// showed them was in the part that is gone.
    fn give_up(&mut self) {
        let count = |asked: std::collections::BTreeSet<i32>, known: &dyn Fn(&i32) -> bool| {
            let asked: Vec<i32> = asked.into_iter().filter(|id| *id != -1).collect();
            (asked.iter().filter(|id| !known(id)).count(), asked.len())
        };
        let triangles = self.model.meshes().flat_map(|(_, _, triangles)| triangles);
        let materials = triangles.map(|triangle| triangle.material.get()).collect();
        let missing = count(materials, &|id| self.materials.contains_key(id));
        self.issues.give_up(Aspect::Materials, "materials", "chunks", missing);
        let meshes = self.model.entities().map(|(_, _, entity)| entity.mesh).collect();
        let missing = count(meshes, &|id| self.meshes.contains_key(id));
        self.issues.give_up(Aspect::Topology, "meshes", "chunks", missing);
        if self.model.is_whole() {
            return;
        }
        let shown: std::collections::BTreeSet<MeshId> =
            self.scene.nodes.values().filter_map(|node| node.mesh).collect();
        let by_chunk: Vec<(usize, MeshId)> =
            self.meshes.values().map(|(mesh, chunk)| (*chunk, *mesh)).collect();
        for (chunk, mesh) in by_chunk.into_iter().filter(|(_, mesh)| !shown.contains(mesh)) {
            let name = self.scene.meshes.get(mesh).map(|mesh| mesh.name.clone()).unwrap_or_default();
            let node = self.scene.nodes.push(Node { name, mesh: Some(mesh), ..Node::default() });
            if let Some(root) = self.scene.scenes.first_mut() {
                root.roots.push(node);
            }
            self.issues.push(Issue::new(
                &codes::SHOWN_MESH,
                format!("chunks[{chunk}]"),
                "no entity that is left shows this mesh; it is shown where it is",
            ));
        }
    }

    /// The name of a chunk, without the number that it was given because another has the name too.
    fn name(&self, chunk: &Chunk) -> (String, Name) {
        let (name, mut kept) = Name::read(&chunk.name);
        let base = name.strip_suffix(&format!("#{}", chunk.id)).filter(|base| !base.is_empty());
        match base.filter(|base| self.names.contains(&(chunk.kind, base.as_bytes()))) {
            Some(base) => {
                kept.number = Some(chunk.id);
                (base.to_owned(), kept)
            }
            None => (name, kept),
        }
    }

    fn entities(&mut self) {
        for (index, chunk, entity) in self.model.entities() {
            let dml = entity.properties.parse();
            let pairs = dml.to_pairs();
            let mut node = self.node(entity, &pairs);
            let (name, kept) = self.name(chunk);
            node.name = name;
            let note = EntityNote {
                name_bytes: kept.bytes,
                numbered: kept.number,
                id: Some(chunk.id),
                kind: Some(entity.kind),
                material_id: Some(entity.material).filter(|id| *id != -1),
                mesh_id: Some(entity.mesh).filter(|id| *id != -1 && node.mesh.is_none()),
                after: Hex(entity.properties.after.clone()),
                properties: Some(pairs),
                braced: dml.braced,
            };
            note.keep(&mut node.extras);
            let (id, light) = (self.scene.nodes.len(), node.light);
            self.origins.node(id, || format!("chunks[{index}]"));
            if let Some(light) = light {
                self.origins.light(light.index(), || format!("chunks[{index}]"));
            }
            let id = self.scene.nodes.push(node);
            if let Some(root) = self.scene.scenes.first_mut() {
                root.roots.push(id);
            }
        }
    }

    fn node(&mut self, entity: &EntityData, pairs: &Pairs) -> Node {
        let visible = get(pairs, "visible").and_then(|value| value.as_bool()).unwrap_or(true);
        Node {
            transform: place(entity),
            mesh: self.mesh_of(entity),
            light: (entity.kind == LIGHT).then(|| self.light(pairs)),
            visible,
            ..Node::default()
        }
    }

    fn light(&mut self, pairs: &Pairs) -> crate::scene::LightId {
        let [r, g, b, _] = get(pairs, "color").and_then(color).unwrap_or([1.0; 4]);
        self.scene.lights.push(Light {
            name: String::new(),
            kind: LightKind::Point,
            color: [r, g, b],
            intensity: 1.0,
            range: None,
            attenuation: None,
            extras: Extras::default(),
        })
    }
}

/// Where an entity is. Numbers that are not finite become the default; a quaternion is made unit.
fn place(entity: &EntityData) -> Transform {
    let finite = |x: f32, default: f32| if x.is_finite() { x } else { default };
    let rotation = Quat::from_array(entity.rotation);
    let length = rotation.length();
    let rotation = if !length.is_finite() || length < 1e-20 {
        Quat::IDENTITY
    } else if (length - 1.0).abs() <= 1e-6 {
        rotation
    } else {
        rotation * (1.0 / length)
    };
    Transform::Trs {
        translation: Vec3::from_array(entity.position.map(|x| finite(x, 0.0))),
        rotation,
        scale: Vec3::from_array(entity.scaling.map(|x| finite(x, 1.0))),
    }
}

/// Whether an END chunk is what the document says: without a name and data, and with the id -1.
pub(super) fn is_plain_end(chunk: &Chunk) -> bool {
    chunk.id == -1 && chunk.name.is_empty() && chunk.data == ChunkData::Raw(Vec::new())
}

/// A chunk that is kept as it is.
fn as_note(chunk: &Chunk) -> ChunkNote {
    let data = match &chunk.data {
        ChunkData::Raw(bytes) => bytes.clone(),
        _ => Vec::new(),
    };
    ChunkNote { kind: chunk.kind, id: chunk.id, name: Hex(chunk.name.clone()), data: Hex(data) }
}
