//! Samplers in a note, in the words of OpenGL.

use serde_json::{Value, json};

use crate::scene::{Filter, Sampler, Wrap};

const FILTERS: [(Filter, &str); 6] = [
    (Filter::Nearest, "nearest"),
    (Filter::Linear, "linear"),
    (Filter::NearestMipmapNearest, "nearest mipmap nearest"),
    (Filter::LinearMipmapNearest, "linear mipmap nearest"),
    (Filter::NearestMipmapLinear, "nearest mipmap linear"),
    (Filter::LinearMipmapLinear, "linear mipmap linear"),
];

const WRAPS: [(Wrap, &str); 3] = [(Wrap::Repeat, "repeat"), (Wrap::Mirror, "mirror"), (Wrap::Clamp, "clamp")];

/// The sampler as JSON.
pub(super) fn to_json(sampler: &Sampler) -> Value {
    let filter = |filter: Option<Filter>| {
        FILTERS.iter().find(|(known, _)| Some(*known) == filter).map(|(_, word)| *word)
    };
    let wrap = |wrap: Wrap| WRAPS.iter().find(|(known, _)| *known == wrap).map(|(_, word)| *word);
    json!({
        "name": sampler.name,
        "magnify": filter(sampler.magnify),
        "minify": filter(sampler.minify),
        "wrap_u": wrap(sampler.wrap_u),
        "wrap_v": wrap(sampler.wrap_v),
    })
}

/// The sampler that [`to_json`] made this of.
pub(super) fn from_json(value: &Value) -> Sampler {
    let word = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let filter = |field| FILTERS.iter().find(|(_, known)| *known == word(field)).map(|(filter, _)| *filter);
    let wrap = |field| {
        WRAPS.iter().find(|(_, known)| *known == word(field)).map(|(wrap, _)| *wrap).unwrap_or_default()
    };
    Sampler {
        name: word("name").to_owned(),
        magnify: filter("magnify"),
        minify: filter("minify"),
        wrap_u: wrap("wrap_u"),
        wrap_v: wrap("wrap_v"),
        ..Sampler::default()
    }
}
