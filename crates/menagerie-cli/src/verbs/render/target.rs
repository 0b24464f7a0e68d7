//! Where pictures go.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::args::RenderArgs;
use crate::inputs::Input;
use crate::output;

/// Where one picture goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Stdout,
    File(PathBuf),
}

impl Place {
    /// The place of the `number`th of `count` pictures: `robot-07.png`.
    pub(super) fn numbered(&self, number: usize, count: usize) -> Self {
        let Self::File(path) = self else { return Self::Stdout };
        let digits = count.to_string().len().max(2);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::File(path.with_file_name(format!("{stem}-{number:0digits$}.png")))
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdout => "-".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// What `--output` means.
#[derive(Debug)]
pub(super) enum Target {
    Stdout,
    File(PathBuf),
    Folder(PathBuf),
}

impl Target {
    pub(super) fn new(output: &Path, inputs: &[Input], args: &RenderArgs) -> Result<Self> {
        let many_files = inputs.len() > 1 && !args.is_sheet();
        let numbered = (args.turntable.is_some() || args.frames.is_some()) && !args.apng && !args.is_sheet();
        if output.as_os_str() == "-" {
            if many_files || numbered {
                bail!("several pictures cannot go to standard output; --contact-sheet makes one of them");
            }
            return Ok(Self::Stdout);
        }
        let extension = output.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let nameless = many_files && extension.is_none() && !output.exists();
        let looks_like_folder = output.as_os_str().to_string_lossy().ends_with(['/', '\\']);
        if output.is_dir() || looks_like_folder || nameless {
            return Ok(Self::Folder(output.to_owned()));
        }
        if many_files {
            bail!(
                "several files need a folder to draw to ({}/), or --contact-sheet for one picture of all",
                output.display()
            );
        }
        // A device or a pipe has no name that says something.
        let is_device = output.metadata().is_ok_and(|there| !there.is_file());
        if let Some(extension) = extension.filter(|e| !matches!(e.as_str(), "png" | "apng") && !is_device) {
            bail!(
                "pictures are PNG files, with --apng animated ones; {} is none: .{extension}",
                output.display()
            );
        }
        Ok(Self::File(output.to_owned()))
    }

    pub(super) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// The place of a sheet.
    pub(super) fn sheet(&self) -> Place {
        match self {
            Self::Stdout => Place::Stdout,
            Self::File(path) => Place::File(path.clone()),
            Self::Folder(folder) => Place::File(folder.join("sheet.png")),
        }
    }

    /// The place of each input's picture. In a folder it has the name of the model, with the model's extension where
    /// two models would have the same.
    pub(super) fn places(&self, inputs: &[Input]) -> Vec<Place> {
        let Self::Folder(folder) = self else { return vec![self.sheet(); inputs.len()] };
        let stems: Vec<String> = inputs.iter().map(stem).collect();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for stem in &stems {
            *uses.entry(stem).or_default() += 1;
        }
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        let places = inputs.iter().zip(&stems).map(|(input, stem)| {
            let alone = uses.get(stem.as_str()) == Some(&1);
            let mut name = if alone { stem.clone() } else { file_name(input) };
            let times = taken.entry(name.clone()).or_default();
            *times += 1;
            if *times > 1 {
                name = format!("{name}-{times}");
            }
            Place::File(folder.join(format!("{name}.png")))
        });
        places.collect()
    }
}

fn file_name(input: &Input) -> String {
    let name = Path::new(&input.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    if name.is_empty() || name == "-" { "model".to_owned() } else { name }
}

fn stem(input: &Input) -> String {
    let name = file_name(input);
    Path::new(&name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
}

/// Makes the folder that a file goes to.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    let folder = output::folder_of(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Source;

    #[test]
    fn names_in_a_folder_do_not_meet() {
        let input = |name: &str| Input {
            name: name.to_owned(),
            source: Source::File(name.into()),
            below: PathBuf::new(),
        };
        let inputs = ["a/crate.bo3d", "crate.bgl", "lamp.bgl", "b/crate.bo3d", "-"].map(input);
        let places: Vec<String> =
            Target::Folder("out".into()).places(&inputs).iter().map(Place::name).collect();
        let expected = ["crate.bo3d", "crate.bgl", "lamp", "crate.bo3d-2", "model"];
        assert_eq!(
            places,
            expected.map(|name| Path::new("out").join(format!("{name}.png")).display().to_string())
        );
        let place = Place::File("out/robot.png".into());
        assert_eq!(place.numbered(7, 12), Place::File("out/robot-07.png".into()));
    }
}
