//! Builds the viewer's page into the program, packed, where `cargo xtask viewer` has made it.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_page)");
    // A page that is not there yet cannot be watched; the task that makes it touches this file.
    println!("cargo::rerun-if-changed=build.rs");
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let page = Path::new(&root).join("../../target/viewer/menagerie.html.deflate");
    let (Ok(bytes), Ok(out)) = (fs::read(&page), env::var("OUT_DIR")) else { return };
    println!("cargo::rerun-if-changed={}", page.display());
    if fs::write(Path::new(&out).join("menagerie.html.deflate"), bytes).is_ok() {
        println!("cargo::rustc-cfg=has_page");
    }
}
