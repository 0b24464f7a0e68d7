//! What the first model has and the second has nowhere, whatever it hangs on.

use std::collections::BTreeSet;

use super::Comparison;
use crate::diag::Aspect;
use crate::scene::{Material, MaterialId, NodeId, Scene};

impl Comparison<'_> {
    /// Kinds of things that are gone altogether, where comparing one by one did not meet them: on nodes without partner,
    /// or used by nothing.
    pub(super) fn inventory(&mut self) {
        let skins = |scene: &Scene| scene.nodes.values().filter(|node| scene.is_bound(node)).count();
        self.gone(Aspect::Skins, "skins", skins);
        let targets = |scene: &Scene| scene.meshes.values().map(|mesh| mesh.target_count()).sum();
        self.gone(Aspect::Morphs, "meshes", targets);
        self.gone(Aspect::Lods, "nodes", |scene| scene.nodes.values().map(|node| node.lods.len()).sum());
        if self.options.extras {
            self.foreign_extras();
        }
        self.shown_or_gone();
        self.unused_materials();
    }

    fn gone(&mut self, aspect: Aspect, path: &str, count: impl Fn(&Scene) -> usize) {
        let (a, b) = (count(self.a), count(self.b));
        if a > 0 && b == 0 && !self.report.differences.iter().any(|known| known.aspect == aspect) {
            let message = format!("the first model has {a} {}, the second none", aspect.name());
            self.report.counted(aspect, path, message, a);
        }
    }

    /// Data of formats of which the second model keeps nothing at all.
    fn foreign_extras(&mut self) {
        let keys = |scene: &Scene| -> BTreeSet<String> {
            let of_formats =
                scene.all_extras().flat_map(|extras| extras.iter().map(|(key, _)| key.to_owned()));
            of_formats.filter(|key| key != "menagerie").collect()
        };
        let (a, b) = (keys(self.a), keys(self.b));
        let known = self.report.differences.iter().any(|known| known.aspect == Aspect::Extras);
        if let Some(key) = a.difference(&b).next().filter(|_| !known) {
            let message = format!("nothing of what {key} keeps is in the second model");
            self.report.counted(Aspect::Extras, "extras", message, a.difference(&b).count());
        }
    }

    /// Hidden nodes that are gone: what they hid is gone with them, or shown.
    fn shown_or_gone(&mut self) {
        let alone = |(id, _): &(NodeId, _)| self.matched.to_b[id.index()].is_none();
        let hidden = self.a.nodes.iter().filter(|(_, node)| !node.visible).filter(alone);
        let hidden: Vec<NodeId> = hidden.map(|(id, _)| id).collect();
        if let Some(first) = hidden.first() {
            let message = "hidden nodes of the first model are not hidden in the second, or not there";
            self.report.counted(Aspect::Visibility, self.node_path(*first), message, hidden.len());
        }
    }

    /// Materials that nothing shown uses, and that the second model does not have.
    fn unused_materials(&mut self) {
        let used: BTreeSet<MaterialId> = used_materials(self.a);
        let names: BTreeSet<&str> =
            self.b.materials.values().map(|material| material.name.as_str()).collect();
        // Where there are thousands, each is looked for in its own place and among the first.
        let there = |id: MaterialId, material: &Material| {
            (!material.name.is_empty() && names.contains(material.name.as_str()))
                || self.b.materials.get(id) == Some(material)
                || self.b.materials.values().take(LOOKED_AT).any(|other| other == material)
        };
        let unused = self.a.materials.iter().filter(|(id, _)| !used.contains(id));
        let gone: Vec<MaterialId> = unused.filter(|(id, m)| !there(*id, m)).map(|(id, _)| id).collect();
        if let Some(first) = gone.first() {
            let message = "materials that nothing uses are only in the first model";
            let path = format!("materials[{}]", first.index());
            self.report.counted(Aspect::Materials, path, message, gone.len());
        }
    }
}

/// Materials without a name that are compared with one.
const LOOKED_AT: usize = 256;

/// The materials of what nodes of the shown scene draw.
fn used_materials(scene: &Scene) -> BTreeSet<MaterialId> {
    let shown = scene.shown().map(|root| scene.walk(&root.roots)).unwrap_or_default();
    let meshes = shown.into_iter().filter_map(|id| scene.meshes.get(scene.nodes[id].mesh?));
    let drawn = meshes.flat_map(|mesh| &mesh.primitives).filter(|primitive| !primitive.indices.is_empty());
    drawn.filter_map(|primitive| primitive.material).collect()
}
