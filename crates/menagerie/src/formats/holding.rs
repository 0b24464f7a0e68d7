//! Which formats hold an aspect of a model, in words, from their descriptors.

use super::{ALL, Format, Holds};
use crate::diag::{Aspect, Code};

/// What the documents say about a code. To that of a loss belongs which formats hold what was lost.
///
/// ```
/// # #[cfg(all(feature = "bmd", feature = "stl"))] {
/// use menagerie::diag::Aspect;
///
/// let text = menagerie::formats::document(Aspect::Skins.loss_code());
/// assert!(text.contains("BMD 4"), "{text}");
/// assert!(text.contains("No place: ") && text.contains("STL"), "{text}");
/// # }
/// ```
pub fn document(code: &Code) -> String {
    let aspect = Aspect::ALL.into_iter().find(|aspect| aspect.loss_code() == code);
    let mut text = code.document.to_owned();
    let Some(aspect) = aspect else { return text };
    for (words, holds) in [("Fully", Holds::Fully), ("In part", Holds::Partly), ("No place", Holds::No)] {
        let those = ALL.iter().filter(|format| format.capabilities.holds(aspect).0 == holds);
        let names: Vec<String> = those.map(|format| with_remark(format, aspect)).collect();
        if !names.is_empty() {
            text += &format!(" {words}: {}.", names.join(", "));
        }
    }
    if aspect == Aspect::Skins {
        text += &format!(" Joints of a vertex: {}.", joints().join(", "));
    }
    text
}

fn with_remark(format: &Format, aspect: Aspect) -> String {
    match format.capabilities.holds(aspect).1 {
        "" => format.name.to_owned(),
        remark => format!("{} ({remark})", format.name),
    }
}

/// How many joints a vertex can hang on, for each format that has skins.
fn joints() -> Vec<String> {
    let with_skins = ALL.iter().filter(|format| format.capabilities.weights_per_vertex > 0);
    let number = |format: &&Format| match format.capabilities.weights_per_vertex {
        usize::MAX => format!("{} any number", format.name),
        number => format!("{} {number}", format.name),
    };
    with_skins.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a format holds stands in its descriptor, and nowhere else.
    #[test]
    fn texts_of_losses_name_no_format() {
        for code in Aspect::ALL.map(Aspect::loss_code) {
            for text in [code.title, code.document, code.why, code.fix] {
                let named = ALL.iter().find(|format| text.contains(format.name));
                assert!(named.is_none(), "{}: {text}", code.id);
            }
        }
    }
}
