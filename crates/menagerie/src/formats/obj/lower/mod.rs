//! Scene to OBJ: an object for each node, where it is in the world, and a library of the materials.

mod mtl;
mod numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use crate::bytes::Span;
use crate::diag::{Aspect, Issue, Issues, Loss, LossKind, LossReport};
use crate::formats::flat::{FlatMesh, flatten, kept_name, report_other_names};
use crate::formats::obj::FORMAT;
use crate::formats::obj::model::{Library, Model};
use crate::formats::obj::notes::{GROUP, NodeNote, Note as _, PrimitiveNote};
use crate::formats::obj::parse::mtl::{Source, read as read_library};
use crate::formats::{WriteOptions, report_unheld};
use crate::parallel;
use numbers::{push_float, push_whole};

use crate::scene::{CheckedScene, Extras, Material, MaterialId, Primitive, Scene, Topology, linear_to_srgb};

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(
    scene: CheckedScene<'_>,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Model, Issue> {
    report_unheld(&scene, &FORMAT, losses);
    let scene = scene.scene();
    let flat = flatten(scene, &FORMAT, losses);
    report_other_names(scene, &FORMAT, losses);
    let draws = |flat: &FlatMesh| flat.primitives.iter().any(|primitive| !primitive.indices.is_empty());
    let (flat, empty): (Vec<FlatMesh>, Vec<FlatMesh>) = flat.into_iter().partition(draws);
    if !empty.is_empty() {
        let message = "nodes that draw nothing have no place in OBJ";
        losses.push(Loss::new(Aspect::Hierarchy, LossKind::Dropped, "nodes", message).count(empty.len()));
    }
    report_colors(&flat, losses);
    flat.iter().for_each(|flat| report_joined(flat, losses));
    let stem = line_name(&options.stem);
    let library_name = format!("{}.mtl", if stem.is_empty() { "model" } else { &stem });
    let names = material_names(scene, &flat, losses);
    let mut text = TextWriter { scene, out: Vec::new(), names: &names, counts: [0; 3], material: None };
    text.out.extend_from_slice(b"# OBJ by menagerie\n");
    if !names.is_empty() {
        let _ = writeln!(text.out, "mtllib {library_name}");
    }
    text.objects(&flat, losses);
    let mut model = Model {
        text: text.out.into(),
        gathered: OnceLock::new(),
        libraries: Vec::new(),
        entries: Vec::new(),
    };
    if !names.is_empty() {
        let mut entries = String::new();
        for (id, name) in &names {
            let default = Material::default();
            let material = id.and_then(|id| scene.materials.get(id)).unwrap_or(&default);
            entries.push_str(&mtl::write(scene, material, name, losses));
        }
        let bytes = entries.into_bytes();
        let source = Source { name: &library_name, number: 0, named_at: Span::new(0, 0) };
        read_library(&bytes, source, &mut model.entries, &mut Issues::default());
        model.libraries.push(Library { name: library_name, text: Arc::from(bytes) });
    }
    Ok(model)
}

/// Colours lose their alpha, and are there for all vertices or none.
fn report_colors(flat: &[FlatMesh], losses: &mut LossReport) {
    let drawn =
        || flat.iter().flat_map(|flat| &flat.primitives).filter(|primitive| !primitive.indices.is_empty());
    let mut report = |kind, message: &str, count: usize| {
        if count > 0 {
            losses.push(Loss::new(Aspect::Colors, kind, "meshes", message).count(count));
        }
    };
    let sets = drawn().map(|primitive| primitive.colors.len().saturating_sub(1)).sum();
    report(LossKind::Dropped, "OBJ has one set of colours", sets);
    let clear = |primitive: &&Primitive| {
        primitive.colors.first().is_some_and(|colors| colors.iter().any(|color| color[3] != 1.0))
    };
    report(LossKind::Approximated, "vertex colours have no alpha in OBJ", drawn().filter(clear).count());
    if drawn().any(|primitive| !primitive.colors.is_empty()) {
        let without = drawn().filter(|primitive| primitive.colors.is_empty()).count();
        report(LossKind::Added, "parts without colours are white among those that have some", without);
    }
}

