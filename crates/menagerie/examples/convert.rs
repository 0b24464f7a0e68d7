//! Converts a model and says what was lost: `cargo run --example convert -- fox.glb fox.bmd`.

use menagerie::Format;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args().skip(1);
    let (Some(from), Some(to)) = (paths.next(), paths.next()) else {
        return Err("give two paths: the model, and what it becomes".into());
    };
    let target = Format::by_extension(&to).ok_or("the second path has no extension that is known")?;
    let done = menagerie::open(&from)?.convert(target)?;
    for loss in done.losses.losses() {
        let error =
            loss.error.map(|(stats, unit)| format!(", at most {} {unit}", stats.max)).unwrap_or_default();
        println!("{} {}: {}{error}", loss.code(), loss.kind, loss.message);
    }
    std::fs::write(&to, &done.output.bytes)?;
    println!("{to}: {} bytes", done.output.bytes.len());
    Ok(())
}
