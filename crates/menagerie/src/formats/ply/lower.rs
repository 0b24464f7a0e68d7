//! Scene to PLY: one list of vertices, with the triangles and lines between them, or points.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::FORMAT;
use super::header;
use super::lift::TEXTURE_FILE;
use super::model::Model;
use super::notes::{HeaderNote, Note as _};
use super::paint::{apart, as_bytes, of_bytes, paint};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Issue, Issues, Loss, LossKind, LossReport};
use crate::formats::flat::{FlatMesh, flatten, report_joined, report_names, report_other_names};
use crate::formats::{WriteOptions, report_unheld};
use crate::ops::{select, smooth_normals};
use crate::scene::{
    CheckedScene, Material, MetallicRoughness, Primitive, Sampler, Scene, Shading, TextureRef, Topology,
};

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(
    scene: CheckedScene<'_>,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Model, Issue> {
    report_unheld(&scene, &FORMAT, losses);
    let scene = scene.scene();
    let mut flat = flatten(scene, &FORMAT, losses);
    report_other_names(scene, &FORMAT, losses);
    report_names(scene.materials.values().map(|x| &x.name), "materials", &FORMAT, losses);
    let names = flat.iter().filter_map(|flat| scene.nodes.get(flat.node)).map(|node| &node.name);
    report_names(names, "nodes", &FORMAT, losses);
    report_joined(&flat, &FORMAT, losses);
    let texture = texture(scene, &flat, losses);
    paint(scene, &mut flat, (texture.is_some(), &options.limits), losses);
    let mut table = Table::new(&flat, losses);
    table.join(flat);
    table.report_nothing_drawn(scene);
    let ascii = options.settings.get("ply-form") == Some("ascii");
    let bytes = table.write(scene, texture.as_deref(), ascii);
    let header = header::read(&bytes, &mut Issues::default())?;
    Ok(Model { bytes: bytes.into(), header, contents: OnceLock::new() })
}

/// The name of the one picture that all materials share, if there is such a one; and a report of what materials lose.
fn texture(scene: &Scene, flat: &[FlatMesh], losses: &mut LossReport) -> Option<String> {
    let draws = |primitive: &&Primitive| !primitive.indices.is_empty();
    let primitives = || flat.iter().flat_map(|flat| &flat.primitives).filter(draws);
    let used: Vec<Option<&Material>> =
        primitives().map(|primitive| primitive.material.and_then(|id| scene.materials.get(id))).collect();
    let of = |material: &Option<&Material>| {
        let texture = material.as_ref()?.base_color_texture()?;
        let image = scene.images.get(scene.textures.get(texture.texture)?.image?)?;
        let uri = image.uri.clone()?;
        let writable = !uri.trim().is_empty() && uri.trim() == uri && !uri.chars().any(char::is_control);
        writable.then(|| (uri, texture.clone()))
    };
    let first = used.first().and_then(of);
    let shared = first
        .filter(|(uri, _)| used.iter().all(|material| of(material).is_some_and(|(other, _)| other == *uri)));
    let expected = Material {
        shading: Shading::MetallicRoughness(MetallicRoughness {
            metallic: if shared.is_some() { 0.0 } else { 1.0 },
            ..MetallicRoughness::default()
        }),
        ..Material::default()
    };
    let bare = |material: &Material| Material {
        name: String::new(),
        extras: Default::default(),
        ..without_textures(material)
    };
    let lost = used.iter().flatten().filter(|material| bare(material) != expected).count();
    let mut dropped = |aspect, message: &str, count: usize| {
        if count > 0 {
            losses.push(Loss::new(aspect, LossKind::Dropped, "materials", message).count(count));
        }
    };
    dropped(Aspect::Materials, "PLY has no materials, only the name of one picture", lost);
    let in_use: std::collections::BTreeSet<_> =
        primitives().filter_map(|primitive| primitive.material).collect();
    let unused = scene.materials.ids().filter(|id| !in_use.contains(id)).count();
    dropped(Aspect::Materials, "materials that nothing uses have no place in PLY", unused);
    let all: usize = used.iter().flatten().map(|material| material.textures().count()).sum();
    let kept = if shared.is_some() { used.len() } else { 0 };
    dropped(Aspect::Textures, "PLY has the name of one colour picture only", all.saturating_sub(kept));
    let placed = |texture: &TextureRef| {
        let sampler = scene
            .textures
            .get(texture.texture)
            .and_then(|texture| texture.sampler.clone())
            .unwrap_or_default();
        let sampler = Sampler { name: String::new(), extras: Default::default(), ..sampler };
        texture.transform.is_some() || texture.uv_set != 0 || sampler != Sampler::default()
    };
    let changed = used.iter().filter_map(of).filter(|(_, texture)| placed(texture)).count();
    if shared.is_some() {
        dropped(Aspect::Textures, "how the picture is placed and sampled has no place in PLY", changed);
    }
    shared.map(|(uri, _)| uri)
}

