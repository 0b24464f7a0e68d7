//! File model to bytes, with the byte map.

use super::model::{Ascii, Binary, FACET, Model};
use super::{check, lift};
use crate::bytes::{ByteMap, Limits, Writer};
use crate::diag::{Issue, Issues};
use crate::formats::{FileModel, Format, Lifted, Output, ReadOptions, Summary, text_lines};

impl Binary {
    fn write_to(&self, w: &mut Writer) {
        w.text("header", &self.header);
        w.u32(
            "count",
            self.stated_count.unwrap_or_else(|| u32::try_from(self.facets.len()).unwrap_or(u32::MAX)),
        );
        w.table("facets", &FACET, &self.facets);
        w.unused("trailing", &self.trailing);
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer =
            Writer::with_capacity(super::FACETS + self.facets.len() * super::FACET + self.trailing.len());
        self.write_to(&mut writer);
        writer.finish().0
    }
}

impl Ascii {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.text.clone()
    }
}

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &super::FORMAT
    }

    fn summary(&self) -> Summary {
        self.summary()
    }

    fn check(&self, _: &Limits, issues: &mut Issues) {
        check::check(self, issues);
    }

    fn layout(&self) -> ByteMap {
        match self {
            Self::Ascii(ascii) => text_lines(&ascii.text),
            Self::Binary(binary) => Writer::map_of(|w| binary.write_to(w)),
        }
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(match self {
            Self::Binary(binary) => binary.to_bytes(),
            Self::Ascii(ascii) => ascii.to_bytes(),
        }
        .into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        crate::formats::of_lifting(&self.summary(), &options.limits)?;
        Ok(lift::lift(self, options))
    }
}
