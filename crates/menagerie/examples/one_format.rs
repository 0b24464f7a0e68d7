//! One format only, as an engine's loader would have it: the file model, without the Scene in between.
//! `cargo run --no-default-features --features bo3d --example one_format -- ninja.bo3d`

use menagerie::formats::{ReadOptions, bo3d};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of a BO3D file")?;
    let bytes = std::fs::read(&path)?;
    let reading = bo3d::FORMAT.open(&bytes, &ReadOptions::default());
    for issue in reading.issues.iter() {
        eprintln!("{issue} [{}]", issue.code);
    }
    let model = reading.model.ok_or("it cannot be read")?;
    let summary = model.summary();
    println!("{path}: {} vertices, {} triangles", summary.vertices, summary.triangles);
    for (what, count) in summary.contents {
        println!("  {count} {what}");
    }
    Ok(())
}
