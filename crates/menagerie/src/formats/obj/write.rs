//! The text back as it was, with its byte map.

use super::model::Model;
use super::{origins, read};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Issue, Issues};
use crate::formats::{FileModel, Format, Lifted, Output, ReadOptions, Summary, text_lines};

impl Model {
    fn beside(&self) -> Vec<(String, Vec<u8>)> {
        let plain = |name: &&super::Library| !name.name.contains(['/', '\\']) && name.name != "..";
        let beside = self.libraries.iter().filter(plain);
        beside.map(|library| (library.name.clone(), library.text.to_vec())).collect()
    }
}

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &super::FORMAT
    }

    fn summary(&self) -> Summary {
        self.summary()
    }

    /// Everything was found in reading the file.
    fn check(&self, _: &Limits, _: &mut Issues) {}

    fn layout(&self) -> ByteMap {
        text_lines(&self.text)
    }

    /// The text, with the libraries that were found; those in other folders stay where they are.
    fn write(&self) -> Result<Output, Issue> {
        Ok(Output { bytes: self.text.to_vec(), beside: self.beside() })
    }

    fn into_output(self: Box<Self>) -> Result<Output, Issue> {
        let beside = self.beside();
        Ok(Output { bytes: self.text.into_vec(), beside })
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        crate::formats::of_lifting(&self.summary(), &options.limits)?;
        let mut issues = Issues::default();
        let scene = read::scene(self.gathered().clone(), &self.entries, &mut issues);
        let provenance = options.provenance.then(|| origins::find(&self.text, &scene)).flatten();
        Ok(Lifted { scene, issues, provenance })
    }
}
