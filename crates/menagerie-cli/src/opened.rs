//! An input that was read.

use menagerie::bytes::SharedBytes;
use menagerie::diag::{Issue, Issues};
use menagerie::formats::{FileModel, Format, ReadOptions};

use crate::inputs::Input;
use crate::options::Finding;
use menagerie::open::Folders;

/// An input with its bytes and what they are.
pub(crate) struct Opened {
    pub(crate) bytes: SharedBytes,
    /// `None` when no format is recognised.
    pub(crate) format: Option<&'static Format>,
    /// `None` when the file cannot be read.
    pub(crate) model: Option<Box<dyn FileModel>>,
    pub(crate) issues: Issues,
}

/// The folders in which the files that belong to an input are looked up.
pub(crate) fn folders(input: &Input, finding: &Finding) -> Folders {
    Folders::new(input.folder(), &finding.texture_dirs, &finding.textures).sharing(&finding.listings)
}

/// How an input is read: with the files beside it, and with the options of its format.
pub(crate) fn read_options<'a>(folders: &'a Folders, finding: &Finding) -> ReadOptions<'a> {
    let mut options = ReadOptions::default();
    options.files = folders;
    options.limits = finding.cost.limits();
    options.settings = finding.settings.0.clone();
    options
}

/// Reads an input; fails with a sentence where its bytes cannot be had at all.
pub(crate) fn open(input: &Input, finding: &Finding, options: &ReadOptions<'_>) -> Result<Opened, String> {
    let bytes = input.load()?;
    let (format, warning) = match detect(&bytes, input, finding) {
        Ok(found) => found,
        Err(issue) => {
            let mut issues = Issues::default();
            issues.push(issue);
            return Ok(Opened { bytes, format: None, model: None, issues });
        }
    };
    let mut reading = format.open_shared(&bytes, options);
    reading.issues.extend(warning);
    Ok(Opened { bytes, format: Some(format), model: reading.model, issues: reading.issues })
}

fn detect(bytes: &[u8], input: &Input, finding: &Finding) -> Result<(&'static Format, Option<Issue>), Issue> {
    match finding.from {
        Some(format) => Ok((format, None)),
        None => Format::detect(bytes, input.hint()),
    }
}
