//! Opens a model and walks through it: `cargo run --example walk -- robot.bmd`.

use menagerie::scene::Pose;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of a model")?;
    let model = menagerie::open(&path)?;
    for issue in model.issues().iter() {
        eprintln!("{}: {issue} [{}]", issue.severity, issue.code);
    }
    let scene = model.scene()?;
    println!("{path}: {}, {} nodes, {} meshes", model.format().name, scene.nodes.len(), scene.meshes.len());
    let rest = Pose::rest(&scene);
    for (id, node) in scene.nodes.iter() {
        let Some(mesh) = node.mesh.and_then(|mesh| scene.meshes.get(mesh)) else { continue };
        for primitive in &mesh.primitives {
            let first = rest.positions(&scene, id, primitive).first().copied().unwrap_or_default();
            let (vertices, triangles) = (primitive.vertex_count(), primitive.triangles().len());
            println!("  {:?}: {vertices} vertices, {triangles} triangles, the first at {first}", node.name);
        }
    }
    for animation in &scene.animations {
        println!("  animation {:?}: {:.2} s", animation.name, animation.seconds());
    }
    Ok(())
}
