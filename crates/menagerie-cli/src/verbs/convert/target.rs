//! Where results go, and in which format.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use menagerie::formats::{self, Files, Format, NotFound};

use crate::inputs::{Input, Listed};
use crate::options::{self, has_extension};
use crate::output::folder_of;

/// What all inputs become.
pub(super) struct Target {
    pub(super) format: &'static Format,
    /// The extension of results in a folder.
    extension: String,
    pub(super) out: Out,
    /// Whether results are to be known again by a hash.
    pub(super) hashed: bool,
    /// Folders that are there, because they were made.
    made: Mutex<HashSet<PathBuf>>,
}

pub(super) enum Out {
    Stdout,
    File(PathBuf),
    /// A folder, with the tree of the inputs below it or all in one place.
    Folder {
        path: PathBuf,
        flat: bool,
    },
    /// A path with `{dir}`, `{stem}` and the like in it.
    Template(String),
}

/// What stands for something in a template, and what for.
const PLACEHOLDERS: [(&str, &str); 4] = [
    ("{dir}", "the folder below the one that was given"),
    ("{stem}", "the name without its extension"),
    ("{name}", "the name with its extension"),
    ("{ext}", "the extension of the format that is written"),
];

/// What a result is called after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Its source without the extension.
    Stem,
    /// Its source with the extension, beside others that differ in nothing else.
    Name,
}

/// Where one result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Stdout,
    File(PathBuf),
}

impl Place {
    /// The folder that it is in, unless it is standard output.
    pub(super) fn folder(&self) -> Option<There> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(There { folder: folder_of(path).to_owned(), seen: Mutex::default() }),
        }
    }

    /// The file's name without its extension.
    pub(super) fn stem(&self) -> String {
        match self {
            Self::Stdout => String::new(),
            Self::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Whether something is there already.
    pub(super) fn is_taken(&self) -> bool {
        matches!(self, Self::File(path) if path.symlink_metadata().is_ok_and(|there| there.is_file()))
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdout => "-".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// The folder that a result goes to, for seeing which names are taken there.
///
/// It remembers what it saw: results of a batch are made side by side and written one after the other, and one that was
/// made before its predecessor was written is made again where that matters, so that the order alone decides.
pub(super) struct There {
    folder: PathBuf,
    seen: Mutex<BTreeMap<String, Option<Arc<[u8]>>>>,
}

impl There {
    fn look(&self, name: &str) -> Option<Arc<[u8]>> {
        let plain = !name.contains(['/', '\\', '\0']) && !matches!(name, "" | "." | "..");
        plain.then(|| fs::read(self.folder.join(name)).ok().map(Arc::from)).flatten()
    }

    /// Whether everything there is still as it was when it was looked at.
    pub(super) fn is_as_before(&self) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().all(|(name, content)| self.look(name) == *content)
    }
}

impl Files for There {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let content = self.look(name);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), content.clone());
        content.ok_or_else(NotFound::default)
    }
}

impl Target {
    pub(super) fn new(out: Out, to: Option<&str>, inputs: usize) -> Result<Self> {
        let named = to.map(|to| options::format(to).map_err(|error| anyhow!(error))).transpose()?;
        let format = match (&out, named) {
            (_, Some(format)) => format,
            (Out::File(path), None) => by_name(&path.to_string_lossy())?,
            (Out::Template(text), None) => by_name(text)?,
            (Out::Folder { .. }, None) => bail!("--to must say the format when the output is a folder"),
            (Out::Stdout, None) => bail!("--to must say the format when the output is standard output"),
        };
        // `--to glb` and `--to gltf` are the same format in two containers.
        let wanted = to.filter(|to| has_extension(format, to)).map(str::to_ascii_lowercase);
        let first = || format.extensions.first().copied().unwrap_or_default().to_owned();
        if inputs > 1 && matches!(out, Out::File(_) | Out::Stdout) {
            bail!("several inputs need a folder as output, and {} is not one", out.name());
        }
        Ok(Self {
            format,
            extension: wanted.unwrap_or_else(first),
            out,
            hashed: false,
            made: Mutex::default(),
        })
    }

