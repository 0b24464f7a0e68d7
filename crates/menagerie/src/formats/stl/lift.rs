use super::FORMAT;
use super::build::{Builder, primitive};
use super::model::{Model, Solid};
use crate::bytes::decode_text;
use crate::formats::Lifted;
use crate::formats::flat::show_all;
use crate::scene::{Mesh, Node, Scene};

/// The Scene of a file. Triangles share no vertices, as in the file, and have no normals: those of the file say only
/// what the corners say.
pub(super) fn lift(model: &Model) -> Lifted {
    let scene = match model {
        Model::Binary(binary) => {
            let mut builder = Builder::new(binary.facets.len());
            builder.add(&binary.facets);
            builder.finish(&binary.header)
        }
        Model::Ascii(ascii) => of_solids(ascii.solids.clone()),
    };
    Lifted { scene, ..Lifted::default() }
}

/// The Scene of the solids of a text file, each a node.
pub(super) fn of_solids(solids: Vec<Solid>) -> Scene {
    let mut scene = Scene::default();
    scene.extras.set(FORMAT.id, "form", "ascii");
    let turn = FORMAT.axes.turn;
    // A solid without triangles is nothing that a Scene could show.
    for solid in solids.into_iter().filter(|solid| !solid.corners.is_empty()) {
        let (name, utf8) = decode_text(&solid.name);
        let mut positions = solid.corners;
        positions.iter_mut().for_each(|position| *position = turn.vector(*position));
        let mut node = Node { name, ..Node::default() };
        if !utf8 {
            node.extras.set(FORMAT.id, "name_bytes", solid.name);
        }
        let mesh = Mesh { primitives: vec![primitive(positions)], ..Mesh::default() };
        node.mesh = Some(scene.meshes.push(mesh));
        scene.nodes.push(node);
    }
    show_all(&mut scene);
    scene
}