/// Parts of one node that are alike are read as one: what some of them lack is made up.
fn report_joined(flat: &FlatMesh, losses: &mut LossReport) {
    let kind = |primitive: &Primitive| match primitive.topology {
        Topology::Triangles => 0,
        Topology::Points => 2,
        _ => 1,
    };
    let mut alike: BTreeMap<_, Vec<&Primitive>> = BTreeMap::new();
    for primitive in flat.primitives.iter().filter(|primitive| !primitive.indices.is_empty()) {
        let key = (primitive.material, group_of(&primitive.extras), kind(primitive));
        alike.entry(key).or_default().push(primitive);
    }
    for parts in alike.values() {
        let mut report = |aspect, message: &str, has: fn(&Primitive) -> bool| {
            let with = parts.iter().filter(|part| has(part)).count();
            if with > 0 && with < parts.len() {
                let count = parts.len() - with;
                losses.push(Loss::new(aspect, LossKind::Added, "meshes", message).count(count));
            }
        };
        let message = "normals are made for parts that have none beside others that have some";
        report(Aspect::Normals, message, |part| !part.normals.is_empty());
        let message = "texture coordinates are made up for parts that have none beside others that have some";
        report(Aspect::Uvs, message, |part| !part.uvs.is_empty());
    }
}

/// A name that a line can hold.
fn line_name(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean = clean.trim_matches(|c: char| c.is_ascii_whitespace());
    match clean.strip_suffix('\\') {
        Some(start) => format!("{start}_"),
        None => clean.to_owned(),
    }
}

/// The names of the materials that are used, each once, in the order of the Scene; `None` stands for no material at all.
type Names = BTreeMap<Option<MaterialId>, String>;

fn material_names(scene: &Scene, flat: &[FlatMesh], losses: &mut LossReport) -> Names {
    let drawn =
        flat.iter().flat_map(|flat| &flat.primitives).filter(|primitive| !primitive.indices.is_empty());
    let used: BTreeSet<Option<MaterialId>> = drawn.map(|primitive| primitive.material).collect();
    let written = used.iter().flatten().filter_map(|id| scene.materials.get(*id)).map(|m| m.name.as_str());
    let written: BTreeSet<&str> = written.filter(|name| !name.is_empty()).collect();
    // One of the same name is there for it.
    let unused = scene.materials.iter().filter(|(id, _)| !used.contains(&Some(*id)));
    let unused = unused.filter(|(_, material)| !written.contains(material.name.as_str())).count();
    if unused > 0 {
        let message = "materials that nothing uses are not written";
        losses.push(Loss::new(Aspect::Materials, LossKind::Dropped, "materials", message).count(unused));
    }
    let mut names = Names::new();
    if used.iter().all(Option::is_none) {
        return names;
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    // For each name the number that was tried last.
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for id in used {
        let own = id.and_then(|id| scene.materials.get(id)).map_or("", |material| material.name.as_str());
        let wanted = match (line_name(own), id) {
            (name, _) if !name.is_empty() => name,
            (_, Some(id)) => format!("material_{}", id.index()),
            (_, None) => "default".to_owned(),
        };
        let free = |n: usize| if n == 1 { wanted.clone() } else { format!("{wanted}_{n}") };
        let last = tried.entry(wanted.clone()).or_insert(0);
        let found = (*last + 1..).map(|n| (n, free(n))).find(|(_, name)| !taken.contains(name));
        let (number, name) = found.unwrap_or_default();
        *last = number;
        if name != own {
            let message = format!("the material {own:?} was written as {name:?}");
            losses.approximated(Aspect::Names, "materials", message);
        }
        if id.is_none() {
            losses.added(Aspect::Materials, "materials", "parts without a material were given a plain one");
        }
        taken.insert(name.clone());
        names.insert(id, name);
    }
    names
}

struct TextWriter<'a> {
    scene: &'a Scene,
    out: Vec<u8>,
    names: &'a Names,
    /// Positions, texture coordinates and normals so far.
    counts: [u32; 3],
    material: Option<Option<MaterialId>>,
}

