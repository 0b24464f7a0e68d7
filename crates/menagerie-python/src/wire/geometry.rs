//! Meshes.

use std::collections::BTreeMap;

use menagerie::scene::{CustomAttribute, Id, Mesh, MorphTarget, Primitive, Topology};
use serde::{Deserialize, Serialize};

use super::{In, Notes, Out, Stream, Wrong, each, extras, index, notes};
use crate::arrays::Array;

#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WireMesh {
    name: String,
    primitives: Vec<WirePrimitive>,
    weights: Vec<f32>,
    target_names: Vec<String>,
    extras: Notes,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct WirePrimitive {
    topology: WireTopology,
    indices: Option<Stream>,
    positions: Option<Stream>,
    normals: Option<Stream>,
    tangents: Option<Stream>,
    uvs: Vec<Stream>,
    colors: Vec<Stream>,
    joints: Vec<Stream>,
    weights: Vec<Stream>,
    targets: Vec<WireTarget>,
    custom: BTreeMap<String, WireCustom>,
    material: Option<usize>,
    extras: Notes,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct WireTarget {
    positions: Option<Stream>,
    normals: Option<Stream>,
    tangents: Option<Stream>,
    uvs: Vec<Stream>,
    colors: Vec<Stream>,
    extras: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCustom {
    width: usize,
    values: Stream,
}

#[derive(Serialize, Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireTopology {
    #[default]
    Triangles,
    Lines,
    LineStrip,
    LineLoop,
    Points,
}

const TOPOLOGIES: [(WireTopology, Topology); 5] = [
    (WireTopology::Triangles, Topology::Triangles),
    (WireTopology::Lines, Topology::Lines),
    (WireTopology::LineStrip, Topology::LineStrip),
    (WireTopology::LineLoop, Topology::LineLoop),
    (WireTopology::Points, Topology::Points),
];

impl WireMesh {
    pub(super) fn of(mesh: Mesh, out: &mut Out) -> Self {
        Self {
            name: mesh.name,
            primitives: mesh.primitives.into_iter().map(|p| WirePrimitive::of(p, out)).collect(),
            weights: mesh.weights,
            target_names: mesh.target_names,
            extras: notes(&mesh.extras),
        }
    }

    pub(super) fn make(self, lists: &In) -> Result<Mesh, Wrong> {
        Ok(Mesh {
            name: self.name,
            primitives: each("primitives", self.primitives, |primitive| primitive.make(lists))?,
            weights: self.weights,
            target_names: self.target_names,
            extras: extras(self.extras),
        })
    }
}

impl WirePrimitive {
    fn of(primitive: Primitive, out: &mut Out) -> Self {
        let topology = TOPOLOGIES.iter().find(|(_, known)| *known == primitive.topology);
        let custom = primitive.custom.into_iter().map(|(name, CustomAttribute { width, values })| {
            let rows = values.len().checked_div(width).unwrap_or(0);
            (name, WireCustom { width, values: out.array(Array::flat(values).shaped(vec![rows, width])) })
        });
        Self {
            topology: topology.map(|(wire, _)| *wire).unwrap_or_default(),
            custom: custom.collect(),
            indices: Some(out.array(Array::flat(primitive.indices))),
            positions: Some(out.array(Array::rows(primitive.positions))),
            normals: out.rows(primitive.normals),
            tangents: out.rows(primitive.tangents),
            uvs: out.sets(primitive.uvs),
            colors: out.sets(primitive.colors),
            joints: out.sets(primitive.joints),
            weights: out.sets(primitive.weights),
            targets: primitive.targets.into_iter().map(|target| WireTarget::of(target, out)).collect(),
            material: primitive.material.map(index),
            extras: notes(&primitive.extras),
        }
    }

    fn make(self, lists: &In) -> Result<Primitive, Wrong> {
        let topology = TOPOLOGIES.get(self.topology as usize).map(|(_, topology)| *topology);
        let custom = self.custom.into_iter().map(|(name, WireCustom { width, values })| {
            Ok((name, CustomAttribute { width, values: lists.flat(values)? }))
        });
        Ok(Primitive {
            topology: topology.unwrap_or_default(),
            indices: self.indices.map_or(Ok(Vec::new()), |indices| lists.whole(indices))?,
            positions: lists.rows(self.positions)?,
            normals: lists.rows(self.normals)?,
            tangents: lists.rows(self.tangents)?,
            uvs: lists.sets(self.uvs)?,
            colors: lists.sets(self.colors)?,
            joints: self.joints.into_iter().map(|joints| lists.joints(joints)).collect::<Result<_, _>>()?,
            weights: lists.sets(self.weights)?,
            targets: each("targets", self.targets, |target| target.make(lists))?,
            custom: custom.collect::<Result<_, Wrong>>()?,
            material: self.material.map(Id::new),
            extras: extras(self.extras),
        })
    }
}

impl WireTarget {
    fn of(target: MorphTarget, out: &mut Out) -> Self {
        Self {
            positions: out.rows(target.positions),
            normals: out.rows(target.normals),
            tangents: out.rows(target.tangents),
            uvs: out.sets(target.uvs),
            colors: out.sets(target.colors),
            extras: notes(&target.extras),
        }
    }

    fn make(self, lists: &In) -> Result<MorphTarget, Wrong> {
        Ok(MorphTarget {
            positions: lists.rows(self.positions)?,
            normals: lists.rows(self.normals)?,
            tangents: lists.rows(self.tangents)?,
            uvs: lists.sets(self.uvs)?,
            colors: lists.sets(self.colors)?,
            extras: extras(self.extras),
        })
    }
}
