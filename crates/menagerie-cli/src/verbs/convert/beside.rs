//! Files that belong to a result and go beside it: pictures, the buffer of a `.gltf`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use menagerie::diag::{Aspect, LossReport};

use super::target::Sources;
use crate::output::{Writing, folder_of};

/// The files that will be written beside a result.
pub(in crate::verbs) struct Beside {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Beside {
    /// Decides which files are written. Their names come from a model and are not to be trusted: only their last part
    /// counts, so nothing leaves the folder. A file that is there already with other content is left as it is, unless
    /// its name begins with that of the result: then it is an older part of the same result. Inputs are never
    /// overwritten.
    pub(in crate::verbs) fn plan(
        files: Vec<(String, Vec<u8>)>,
        target: &Path,
        sources: &Sources,
        losses: &mut LossReport,
    ) -> Result<Self, String> {
        let folder = folder_of(target);
        let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut plan = Self { files: Vec::new() };
        for (name, bytes) in files {
            let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
            if matches!(name, "" | "." | "..") || name.contains('\0') {
                left_out(losses, name, "its name is not that of a file");
                continue;
            }
            let path = folder.join(name);
            if fs::read(&path).is_ok_and(|there| there == bytes) {
                continue;
            }
            let own = is_part_of(name, &stem);
            let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            if sources.has(&real) || path == target {
                return Err(format!(
                    "{} would be overwritten by a file that belongs to the result",
                    path.display()
                ));
            }
            if path.symlink_metadata().is_ok() && !own {
                left_out(losses, name, "another file of that name is already there and was left as it is");
                continue;
            }
            plan.files.push((path, bytes));
        }
        Ok(plan)
    }

    pub(super) fn prepare(&self, writing: &mut Writing) -> Result<()> {
        self.files.iter().try_for_each(|(path, bytes)| writing.prepare(path, bytes))
    }

    pub(super) fn names(self) -> Vec<String> {
        self.files.into_iter().map(|(path, _)| path.display().to_string()).collect()
    }
}

/// Whether a file beside `stem.gltf` is one that menagerie names after it, such as `stem.bin`. Pictures are never
/// replaced: whoever put them there may have changed them since.
fn is_part_of(name: &str, stem: &str) -> bool {
    let Some(rest) = name.strip_prefix(stem).filter(|_| !stem.is_empty()) else { return false };
    rest.starts_with('.') && menagerie::pictures::Kind::named(name).is_none()
}

fn left_out(losses: &mut LossReport, name: &str, reason: &str) {
    losses.approximated(Aspect::Textures, "", format!("{name} was not written beside the result: {reason}"));
}

/// A result on standard output has nothing beside it.
pub(super) fn refuse_all(files: Vec<(String, Vec<u8>)>, losses: &mut LossReport) {
    for (name, _) in files {
        left_out(losses, &name, "a result on standard output has no folder");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_trusted_and_nothing_foreign_is_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("out");
        fs::create_dir(&folder).unwrap();
        for (name, text) in [
            ("same.png", "new"),
            ("other.png", "old"),
            ("m.bin", "old"),
            ("input.bo3d", "old"),
            ("m_1.png", "old"),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
        let target = folder.join("m.gltf");
        let sources = Sources::new(std::iter::once(fs::canonicalize(folder.join("input.bo3d")).ok()));
        let plan = |name: &str| {
            let mut losses = LossReport::new();
            let files = vec![(name.to_owned(), b"new".to_vec())];
            let plan = Beside::plan(files, &target, &sources, &mut losses)?;
            Ok::<_, String>((plan.names(), losses.len()))
        };
        let in_folder = |name: &str| vec![folder.join(name).display().to_string()];
        for (name, names, losses) in [
            ("fresh.png", in_folder("fresh.png"), 0),
            ("../../evil.png", in_folder("evil.png"), 0),
            (r"C:\evil.png", in_folder("evil.png"), 0),
            ("m.bin", in_folder("m.bin"), 0),
            ("m_0.png", in_folder("m_0.png"), 0),
            ("m_1.png", vec![], 1),
            ("same.png", vec![], 0),
            ("other.png", vec![], 1),
            ("..", vec![], 1),
        ] {
            assert_eq!(plan(name), Ok((names, losses)), "{name}");
        }
        assert!(plan("input.bo3d").is_err());
        assert!(plan("m.gltf").is_err());
    }
}