impl TextWriter<'_> {
    fn objects(&mut self, flat: &[FlatMesh], losses: &mut LossReport) {
        let as_groups = self.are_groups(flat);
        // Where no object is named, groups would be taken for objects.
        let has_groups =
            || flat.iter().flat_map(|flat| &flat.primitives).any(|p| group_of(&p.extras).is_some());
        let names_all = flat.len() == 1 && !as_groups && has_groups();
        for (i, flat) in flat.iter().enumerate() {
            let Some(node) = self.scene.nodes.get(flat.node) else { continue };
            let mut name = line_name(&node.name);
            let first_without = i == 0 && name.is_empty();
            if name.is_empty() && !first_without {
                name = format!("object_{i}");
            }
            if name != node.name {
                let message = format!("the name {:?} was written as {name:?}", node.name);
                losses.approximated(Aspect::Names, "nodes", message);
            }
            if !first_without || names_all {
                let kept = kept_name(NodeNote::of(&node.extras).name_bytes, &node.name);
                self.out.extend_from_slice(if as_groups { b"g " } else { b"o " });
                self.out.extend_from_slice(&kept.unwrap_or_else(|| name.into_bytes()));
                self.out.push(b'\n');
            }
            let mut group: Option<String> = None;
            for primitive in flat.primitives.iter().filter(|primitive| !primitive.indices.is_empty()) {
                let wanted = if as_groups { None } else { group_of(&primitive.extras) };
                if wanted != group {
                    let _ = writeln!(self.out, "g {}", wanted.as_deref().unwrap_or_default());
                    group = wanted;
                }
                self.primitive(primitive);
            }
        }
    }

    /// Whether all nodes were groups of an OBJ file, and can be again.
    fn are_groups(&self, flat: &[FlatMesh]) -> bool {
        let mut names = BTreeSet::new();
        flat.iter().enumerate().all(|(i, flat)| {
            let Some(node) = self.scene.nodes.get(flat.node) else { return false };
            let is_group = NodeNote::of(&node.extras).kind.as_deref() == Some(GROUP);
            (is_group && !line_name(&node.name).is_empty() && names.insert(&node.name))
                || (i == 0 && node.name.is_empty() && !is_group)
        }) && !names.is_empty()
    }

    fn primitive(&mut self, primitive: &Primitive) {
        let colors = primitive.colors.first();
        let uvs = primitive.uvs.first().map(Vec::as_slice).unwrap_or_default();
        parallel::append_lines(&mut self.out, &primitive.positions, |out, i, [x, y, z]| {
            values(out, b"v", &[*x, *y, *z]);
            if let Some([r, g, b, _]) = colors.and_then(|colors| colors.get(i)) {
                values(out, b"", &[r, g, b].map(|x| linear_to_srgb(*x)));
            }
            out.push(b'\n');
        });
        parallel::append_lines(&mut self.out, uvs, |out, _, [u, v]| {
            values(out, b"vt", &[*u, 1.0 - v]);
            out.push(b'\n');
        });
        parallel::append_lines(&mut self.out, &primitive.normals, |out, _, normal| {
            values(out, b"vn", normal);
            out.push(b'\n');
        });
        if self.material != Some(primitive.material)
            && let Some(name) = self.names.get(&primitive.material)
        {
            let _ = writeln!(self.out, "usemtl {name}");
            self.material = Some(primitive.material);
        }
        self.elements(primitive, !uvs.is_empty(), !primitive.normals.is_empty());
        let more = [primitive.positions.len(), uvs.len(), primitive.normals.len()];
        for (count, more) in self.counts.iter_mut().zip(more) {
            *count = count.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        }
    }

    fn elements(&mut self, primitive: &Primitive, uvs: bool, normals: bool) {
        let indices = primitive.indices.as_slice();
        let corners = Corners { counts: self.counts, uvs, normals };
        let out = &mut self.out;
        match primitive.topology {
            Topology::Triangles => {
                parallel::append_lines(out, primitive.triangles(), |out, _, triangle| {
                    corners.line(out, b"f", triangle);
                });
            }
            Topology::Lines => {
                let lines = indices.as_chunks::<2>().0;
                parallel::append_lines(out, lines, |out, _, line| corners.line(out, b"l", line));
            }
            Topology::LineStrip => corners.line(out, b"l", indices),
            Topology::LineLoop => {
                let closed: Vec<u32> = indices.iter().chain(indices.first()).copied().collect();
                corners.line(out, b"l", &closed);
            }
            Topology::Points => {
                parallel::append_lines(out, indices, |out, _, point| corners.line(out, b"p", &[*point]));
            }
        }
    }
}

/// Appends floats, each after a blank.
fn values(out: &mut Vec<u8>, keyword: &[u8], values: &[f32]) {
    out.extend_from_slice(keyword);
    for value in values {
        out.push(b' ');
        push_float(out, *value);
    }
}

/// How the corners of faces, lines and points are named.
struct Corners {
    /// Positions, texture coordinates and normals before those that are counted here.
    counts: [u32; 3],
    uvs: bool,
    normals: bool,
}

impl Corners {
    fn line(&self, out: &mut Vec<u8>, keyword: &[u8], corners: &[u32]) {
        let [v, t, n] = self.counts;
        out.extend_from_slice(keyword);
        for corner in corners {
            let number = |before: u32| u64::from(before) + u64::from(*corner) + 1;
            out.push(b' ');
            push_whole(out, number(v));
            if self.uvs || self.normals {
                out.push(b'/');
            }
            if self.uvs {
                push_whole(out, number(t));
            }
            if self.normals {
                out.push(b'/');
                push_whole(out, number(n));
            }
        }
        out.push(b'\n');
    }
}

/// The group that a part had in an OBJ file.
fn group_of(extras: &Extras) -> Option<String> {
    let name = line_name(&PrimitiveNote::of(extras).group?);
    (!name.is_empty()).then_some(name)
}
