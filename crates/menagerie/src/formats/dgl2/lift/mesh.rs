//! Trimeshes: loose triangles to primitives by material, with corners welded.

use std::collections::BTreeMap;

use zerocopy::little_endian::F32;

use super::super::model::{ChunkData, EntityData, Triangle};
use super::super::notes::{MeshNote, Note as _, PrimitiveNote};
use super::{Lifter, VDirection};
use crate::formats::{Elements, PrimitiveOrigin};
use crate::ops::{Keys, Mixer, Numbered, number, set_raw_normals};
use crate::scene::{Mesh, MeshId, Primitive};

/// The custom attribute with the length of a stored normal, where it is not one.
pub(in super::super) const NORMAL_LENGTH: &str = "_DGL2_NORMAL_LENGTH";

impl Lifter<'_> {
    pub(super) fn meshes(&mut self) {
        for (index, chunk, triangles) in self.model.meshes() {
            let mut mesh = self.mesh(triangles, None);
            let (name, kept) = self.name(chunk);
            mesh.name = name;
            let note = MeshNote {
                name_bytes: kept.bytes,
                numbered: kept.number,
                id: Some(chunk.id),
                with_material: None,
            };
            note.keep(&mut mesh.extras);
            let id = self.scene.meshes.push(mesh);
            self.record(id, index, triangles, None);
            self.meshes.insert(chunk.id, (id, index));
        }
    }

    /// The mesh that an entity shows. Its own material stands in for that of triangles that have none.
    pub(super) fn mesh_of(&mut self, entity: &EntityData) -> Option<MeshId> {
        let &(mesh, index) = self.meshes.get(&entity.mesh)?;
        let known = self.materials.contains_key(&entity.material);
        let chunk = self.model.chunk(index)?;
        let ChunkData::Trimesh(triangles, _) = &chunk.data else { return Some(mesh) };
        if !known || triangles.iter().all(|triangle| triangle.material.get() != -1) {
            return Some(mesh);
        }
        if let Some(known) = self.variants.get(&(entity.mesh, entity.material)) {
            return Some(*known);
        }
        let mut own = self.mesh(triangles, Some(entity.material));
        let (name, kept) = self.name(chunk);
        own.name = name;
        let note = MeshNote {
            name_bytes: kept.bytes,
            numbered: kept.number,
            id: Some(chunk.id),
            with_material: Some(entity.material),
        };
        note.keep(&mut own.extras);
        let own = self.scene.meshes.push(own);
        self.record(own, index, triangles, Some(entity.material));
        self.variants.insert((entity.mesh, entity.material), own);
        Some(own)
    }

    /// Takes down which triangles of a chunk the primitives of its mesh have; a vertex comes from the first that uses it.
    fn record(&mut self, mesh: MeshId, chunk: usize, triangles: &[Triangle], instead: Option<i32>) {
        if !self.origins.is_on() {
            return;
        }
        let mut order: Vec<i32> = Vec::new();
        let mut numbers: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for (number, triangle) in (0..).zip(triangles) {
            let material = with(triangle, instead);
            let list = numbers.entry(material).or_insert_with(|| {
                order.push(material);
                Vec::new()
            });
            list.push(number);
        }
        for (primitive, material) in order.into_iter().enumerate() {
            let triangles = numbers.remove(&material).unwrap_or_default();
            let shown = self.scene.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive));
            let mut first = vec![0; shown.map_or(0, Primitive::vertex_count)];
            let corners = shown.map(Primitive::triangles).unwrap_or_default().iter().zip(&triangles).rev();
            for (corner, number) in
                corners.flat_map(|(corners, number)| corners.iter().map(move |c| (c, number)))
            {
                if let Some(place) = first.get_mut(*corner as usize) {
                    *place = *number;
                }
            }
            let list = || Elements::list(format!("chunks[{chunk}].triangles"));
            self.origins.primitive(mesh.index(), primitive, || PrimitiveOrigin {
                path: format!("chunks[{chunk}]"),
                vertices: list().ordered(first),
                triangles: list().ordered(triangles),
            });
        }
    }

    fn mesh(&self, triangles: &[Triangle], instead: Option<i32>) -> Mesh {
        let primitive = |soup: Soup<'_>, material: i32| {
            let mut primitive = if self.shape_only { soup.shape() } else { soup.weld(self.v) };
            primitive.material = self.materials.get(&material).copied();
            PrimitiveNote { material_id: Some(material) }.keep(&mut primitive.extras);
            primitive
        };
        let first = triangles.first().map(|triangle| with(triangle, instead));
        let primitives = match first {
            // Most meshes have one material.
            Some(one) if triangles.iter().all(|triangle| with(triangle, instead) == one) => {
                vec![primitive(Soup { triangles, chosen: None }, one)]
            }
            _ => {
                let parts = by_material(triangles, instead).into_iter();
                parts
                    .map(|(material, chosen)| primitive(Soup { triangles, chosen: Some(chosen) }, material))
                    .collect()
            }
        };
        Mesh { primitives, ..Mesh::default() }
    }
}

