//! Where results go, and in which format.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use menagerie::formats::{self, Files, Format, NotFound};

use crate::inputs::Input;
use crate::options::{self, has_extension};
use crate::output::folder_of;

/// What all inputs become.
pub(super) struct Target {
    pub(super) format: &'static Format,
    /// The extension of results in a folder.
    extension: String,
    pub(super) out: Out,
    places: Vec<Result<Place, String>>,
}

pub(super) enum Out {
    Stdout,
    File,
    Folder,
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
            Self::File(path) => Some(There(folder_of(path).to_owned())),
        }
    }

    /// The file's name without its extension.
    pub(super) fn stem(&self) -> String {
        match self {
            Self::Stdout => String::new(),
            Self::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

/// The folder that a result goes to, for seeing which names are taken there.
pub(super) struct There(PathBuf);

impl Files for There {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let plain = !name.contains(['/', '\\', '\0']) && !matches!(name, "" | "." | "..");
        let bytes = plain.then(|| fs::read(self.0.join(name)).ok()).flatten();
        bytes.map(Arc::from).ok_or_else(NotFound::default)
    }
}

impl Target {
    pub(super) fn new(out: &Path, to: Option<&str>, inputs: &[Input]) -> Result<Self> {
        let kind = kind_of(out, inputs.len());
        let named = to.map(|to| options::format(to).map_err(|error| anyhow!(error))).transpose()?;
        let by_name = || Format::by_extension(&out.to_string_lossy());
        let format = match (&kind, named) {
            (_, Some(format)) => format,
            (Out::File, None) => by_name().ok_or_else(|| unknown(out))?,
            (Out::Folder, None) => bail!("--to must say the format when the output is a folder"),
            (Out::Stdout, None) => bail!("--to must say the format when the output is standard output"),
        };
        // `--to glb` and `--to gltf` are the same format in two containers.
        let wanted = to.filter(|to| has_extension(format, to)).map(str::to_ascii_lowercase);
        let first = || format.extensions.first().copied().unwrap_or_default().to_owned();
        let mut target =
            Self { format, extension: wanted.unwrap_or_else(first), out: kind, places: Vec::new() };
        if matches!(target.out, Out::Folder) {
            fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
        } else if inputs.len() > 1 {
            bail!("several inputs need a folder as output, and {} is not one", out.display());
        }
        target.places = target.places_in(out, inputs);
        Ok(target)
    }

    /// Where each input's result goes, in their order.
    pub(super) fn places(&self) -> Vec<Result<Place, String>> {
        self.places.clone()
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

    fn places_in(&self, out: &Path, inputs: &[Input]) -> Vec<Result<Place, String>> {
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        let place = |input| match self.out {
            Out::Stdout => Ok(Place::Stdout),
            Out::File => Ok(Place::File(out.to_owned())),
            Out::Folder => {
                let name = self.name_in_folder(input);
                // Some file systems take names that differ only in capital letters for the same.
                if let Some(other) = taken.insert(name.to_lowercase(), &input.name) {
                    taken.insert(name.to_lowercase(), other);
                    return Err(format!("{other} already becomes {name}; give them other names or folders"));
                }
                Ok(Place::File(out.join(name)))
            }
        };
        let places: Vec<Result<Place, String>> = inputs.iter().map(place).collect();
        let sources: Vec<Option<PathBuf>> = inputs.iter().map(real_path).collect();
        let checked = places.into_iter().enumerate().map(|(i, place)| not_another_input(place?, i, &sources));
        checked.collect()
    }

    fn name_in_folder(&self, input: &Input) -> String {
        let stem = input.path().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        format!("{}.{}", stem.unwrap_or_else(|| "model".to_owned()), self.extension)
    }
}

/// A result may take the place of its own source, not that of another input, which may not have been read yet.
fn not_another_input(place: Place, own: usize, sources: &[Option<PathBuf>]) -> Result<Place, String> {
    if let Place::File(path) = &place
        && let Ok(real) = fs::canonicalize(path)
        && sources.iter().enumerate().any(|(i, source)| i != own && source.as_ref() == Some(&real))
    {
        return Err(format!("its result would overwrite {}, which is another input", path.display()));
    }
    Ok(place)
}

/// Where an input really is, whatever links lead to it.
pub(super) fn real_path(input: &Input) -> Option<PathBuf> {
    fs::canonicalize(input.path()?).ok()
}

fn kind_of(out: &Path, inputs: usize) -> Out {
    let text = out.to_string_lossy();
    let looks_like_folder = text.ends_with(['/', std::path::MAIN_SEPARATOR]);
    let nameless = inputs > 1 && Format::by_extension(&text).is_none() && !out.exists();
    if text == "-" {
        Out::Stdout
    } else if out.is_dir() || looks_like_folder || nameless {
        Out::Folder
    } else {
        Out::File
    }
}

fn unknown(out: &Path) -> anyhow::Error {
    let known: Vec<String> =
        formats::ALL.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}")).collect();
    anyhow!(
        "the extension of {} belongs to no format; use one of {} or say the format with --to",
        out.display(),
        known.join(", ")
    )
}
