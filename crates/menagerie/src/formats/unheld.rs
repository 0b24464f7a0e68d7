//! The part of the loss report that a format's descriptor already tells.

use std::collections::BTreeSet;

use super::{Format, Holds};
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::scene::{Extras, Hidden, NodeId, Primitive, Property, Scene, StreamKind};

/// Reports everything in a Scene that a format has no place for at all, as its descriptor says. `lower` calls it
/// first; what a format holds in part is for `lower` itself to report.
pub fn report_unheld(scene: &Scene, format: &Format, losses: &mut LossReport) {
    let mut report = Report { format, losses };
    report.scenes(scene);
    report.nodes(scene);
    report.geometry(scene);
    report.animations(scene);
    report.lookers(scene);
    if scene.ambient.is_some() && !format.capabilities.ambient_light {
        let message = format!("ambient light has no place in {}", format.name);
        report.losses.dropped(Aspect::Lights, "ambient", message);
    }
    report.extras(scene);
}

/// The nodes that a format of one scene keeps: those below the roots of the shown one, parents first. They come in the
/// order of the Scene where that has parents first, so that a file's own order comes back, else in tree order.
pub fn kept_nodes(scene: &Scene) -> Vec<NodeId> {
    let walked = scene.shown().map(|root| scene.walk(&root.roots)).unwrap_or_default();
    let rises =
        |id: &NodeId| scene.nodes.get(*id).is_some_and(|node| node.children.iter().all(|child| child > id));
    let mut sorted = walked.clone();
    sorted.sort_unstable();
    if walked.iter().all(rises) && sorted.first() == walked.first() { sorted } else { walked }
}

struct Report<'a> {
    format: &'a Format,
    losses: &'a mut LossReport,
}