    /// Makes the folder of a result, where folders are made that are not there yet.
    pub(super) fn make_folder(&self, path: &Path) -> Result<()> {
        if !matches!(self.out, Out::Folder { .. } | Out::Template(_)) {
            return Ok(());
        }
        let folder = folder_of(path);
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made().contains(folder) {
            return Ok(());
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        made().insert(folder.to_owned());
        Ok(())
    }

    /// The extension that the writer is told; only where a format has several does it matter.
    pub(super) fn extension_for(&self, place: &Place) -> String {
        let own = match place {
            Place::File(path) => path.extension().map(|extension| extension.to_string_lossy().into_owned()),
            Place::Stdout => None,
        };
        match own.filter(|own| has_extension(self.format, own)) {
            _ if self.format.extensions.len() < 2 => String::new(),
            Some(own) => own.to_ascii_lowercase(),
            None => self.extension.clone(),
        }
    }

    /// How each input's result is called, in their order. Of lists that may be very long only hashes are kept.
    pub(super) fn namings(&self, inputs: &[Listed], sources: &Sources) -> Vec<Result<Naming, String>> {
        let hasher = RandomState::new();
        let key = |listed: &Listed, naming| hasher.hash_one(key(&self.place(&listed.input(), naming)));
        let keys = |naming| -> Vec<u64> { inputs.iter().map(|listed| key(listed, naming)).collect() };
        let (stems, names) = (keys(Naming::Stem), keys(Naming::Name));
        let (shared_stems, shared_names) = (repeated(&stems), repeated(&names));
        let mut taken: HashMap<u64, usize> = HashMap::new();
        let namings = inputs.iter().zip(stems.iter().zip(&names)).enumerate();
        let namings = namings.map(|(i, (listed, (stem, name)))| {
            // Models that differ in nothing but their format keep their extension: robot.bmd.glb beside robot.bo3d.glb.
            let helps = shared_stems.contains(stem) && !shared_names.contains(name);
            let (naming, key) = if helps { (Naming::Name, *name) } else { (Naming::Stem, *stem) };
            let place = self.place(&listed.input(), naming);
            if let Some(other) = taken.get(&key) {
                let (other, name) = (inputs[*other].input().name, place.name());
                return Err(format!("{other} already becomes {name}; give them other names or folders"));
            }
            taken.insert(key, i);
            not_another_input(&place, i, sources).map(|()| naming)
        });
        namings.collect()
    }

    /// The place of one result.
    pub(super) fn place(&self, input: &Input, naming: Naming) -> Place {
        let stem = match naming {
            Naming::Stem => named(input, Path::file_stem),
            Naming::Name => file_name(input),
        };
        let file = || format!("{stem}.{}", self.extension);
        match &self.out {
            Out::Stdout => Place::Stdout,
            Out::File(path) => Place::File(path.clone()),
            Out::Folder { path, flat: true } => Place::File(path.join(file())),
            Out::Folder { path, flat: false } => Place::File(path.join(&input.below).join(file())),
            Out::Template(text) => {
                let dir = match input.below.as_os_str().is_empty() {
                    true => ".".into(),
                    false => input.below.to_string_lossy(),
                };
                let name = file_name(input);
                let values = [&*dir, &stem, &name, &self.extension];
                let mut filled = text.clone();
                for ((placeholder, _), value) in PLACEHOLDERS.iter().zip(values) {
                    filled = filled.replace(placeholder, value);
                }
                let parts = Path::new(&filled).components().filter(|part| *part != Component::CurDir);
                Place::File(parts.collect())
            }
        }
    }
}

impl Out {
    /// What the last argument means.
    pub(super) fn of(out: &Path, inputs: usize, flat: bool) -> Self {
        let text = out.to_string_lossy();
        let looks_like_folder = text.ends_with(['/', std::path::MAIN_SEPARATOR]);
        let nameless = inputs > 1 && Format::by_extension(&text).is_none() && !out.exists();
        if text == "-" {
            Self::Stdout
        } else if out.is_dir() || looks_like_folder || nameless {
            Self::Folder { path: out.to_owned(), flat }
        } else {
            Self::File(out.to_owned())
        }
    }

    /// What `--output` means: a path with placeholders, or the same as a last argument.
    pub(super) fn template(text: &str, inputs: usize, flat: bool) -> Result<Self> {
        if !text.contains('{') {
            return Ok(Self::of(Path::new(text), inputs, flat));
        }
        let rest = PLACEHOLDERS.iter().fold(text.to_owned(), |text, (known, _)| text.replace(known, ""));
        if rest.contains(['{', '}']) {
            let known: Vec<String> =
                PLACEHOLDERS.iter().map(|(name, what)| format!("{name} ({what})")).collect();
            bail!("{text} has a placeholder that is not known; there are {}", known.join(", "));
        }
        Ok(Self::Template(text.to_owned()))
    }

    /// Where the manifest of a batch goes unless somebody says so: beside the folder of the results.
    pub(super) fn manifest(&self, part: &str) -> Option<PathBuf> {
        let folder = match self {
            Self::Stdout | Self::File(_) => return None,
            Self::Folder { path, .. } => path.clone(),
            Self::Template(text) => {
                let fixed = text.split('{').next().unwrap_or_default();
                fixed.rsplit_once('/').map(|(folder, _)| PathBuf::from(folder)).unwrap_or_default()
            }
        };
        let real = fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { &folder });
        let folder = real.unwrap_or(folder);
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(folder_of(&folder).join(format!("{name}.{part}manifest.jsonl")))
    }

    fn name(&self) -> String {
        match self {
            Self::Stdout => "-".to_owned(),
            Self::File(path) | Self::Folder { path, .. } => path.display().to_string(),
            Self::Template(text) => text.clone(),
        }
    }
}