fn without_textures(material: &Material) -> Material {
    let mut material = Material {
        emissive_texture: None,
        normal_texture: None,
        occlusion_texture: None,
        ..material.clone()
    };
    if let Shading::MetallicRoughness(shading) = &mut material.shading {
        shading.base_color_texture = None;
        shading.metallic_roughness_texture = None;
    }
    material
}

/// The vertices of all parts in one list.
struct Table<'a> {
    losses: &'a mut LossReport,
    whole: Primitive,
    lines: Vec<u32>,
    has: Has,
}

/// What some part has, so that all must have it.
#[derive(Clone, Default)]
struct Has {
    normals: bool,
    uvs: bool,
    colors: bool,
    custom: Vec<String>,
    /// Only points: else they have no place.
    points: bool,
}

/// What joining parts costs: how many were left out, completed or reduced.
#[derive(Default)]
struct Cost {
    /// Parts of points among others.
    points: usize,
    /// Parts that got normals, and so on.
    normals: usize,
    uvs: usize,
    colors: usize,
    custom: usize,
    /// Further sets of colours.
    sets: usize,
    /// Attributes of several numbers.
    wide: usize,
}

impl Has {
    /// Gives a part what others have.
    fn complete(&self, primitive: &mut Primitive, cost: &mut Cost) {
        let vertices = primitive.positions.len();
        if self.normals && primitive.normals.is_empty() && vertices > 0 {
            cost.normals += 1;
            primitive.normals = smooth_normals(primitive);
        }
        if self.uvs && primitive.uvs.is_empty() && vertices > 0 {
            cost.uvs += 1;
            primitive.uvs = vec![vec![[0.0, 1.0]; vertices]];
        }
        if self.colors && primitive.colors.is_empty() && vertices > 0 {
            cost.colors += 1;
            primitive.colors = vec![vec![[1.0; 4]; vertices]];
        }
        cost.sets += primitive.colors.len().saturating_sub(1);
        let own = |name: &String| property_name(name).is_some();
        cost.wide += primitive.custom.iter().filter(|(name, custom)| own(name) && custom.width != 1).count();
        cost.custom += self.custom.iter().filter(|name| !primitive.custom.contains_key(*name)).count();
    }
}

/// Appends a list to another; to none without a copy.
fn put<T>(to: &mut Vec<T>, mut from: Vec<T>) {
    if to.is_empty() { *to = from } else { to.append(&mut from) }
}

/// The name of the property that a custom attribute came from.
fn property_name(custom: &str) -> Option<String> {
    custom.strip_prefix("_PLY_").filter(|name| !name.is_empty()).map(str::to_ascii_lowercase)
}

impl<'a> Table<'a> {
    fn new(flat: &[FlatMesh], losses: &'a mut LossReport) -> Self {
        let primitives = || flat.iter().flat_map(|flat| &flat.primitives);
        let points = primitives().all(|primitive| primitive.topology == Topology::Points);
        let written = |primitive: &&Primitive| points || primitive.topology != Topology::Points;
        let custom: BTreeMap<&String, usize> = primitives()
            .filter(written)
            .flat_map(|primitive| &primitive.custom)
            .filter(|(name, custom)| custom.width == 1 && property_name(name).is_some())
            .map(|(name, custom)| (name, custom.width))
            .collect();
        let has = Has {
            normals: primitives().filter(written).any(|primitive| !primitive.normals.is_empty()),
            uvs: primitives().filter(written).any(|primitive| !primitive.uvs.is_empty()),
            colors: primitives().filter(written).any(|primitive| !primitive.colors.is_empty()),
            custom: custom.into_keys().cloned().collect(),
            points,
        };
        Self { losses, whole: Primitive::default(), lines: Vec::new(), has }
    }

    fn report(&mut self, aspect: Aspect, kind: LossKind, message: &str, count: usize) {
        if count > 0 {
            self.losses.push(Loss::new(aspect, kind, "meshes", message).count(count));
        }
    }

