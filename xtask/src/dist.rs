//! `cargo xtask dist`: the program, the C library and all that belongs to them, as a tar and as a Debian package; and the test
//! vectors as a tar of their own.
//!
//! Both hold the same tree, laid out as below `/usr`, so a tar can be unpacked anywhere: the pkg-config file finds its own
//! place.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::steps::{Outcome, built_by, built_by_tests, cargo_program, run_command};

/// How the binaries are built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Profile {
    /// With what the tests have built already, to see whether packing works.
    Dev,
    /// For use.
    Release,
}

/// What was made.
struct Packages {
    tar: PathBuf,
    /// The test vectors alone, for people who write readers of their own.
    vectors: PathBuf,
    /// `None` where there is no `dpkg-deb`.
    deb: Option<PathBuf>,
}

/// Files that are copied as they are: from the project, to the tree.
const COPIED: &[(&str, &str)] = &[
    ("README.md", "share/doc/menagerie/README.md"),
    ("CHANGELOG.md", "share/doc/menagerie/CHANGELOG.md"),
    ("SECURITY.md", "share/doc/menagerie/SECURITY.md"),
    ("LICENSE-MIT", "share/doc/menagerie/LICENSE-MIT"),
    ("LICENSE-APACHE", "share/doc/menagerie/LICENSE-APACHE"),
    ("packaging/thumbnailer/menagerie.thumbnailer", "share/thumbnailers/menagerie.thumbnailer"),
    ("packaging/thumbnailer/menagerie.xml", "share/mime/packages/menagerie.xml"),
    ("packaging/identify/menagerie.magic", "share/misc/menagerie.magic"),
    ("packaging/identify/menagerie-signatures.xml", "share/doc/menagerie/menagerie-signatures.xml"),
    ("crates/menagerie-c/include/menagerie.h", "include/menagerie.h"),
    ("crates/menagerie-c/examples/load.c", "share/doc/menagerie/examples/load.c"),
];

/// Where each shell looks for completions.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/menagerie"),
    ("zsh", "share/zsh/site-functions/_menagerie"),
    ("fish", "share/fish/vendor_completions.d/menagerie.fish"),
];

/// `cargo xtask dist`: with the page inside, where it can be built.
pub(crate) fn build(root: &Path) -> Result<bool> {
    if let Outcome::Skipped(reason) | Outcome::Failed(reason) = crate::viewer::try_build(root)? {
        eprintln!("the program is built without the viewer's page: {reason}");
    }
    let packages = make(root, Profile::Release)?;
    println!("{}\n{}", packages.tar.display(), packages.vectors.display());
    match packages.deb {
        Some(deb) => println!("{}", deb.display()),
        None => eprintln!("no Debian package: dpkg-deb is missing"),
    }
    Ok(true)
}

/// Packs what the tests have built, and tries what came out as a user would: the program answers, and a C program is
/// compiled by what pkg-config says.
pub(crate) fn test(root: &Path) -> Result<Outcome> {
    let packages = make(root, Profile::Dev)?;
    try_vectors(&packages.vectors)?;
    let place = root.join("target/dist/unpacked");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    done(
        Command::new("tar").arg("-xzf").arg(&packages.tar).arg("-C").arg(&place).arg("--strip-components=1"),
    )?;
    let version = said(Command::new(place.join("bin/menagerie")).arg("--version"))?;
    if !version.contains(env!("CARGO_PKG_VERSION")) {
        return Ok(Outcome::Failed(format!("the packed program says {version:?}")));
    }
    for page in ["menagerie.1", "menagerie-convert.1"] {
        let page = place.join("share/man/man1").join(page);
        fs::metadata(&page).with_context(|| format!("{} is not packed", page.display()))?;
    }
    if let Some(deb) = &packages.deb {
        let list = said(Command::new("dpkg-deb").arg("--contents").arg(deb))?;
        for (_, file) in COPIED.iter().filter(|(from, _)| root.join(from).exists()) {
            if !list.contains(&format!("./usr/{file}")) {
                return Ok(Outcome::Failed(format!("the Debian package lacks {file}")));
            }
        }
    }
    let Ok(flags) = said(
        Command::new("pkg-config")
            .args(["--cflags", "--libs", "menagerie"])
            .env("PKG_CONFIG_PATH", place.join("lib/pkgconfig")),
    ) else {
        return Ok(Outcome::Skipped("pkg-config is missing, so the C library's was not tried".to_owned()));
    };
    let program = place.join("load");
    let mut compile = Command::new("cc");
    compile.arg(root.join("crates/menagerie-c/examples/load.c")).arg("-o").arg(&program);
    done(compile.args(flags.split_whitespace()).args(["-lm", "-Wl,-rpath"]).arg(place.join("lib")))?;
    Ok(Outcome::Passed)
}