/// Some file systems take names that differ only in capital letters for the same.
fn key(place: &Place) -> String {
    place.name().to_lowercase()
}

/// What is in a list more than once.
fn repeated(keys: &[u64]) -> HashSet<u64> {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

fn file_name(input: &Input) -> String {
    named(input, Path::file_name)
}

fn named(input: &Input, part: fn(&Path) -> Option<&std::ffi::OsStr>) -> String {
    let name = input.path().and_then(part).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "model".to_owned())
}

/// A result may take the place of its own source, not that of another input, which may not have been read yet.
fn not_another_input(place: &Place, own: usize, sources: &Sources) -> Result<(), String> {
    if let Place::File(path) = place
        && let Ok(real) = fs::canonicalize(path)
        && sources.find(&real).is_some_and(|i| i != own)
    {
        return Err(format!("its result would overwrite {}, which is another input", path.display()));
    }
    Ok(())
}

/// Where all inputs really are, to be known again by a hash.
pub(in crate::verbs) struct Sources {
    hasher: RandomState,
    positions: HashMap<u64, usize>,
}

impl Sources {
    /// Those of a list; what is no file has no place.
    pub(in crate::verbs) fn new(paths: impl Iterator<Item = Option<PathBuf>>) -> Self {
        let hasher = RandomState::new();
        let paths = paths.enumerate().filter_map(|(i, path)| Some((hasher.hash_one(path?), i)));
        Self { positions: paths.collect(), hasher }
    }

    /// Which input this path is that of.
    fn find(&self, path: &Path) -> Option<usize> {
        self.positions.get(&self.hasher.hash_one(path)).copied()
    }

    pub(in crate::verbs) fn has(&self, path: &Path) -> bool {
        self.find(path).is_some()
    }
}

/// Where an input really is, whatever links lead to it.
pub(super) fn real_path(input: &Input) -> Option<PathBuf> {
    fs::canonicalize(input.path()?).ok()
}

fn by_name(out: &str) -> Result<&'static Format> {
    let extension = Path::new(out).extension().and_then(|extension| extension.to_str());
    extension.and_then(Format::by_extension).ok_or_else(|| unknown(out))
}

fn unknown(out: &str) -> anyhow::Error {
    let known: Vec<String> =
        formats::ALL.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}")).collect();
    anyhow!(
        "the extension of {out} belongs to no format; use one of {} or say the format with --to",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Source;

    fn input(below: &str, name: &str) -> Listed {
        let path = Path::new("in").join(below).join(name);
        let input =
            Input { name: path.display().to_string(), source: Source::File(path), below: below.into() };
        Listed::Alone(Box::new(input))
    }

    fn places(out: Out, to: Option<&str>, inputs: &[Listed]) -> Vec<String> {
        let target = Target::new(out, to, inputs.len()).unwrap();
        let namings = target.namings(inputs, &Sources::new(std::iter::empty()));
        let shown = |(listed, naming): (&Listed, Result<Naming, String>)| match naming {
            Ok(naming) => target.place(&listed.input(), naming).name().replace('\\', "/"),
            Err(error) => error,
        };
        inputs.iter().zip(namings).map(shown).collect()
    }

    #[test]
    fn the_tree_of_the_inputs_is_kept() {
        let inputs = [input("", "a.bmd"), input("x/y", "a.bmd"), input("x/y", "a.bo3d"), input("", "B.bmd")];
        let folder = |flat| Out::Folder { path: "out".into(), flat };
        assert_eq!(
            places(folder(false), Some("glb"), &inputs),
            ["out/a.glb", "out/x/y/a.bmd.glb", "out/x/y/a.bo3d.glb", "out/B.glb"]
        );
        assert_eq!(
            places(folder(true), Some("glb"), &inputs[..2]),
            ["out/a.glb", "in/a.bmd already becomes out/a.glb; give them other names or folders"]
        );
        let template = |text: &str| Out::template(text, 2, false).unwrap();
        assert_eq!(
            places(template("{dir}/{stem}/{name}.{ext}"), Some("glb"), &inputs[..2]),
            ["a/a.bmd.glb", "x/y/a/a.bmd.glb"]
        );
        assert_eq!(places(template("all/{stem}.ply"), None, &inputs[3..]), ["all/B.ply"]);
        assert!(Out::template("{folder}/{stem}.glb", 2, false).is_err());
    }

    #[test]
    fn the_manifest_is_beside_the_folder() {
        let out = Out::Folder { path: "some/out/".into(), flat: false };
        assert_eq!(out.manifest(""), Some("some/out.manifest.jsonl".into()));
        assert_eq!(out.manifest("2-of-3."), Some("some/out.2-of-3.manifest.jsonl".into()));
        assert_eq!(Out::Stdout.manifest(""), None);
        let template = Out::template("some/out/{stem}.glb", 2, false).unwrap();
        assert_eq!(template.manifest(""), Some("some/out.manifest.jsonl".into()));
    }
}