/// The materials of triangles in the order of first sight, each with the triangles that have it.
fn by_material(triangles: &[Triangle], instead: Option<i32>) -> Vec<(i32, Vec<u32>)> {
    let mut parts: Vec<(i32, Vec<u32>)> = Vec::new();
    let mut places: BTreeMap<i32, usize> = BTreeMap::new();
    for (number, triangle) in (0..).zip(triangles) {
        let material = with(triangle, instead);
        let place = *places.entry(material).or_insert(parts.len());
        if place == parts.len() {
            parts.push((material, Vec::new()));
        }
        if let Some((_, list)) = parts.get_mut(place) {
            list.push(number);
        }
    }
    parts
}

/// The material that a triangle is shown with.
fn with(triangle: &Triangle, instead: Option<i32>) -> i32 {
    match triangle.material.get() {
        -1 => instead.unwrap_or(-1),
        material => material,
    }
}

/// Separate triangles, which become indexed ones: corners with the same bits are one vertex.
struct Soup<'a> {
    triangles: &'a [Triangle],
    /// Which of them, where it is not all.
    chosen: Option<Vec<u32>>,
}

/// Position, normal, uv1, uv2 as bits.
type Corner = [u32; 10];

impl Soup<'_> {
    fn corner(&self, number: usize) -> Corner {
        let triangle = match &self.chosen {
            Some(chosen) => chosen.get(number / 3).copied().unwrap_or_default() as usize,
            None => number / 3,
        };
        self.triangles.get(triangle).map_or([0; 10], |triangle| corner(triangle, number % 3))
    }

    /// The triangles as they are, without anything but places.
    fn shape(self) -> Primitive {
        let clean = |x: &F32| Some(x.get()).filter(|x| x.is_finite()).unwrap_or(0.0);
        let corners =
            |triangle: &Triangle| triangle.positions.each_ref().map(|place| place.each_ref().map(clean));
        let positions: Vec<[f32; 3]> = match &self.chosen {
            Some(chosen) => {
                let chosen = chosen.iter().filter_map(|number| self.triangles.get(*number as usize));
                chosen.flat_map(corners).collect()
            }
            None => self.triangles.iter().map(corners).collect::<Vec<_>>().into_flattened(),
        };
        let indices = (0..u32::try_from(positions.len()).unwrap_or(u32::MAX)).collect();
        Primitive { indices, positions, ..Primitive::default() }
    }

    fn weld(self, v: VDirection) -> Primitive {
        let Numbered { numbers, firsts } = number(&self);
        let clean = |bits: u32| {
            let value = f32::from_bits(bits);
            if value.is_finite() { value } else { 0.0 }
        };
        let up = |uv: [f32; 2]| match v {
            VDirection::Top => uv,
            VDirection::Bottom => [uv[0], 1.0 - uv[1]],
        };
        let mut primitive = Primitive { indices: numbers, ..Primitive::default() };
        primitive.positions.reserve_exact(firsts.len());
        let list = || Vec::with_capacity(firsts.len());
        let (mut normals, mut uv1, mut uv2) = (Vec::with_capacity(firsts.len()), list(), list());
        for first in &firsts {
            let [x, y, z, nx, ny, nz, u, v, s, t] = self.corner(*first as usize).map(clean);
            primitive.positions.push([x, y, z]);
            normals.push([nx, ny, nz]);
            uv1.push([u, v]);
            uv2.push([s, t]);
        }
        // The writer copies the first set when there is no second, and writes zeros when there is none at all.
        let second = uv1 != uv2;
        let first = second || uv1.iter().any(|uv| *uv != [0.0; 2]);
        for (set, wanted) in [(uv1, first), (uv2, second)] {
            if wanted {
                primitive.uvs.push(set.into_iter().map(up).collect());
            }
        }
        set_raw_normals(&mut primitive, &normals, NORMAL_LENGTH);
        primitive
    }
}

fn corner(triangle: &Triangle, corner: usize) -> Corner {
    let Triangle { material: _, positions, normals, uv1, uv2 } = triangle;
    let (Some([x, y, z]), Some([nx, ny, nz]), Some([u, v]), Some([s, t])) =
        (positions.get(corner), normals.get(corner), uv1.get(corner), uv2.get(corner))
    else {
        return [0; 10];
    };
    [x, y, z, nx, ny, nz, u, v, s, t].map(|float| float.get().to_bits())
}

impl Keys for Soup<'_> {
    fn count(&self) -> usize {
        3 * self.chosen.as_ref().map_or(self.triangles.len(), Vec::len)
    }

    fn words(&self) -> usize {
        10
    }

    fn hash(&self, first: usize, hashes: &mut [u64], mixer: &Mixer) {
        for (number, hash) in (first..).zip(hashes) {
            *hash = mixer.mix(&self.corner(number));
        }
    }

    fn same(&self, a: usize, b: usize) -> bool {
        self.corner(a) == self.corner(b)
    }
}