    fn join(&mut self, flat: Vec<FlatMesh>) {
        let mut cost = Cost::default();
        let has = self.has.clone();
        for mut primitive in flat.into_iter().flat_map(|flat| flat.primitives) {
            if primitive.topology == Topology::Points && !has.points {
                cost.points += 1;
                continue;
            }
            if primitive.topology == Topology::Points {
                // Every point is a vertex, and every vertex a point.
                let indices = std::mem::take(&mut primitive.indices);
                primitive = select(&primitive, &indices, Vec::new());
            }
            has.complete(&mut primitive, &mut cost);
            self.add(primitive);
        }
        let (added, dropped) = (LossKind::Added, LossKind::Dropped);
        let custom = Aspect::CustomAttributes;
        for (aspect, kind, message, count) in [
            (Aspect::Topology, dropped, "points beside triangles or lines have no place in PLY", cost.points),
            (
                Aspect::Normals,
                added,
                "normals were made for parts that have none, as others do",
                cost.normals,
            ),
            (Aspect::Uvs, added, "texture coordinates were made up for parts that have none", cost.uvs),
            (
                Aspect::Colors,
                added,
                "parts without colours are white among those that have some",
                cost.colors,
            ),
            (custom, added, "zeros were taken for parts without an attribute", cost.custom),
            (Aspect::Colors, dropped, "PLY has one set of colours", cost.sets),
            (custom, dropped, "attributes of several numbers have no place", cost.wide),
        ] {
            self.report(aspect, kind, message, count);
        }
    }

    /// A file without faces and edges is a cloud of points, and one without vertices is nothing.
    fn report_nothing_drawn(&mut self, scene: &Scene) {
        let vertices = self.whole.positions.len();
        let drawn = !self.whole.indices.is_empty() || !self.lines.is_empty() || self.has.points;
        if !drawn {
            let message = "vertices that nothing draws are points when they are read";
            self.report(Aspect::Topology, LossKind::Added, message, vertices);
        }
        if vertices == 0 {
            let message = "nodes that draw nothing have no place in PLY";
            let nodes = scene.nodes.values().filter(|node| node.mesh.is_some()).count();
            self.report(Aspect::Hierarchy, LossKind::Dropped, message, nodes);
        }
    }

    fn add(&mut self, mut primitive: Primitive) {
        let base = self.whole.positions.len() as u32;
        let shifted = |index: &u32| index + base;
        match primitive.topology {
            Topology::Triangles if self.whole.indices.is_empty() && base == 0 => {
                self.whole.indices = std::mem::take(&mut primitive.indices);
            }
            Topology::Triangles => self.whole.indices.extend(primitive.indices.iter().map(shifted)),
            Topology::Points => {}
            Topology::Lines => self.lines.extend(primitive.indices.iter().map(shifted)),
            Topology::LineStrip | Topology::LineLoop => {
                let closing =
                    (primitive.topology == Topology::LineLoop).then(|| primitive.indices.first()).flatten();
                let ends = primitive.indices.iter().skip(1).chain(closing);
                self.lines.extend(primitive.indices.iter().zip(ends).flat_map(|(a, b)| [a + base, b + base]));
            }
        }
        let whole = &mut self.whole;
        let vertices = primitive.positions.len();
        put(&mut whole.positions, primitive.positions);
        put(&mut whole.normals, primitive.normals);
        if self.has.uvs {
            whole.uvs.resize(1, Vec::new());
            whole.uvs.iter_mut().zip(primitive.uvs).for_each(|(to, from)| put(to, from));
        }
        if self.has.colors {
            whole.colors.resize(1, Vec::new());
            whole.colors.iter_mut().zip(primitive.colors).for_each(|(to, from)| put(to, from));
        }
        for name in &self.has.custom {
            let values =
                primitive.custom.get(name).filter(|custom| custom.width == 1).map(|custom| &custom.values);
            let all = whole
                .custom
                .entry(name.clone())
                .or_insert_with(|| crate::scene::CustomAttribute { width: 1, values: Vec::new() });
            match values {
                Some(values) => all.values.extend_from_slice(values),
                None => all.values.resize(all.values.len() + vertices, 0.0),
            }
        }
    }

    /// The file.
    fn write(&mut self, scene: &Scene, texture: Option<&str>, ascii: bool) -> Vec<u8> {
        let colors = self.colors();
        let has_alpha = colors.iter().any(|[_, _, _, a]| *a != 255);
        let mut out = self.header(scene, texture, ascii, has_alpha);
        if !ascii {
            out.reserve_exact(self.body_bytes(has_alpha));
        }
        let mut row = Row { out: &mut out, ascii, first: true };
        let Primitive { positions, normals, uvs, custom, indices, .. } = std::mem::take(&mut self.whole);
        for (i, position) in positions.iter().enumerate() {
            position.iter().for_each(|x| row.float(*x));
            normals.get(i).into_iter().flatten().for_each(|x| row.float(*x));
            if let Some([u, v]) = uvs.first().and_then(|uvs| uvs.get(i)) {
                row.float(*u);
                row.float(1.0 - v);
            }
            if let Some([r, g, b, a]) = colors.get(i) {
                [r, g, b].into_iter().for_each(|x| row.byte(*x));
                if has_alpha {
                    row.byte(*a);
                }
            }
            custom.values().filter_map(|custom| custom.values.get(i)).for_each(|x| row.float(*x));
            row.end();
        }
        // They would only take memory while the faces are written.
        drop((positions, normals, uvs, custom, colors));
        for triangle in indices.as_chunks::<3>().0 {
            row.byte(3);
            triangle.iter().for_each(|index| row.index(*index));
            row.end();
        }
        for line in self.lines.as_chunks::<2>().0 {
            line.iter().for_each(|index| row.index(*index));
            row.end();
        }
        out
    }