fn make(root: &Path, profile: Profile) -> Result<Packages> {
    let binaries = binaries(root, profile)?;
    let folder = root.join("target/dist");
    let name = format!("menagerie-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let tree = folder.join(&name);
    let _ = fs::remove_dir_all(&tree);
    fill(root, &tree, &binaries)?;
    if profile == Profile::Dev {
        // What debuggers read is most of the bytes, and packing it most of the time.
        let packed = binaries.libraries.iter().filter_map(|library| library.file_name());
        let packed = packed.map(|name| tree.join("lib").join(name)).chain([tree.join("bin/menagerie")]);
        done(Command::new("strip").arg("-S").args(packed))?;
    }
    let tar = folder.join(format!("{name}.tar.gz"));
    done(pack(&tar).arg("-C").arg(&folder).arg(&name))?;
    let vectors = folder.join(format!("menagerie-vectors-{}.tar.gz", env!("CARGO_PKG_VERSION")));
    // Some of its folders are links to the tests' files; whoever unpacks it alone needs the files.
    done(pack(&vectors).args(["--dereference", "--exclude=__pycache__", "-C"]).arg(root).arg("vectors"))?;
    let deb = debian(&folder, &tree)?;
    Ok(Packages { tar, vectors, deb })
}

/// A tar that is the same for the same files.
fn pack(tar: &Path) -> Command {
    let mut pack = Command::new("tar");
    pack.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-czf"]).arg(tar);
    pack
}

/// The test vectors can be used without the project: the files are there, and no link leads out.
fn try_vectors(vectors: &Path) -> Result<()> {
    let list = said(Command::new("tar").arg("-tvzf").arg(vectors))?;
    for id in ["bogle", "bmd", "dgl2", "bo3d", "das2"] {
        let files =
            list.lines().filter(|line| line.starts_with('-') && line.contains(&format!("vectors/{id}/")));
        if files.count() < 4 {
            bail!("{} lacks the files of {id}", vectors.display());
        }
    }
    match list.lines().find(|line| line.starts_with('l')) {
        Some(link) => bail!("{} has a link: {link}", vectors.display()),
        None => Ok(()),
    }
}

/// What is packed of what cargo builds.
struct Binaries {
    program: PathBuf,
    /// The C library, for static and dynamic linking.
    libraries: Vec<PathBuf>,
}

/// Builds the program and the C library.
fn binaries(root: &Path, profile: Profile) -> Result<Binaries> {
    let packages = ["--package", "menagerie-cli", "--package", "menagerie-c"];
    let built = match profile {
        Profile::Dev => built_by_tests(root)?,
        Profile::Release => built_by(root, &[["build", "--release"].as_slice(), &packages].concat())?,
    };
    // Beside the programs there are those that test them.
    let of = |name: &'static str, kind: &'static str| {
        built.iter().filter(move |message| {
            let kinds = message["target"]["kind"].as_array().into_iter().flatten();
            message["target"]["name"] == name
                && message["profile"]["test"] == false
                && kinds.into_iter().any(|is| is == kind)
        })
    };
    let program = of("menagerie", "bin").find_map(|message| message["executable"].as_str());
    let files = of("menagerie_c", "cdylib").flat_map(|message| message["filenames"].as_array());
    let libraries = files.flatten().filter_map(|file| file.as_str().map(PathBuf::from));
    let wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["so", "dylib", "a"].contains(&extension))
    };
    let libraries: Vec<PathBuf> = libraries.filter(wanted).collect();
    if libraries.len() < 2 {
        bail!("cargo does not say where the C library is");
    }
    Ok(Binaries { program: program.context("cargo does not say where the program is")?.into(), libraries })
}