impl Report<'_> {
    /// Reports `count` things of an aspect, if there are any and the format holds none of it.
    fn dropped(&mut self, aspect: Aspect, path: &str, what: &str, count: usize) {
        if count > 0 && self.format.capabilities.holds(aspect).0 == Holds::No {
            let message = format!("{what} in {}", self.format.name);
            self.losses.push(Loss::new(aspect, LossKind::Dropped, path, message).count(count));
        }
    }

    /// The same for things that nothing shown uses: they are gone too, and no comparison sees it.
    fn dropped_unused(&mut self, aspect: Aspect, path: &str, what: &str, count: usize) {
        if count > 0 && self.format.capabilities.holds(aspect).0 == Holds::No {
            let message = format!("{what} that nothing shown uses have no place in {}", self.format.name);
            let loss = Loss::new(aspect, LossKind::Dropped, path, message).count(count);
            self.losses.push(Loss { unread: true, ..loss });
        }
    }

    /// Cameras and lights, where they hang on a node that is shown, and the others.
    fn lookers(&mut self, scene: &Scene) {
        let nodes = kept_nodes(scene);
        let nodes = || nodes.iter().filter_map(|id| scene.nodes.get(*id));
        let cameras: BTreeSet<_> = nodes().filter_map(|node| node.camera).collect();
        self.dropped(Aspect::Cameras, "cameras", "cameras have no place", cameras.len());
        self.dropped_unused(Aspect::Cameras, "cameras", "cameras", scene.cameras.len() - cameras.len());
        let lights: BTreeSet<_> = nodes().filter_map(|node| node.light).collect();
        self.dropped(Aspect::Lights, "lights", "lights have no place", lights.len());
        self.dropped_unused(Aspect::Lights, "lights", "lights", scene.lights.len() - lights.len());
    }

    fn scenes(&mut self, scene: &Scene) {
        if self.format.capabilities.holds(Aspect::Scenes).0 != Holds::No {
            return;
        }
        self.dropped(
            Aspect::Scenes,
            "scenes",
            "only the scene that is shown has a place",
            scene.scenes.len().saturating_sub(1),
        );
        if scene.scenes.is_empty() {
            let message = format!("a scene was added, for every {} file is one", self.format.name);
            self.losses.added(Aspect::Scenes, "scenes", message);
        }
        let others = scene.nodes.len().saturating_sub(kept_nodes(scene).len());
        let stand_ins: usize = scene.nodes.values().map(|node| node.lods.len()).sum();
        if others > stand_ins {
            let message =
                format!("nodes outside the scene that is shown have no place in {}", self.format.name);
            self.losses.push(
                Loss::new(Aspect::Hierarchy, LossKind::Dropped, "nodes", message).count(others - stand_ins),
            );
        }
    }

    fn nodes(&mut self, scene: &Scene) {
        let hidden = scene.nodes.values().filter(|node| !node.visible).count();
        self.dropped(Aspect::Visibility, "nodes", "that nodes are hidden has no place", hidden);
        let levels = scene.nodes.values().map(|node| node.lods.len()).sum();
        self.dropped(Aspect::Lods, "nodes", "levels of detail have no place", levels);
        let bound = scene.nodes.values().filter(|node| scene.is_bound(node)).count();
        self.dropped(Aspect::Skins, "skins", "skins have no place", bound);
    }

    fn geometry(&mut self, scene: &Scene) {
        // What no node shows is gone as a whole, and what stands in at a distance as a level of detail.
        let mut shown: Vec<bool> = vec![false; scene.meshes.len()];
        // Formats of plain meshes leave out what is hidden, with all that is on it.
        let leaves_out = self.format.hidden == Hidden::LeftOut
            && self.format.capabilities.holds(Aspect::Visibility).0 == Holds::No;
        let hidden: Vec<NodeId> =
            scene.nodes.iter().filter(|(_, node)| !node.visible && leaves_out).map(|(id, _)| id).collect();
        let hidden: BTreeSet<NodeId> = scene.walk(&hidden).into_iter().collect();
        let kept = kept_nodes(scene).into_iter().filter(|id| !hidden.contains(id));
        for mesh in kept.filter_map(|id| scene.nodes.get(id)?.mesh) {
            if let Some(shown) = shown.get_mut(mesh.index()) {
                *shown = true;
            }
        }
        let meshes = || scene.meshes.values().zip(&shown).filter(|(_, shown)| **shown);
        let primitives = || meshes().flat_map(|(mesh, _)| &mesh.primitives);
        // Only of triangles anybody sees them.
        let is_seen = |primitive: &&Primitive| !primitive.triangles().is_empty();
        let has_tangents = |p: &&Primitive| p.own_streams(StreamKind::Tangent).any(|s| !s.is_empty());
        let with_tangents = || primitives().filter(has_tangents);
        let seen = with_tangents().filter(is_seen).count();
        self.dropped(Aspect::Tangents, "meshes", "tangents have no place", seen);
        self.dropped_unused(Aspect::Tangents, "meshes", "tangents", with_tangents().count() - seen);
        let draws = |primitive: &&Primitive| !primitive.indices.is_empty();
        let with_colors = primitives().filter(draws).filter(|p| !p.colors.is_empty()).count();
        self.dropped(Aspect::Colors, "meshes", "vertex colours have no place", with_colors);
        let targets = scene.meshes.values().map(|mesh| mesh.target_count()).sum();
        self.dropped(Aspect::Morphs, "meshes", "morph targets have no place", targets);
        let sets = self.format.capabilities.uv_sets;
        let more: usize = primitives().filter(draws).map(|p| p.uvs.len().saturating_sub(sets)).sum();
        if more > 0 {
            let name = self.format.name;
            let message = match sets {
                0 => format!("{name} holds no texture coordinates"),
                1 => format!("{name} holds one set of texture coordinates"),
                _ => format!("{name} holds {sets} sets of texture coordinates"),
            };
            self.losses.push(Loss::new(Aspect::Uvs, LossKind::Dropped, "meshes", message).count(more));
        }
        let own = format!("_{}_", self.format.id.to_ascii_uppercase());
        let names = |primitive: &'_ Primitive| -> Vec<String> {
            primitive.custom.keys().filter(|name| !name.starts_with(&own)).cloned().collect()
        };
        let custom: BTreeSet<String> = primitives().filter(is_seen).flat_map(names).collect();
        let message = "vertex attributes of other applications have no place";
        self.dropped(Aspect::CustomAttributes, "meshes", message, custom.len());
        let others: BTreeSet<String> = primitives().flat_map(names).collect();
        let others = others.difference(&custom).count();
        self.dropped_unused(Aspect::CustomAttributes, "meshes", "vertex attributes", others);
    }

    fn animations(&mut self, scene: &Scene) {
        self.dropped(Aspect::Animations, "animations", "animations have no place", scene.animations.len());
        if self.format.capabilities.holds(Aspect::Morphs).0 != Holds::No {
            return;
        }
        let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
        let weights = channels.filter(|channel| channel.property == Property::Weights).count();
        if weights > 0 {
            let message = format!("animated morph weights have no place in {}", self.format.name);
            self.losses
                .push(Loss::new(Aspect::Animations, LossKind::Dropped, "animations", message).count(weights));
        }
    }

    /// Extras of other formats. Those of glTF are the user's own data; of the others, what only they know.
    fn extras(&mut self, scene: &Scene) {
        if self.format.capabilities.holds(Aspect::Extras).0 == Holds::Fully {
            return;
        }
        let foreign = |extras: &&Extras| extras.iter().any(|(format, _)| format != self.format.id);
        let count = scene.all_extras().filter(foreign).count();
        if count > 0 {
            let message = format!("data that only other formats know has no place in {}", self.format.name);
            self.losses.push(Loss::new(Aspect::Extras, LossKind::Dropped, "extras", message).count(count));
        }
    }
}

/// Whether something in a Scene has notes of a format.
pub fn has_notes(scene: &Scene, format: &Format) -> bool {
    scene.all_extras().any(|extras| extras.of(format.id).is_some())
}

/// Forgets all that a format noted in a Scene, for notes that do not fit together: extras and vertex attributes may come
/// from anywhere.
pub fn forget_notes(scene: &mut Scene, format: &Format) {
    let attribute = format!("_{}_", format.id.to_ascii_uppercase());
    scene.extras.remove(format.id);
    scene.scenes.iter_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.nodes.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.materials.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.textures.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.images.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.skins.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.cameras.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    scene.lights.values_mut().for_each(|x| drop(x.extras.remove(format.id)));
    for mesh in scene.meshes.values_mut() {
        mesh.extras.remove(format.id);
        for primitive in &mut mesh.primitives {
            primitive.extras.remove(format.id);
            primitive.custom.retain(|name, _| !name.starts_with(&attribute));
        }
    }
    for animation in &mut scene.animations {
        animation.extras.remove(format.id);
        animation.channels.iter_mut().for_each(|x| drop(x.extras.remove(format.id)));
    }
}