    /// Bytes of the rows of a binary file.
    fn body_bytes(&self, has_alpha: bool) -> usize {
        let Primitive { positions, normals, uvs, colors, custom, indices, .. } = &self.whole;
        let colour = if has_alpha { 4 } else { 3 };
        let floats = if normals.is_empty() { 3 } else { 6 } + 2 * uvs.len() + custom.len();
        let vertex = 4 * floats + colour * colors.len();
        positions.len() * vertex + indices.len() / 3 * 13 + self.lines.len() * 4
    }

    /// The colours as bytes; and a report of what that changes.
    fn colors(&mut self) -> Vec<[u8; 4]> {
        let list = self.whole.colors.first().map(Vec::as_slice).unwrap_or_default();
        let mut errors = ErrorStats::default();
        let mut bytes = Vec::with_capacity(list.len());
        for color in list {
            let stored = as_bytes(*color);
            let off = apart(*color, of_bytes(stored));
            // What is less nobody calls another colour, `diff` neither.
            errors.add(if off > 1e-4 { off } else { 0.0 });
            bytes.push(stored);
        }
        let message = "PLY has colours of eight bits a channel";
        self.losses.measured(Aspect::Colors, "meshes", message, errors, "linear colour");
        bytes
    }

    fn header(&mut self, scene: &Scene, texture: Option<&str>, ascii: bool, has_alpha: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut line = |text: &str| {
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        };
        let note = HeaderNote::of(&scene.extras);
        line("ply");
        line(if ascii { "format ascii 1.0" } else { "format binary_little_endian 1.0" });
        for comment in kept_lines(note.comments.as_deref()) {
            line(&format!("comment {comment}"));
        }
        if let Some(texture) = texture {
            line(&format!("comment {TEXTURE_FILE}{texture}"));
        }
        for info in kept_lines(note.obj_info.as_deref()) {
            line(&format!("obj_info {info}"));
        }
        line(&format!("element vertex {}", self.whole.positions.len()));
        let mut properties = |kind: &str, names: &[&str]| {
            names.iter().for_each(|name| line(&format!("property {kind} {name}")));
        };
        properties("float", &["x", "y", "z"]);
        if !self.whole.normals.is_empty() {
            properties("float", &["nx", "ny", "nz"]);
        }
        if !self.whole.uvs.is_empty() {
            properties("float", &["s", "t"]);
        }
        if !self.whole.colors.is_empty() {
            properties("uchar", &["red", "green", "blue"]);
            if has_alpha {
                properties("uchar", &["alpha"]);
            }
        }
        for name in self.whole.custom.keys().filter_map(|name| property_name(name)) {
            properties("float", &[&name]);
        }
        if !self.whole.indices.is_empty() {
            line(&format!("element face {}", self.whole.indices.len() / 3));
            line("property list uchar int vertex_indices");
        }
        if !self.lines.is_empty() {
            line(&format!("element edge {}", self.lines.len() / 2));
            line("property int vertex1");
            line("property int vertex2");
        }
        line("end_header");
        out
    }
}

/// Lines of the header that the file had which the Scene came from.
fn kept_lines(kept: Option<&[String]>) -> impl Iterator<Item = &String> {
    let fits = |text: &&String| !text.chars().any(|c| c == '\n' || c == '\r') && text.trim_end() == *text;
    kept.into_iter().flatten().filter(fits)
}

/// One row of an element, as text or as bytes.
struct Row<'a> {
    out: &'a mut Vec<u8>,
    ascii: bool,
    first: bool,
}

impl Row<'_> {
    fn word(&mut self, bytes: &[u8], text: impl std::fmt::Display) {
        if !self.ascii {
            self.out.extend_from_slice(bytes);
            return;
        }
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(text.to_string().as_bytes());
    }

    fn float(&mut self, value: f32) {
        self.word(&value.to_le_bytes(), value);
    }

    fn byte(&mut self, value: u8) {
        self.word(&[value], value);
    }

    fn index(&mut self, value: u32) {
        self.word(&value.to_le_bytes(), value);
    }

    fn end(&mut self) {
        if self.ascii {
            self.out.push(b'\n');
            self.first = true;
        }
    }
}