/// Lays out the tree.
fn fill(root: &Path, tree: &Path, binaries: &Binaries) -> Result<()> {
    for (from, to) in COPIED.iter().filter(|(from, _)| root.join(from).exists()) {
        copy(&root.join(from), &tree.join(to))?;
    }
    let Binaries { program, libraries } = binaries;
    copy(program, &tree.join("bin/menagerie"))?;
    for library in libraries {
        copy(library, &tree.join("lib").join(library.file_name().context("a library without a name")?))?;
    }
    let template = fs::read_to_string(root.join("crates/menagerie-c/menagerie.pc.in"))?;
    let described =
        template.replace("@prefix@", "${pcfiledir}/../..").replace("@version@", env!("CARGO_PKG_VERSION"));
    write(&tree.join("lib/pkgconfig/menagerie.pc"), &described)?;
    done(Command::new(program).arg("man").arg(tree.join("share/man/man1")))?;
    for (shell, file) in COMPLETIONS {
        write(&tree.join(file), &said(Command::new(program).args(["completions", shell]))?)?;
    }
    write(&tree.join("share/doc/menagerie/THIRD-PARTY.md"), &third_party(root)?)
}

/// All crates that the binaries are made of, with their licences.
fn third_party(root: &Path) -> Result<String> {
    let mut ask = Command::new(cargo_program());
    ask.args(["metadata", "--format-version", "1", "--filter-platform", &host()?]).current_dir(root);
    let metadata: Value = serde_json::from_str(&said(&mut ask)?).context("cargo metadata is not JSON")?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text =
        "# What menagerie is made of\n\n| crate | version | licence | from |\n|---|---|---|---|\n".to_owned();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let field = |name: &str| package[name].as_str().unwrap_or("not stated");
        let (name, version) = (field("name"), field("version"));
        let _ = writeln!(text, "| {name} | {version} | {} | {} |", field("license"), field("repository"));
    }
    Ok(text)
}

/// The Debian package; `None` where there is no `dpkg-deb`.
fn debian(folder: &Path, tree: &Path) -> Result<Option<PathBuf>> {
    let Ok(architecture) = said(Command::new("dpkg").arg("--print-architecture")) else { return Ok(None) };
    let architecture = architecture.trim();
    let staged = folder.join("deb");
    let _ = fs::remove_dir_all(&staged);
    fs::create_dir_all(staged.join("DEBIAN"))?;
    done(Command::new("cp").arg("-r").arg(tree).arg(staged.join("usr")))?;
    let version = env!("CARGO_PKG_VERSION");
    let control = format!(
        "Package: menagerie\nVersion: {version}\nArchitecture: {architecture}\nSection: graphics\nPriority: optional\n\
         Maintainer: The menagerie authors <menagerie@localhost>\nDepends: libc6, libgcc-s1, libstdc++6\n\
         Description: {}\n The models of BOGLE, BMD, DGL2, BO3D and das2, among each other and to and from glTF, OBJ, STL\n \
         and PLY; every loss is named.\n",
        env!("CARGO_PKG_DESCRIPTION"),
    );
    write(&staged.join("DEBIAN/control"), &control)?;
    let deb = folder.join(format!("menagerie_{version}_{architecture}.deb"));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "--build"]).arg(&staged).arg(&deb).env("SOURCE_DATE_EPOCH", "0");
    done(&mut pack)?;
    Ok(Some(deb))
}

/// What the compiler builds for.
fn host() -> Result<String> {
    let version = said(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it builds for")?.to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("no folder")?)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("no folder")?)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn done(command: &mut Command) -> Result<()> {
    match run_command(command)? {
        Outcome::Passed => Ok(()),
        _ => bail!("{command:?} failed"),
    }
}

/// What a program says on standard output.
fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
