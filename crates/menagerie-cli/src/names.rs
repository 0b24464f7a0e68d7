//! Finding what a person may have meant.

/// The names that are nearest to `wanted`, best first, at most five.
pub(crate) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_ascii_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let part = name.split_once('/').map_or(name, |(_, part)| part);
            let distance = edits(&wanted, name).min(edits(&wanted, part));
            let close = distance <= wanted.chars().count().max(3) / 3;
            (close || name.contains(&wanted)).then_some((distance, name))
        })
        .collect();
    near.sort();
    near.into_iter().map(|(_, name)| name).take(5).collect()
}

/// ` (did you mean a, b?)`, or nothing when nothing is near.
pub(crate) fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(wanted, names);
    if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", near.join(", ")) }
}

/// The label of a picture: the file's name without its folder, and what tells it from others of the same file.
pub(crate) fn label(file: &str, which: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    if which.is_empty() { base.to_owned() } else { format!("{base} {which}") }
}

/// How many letters must be changed, added or removed to make `b` of `a`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        let names = ["bo3d/magic", "bo3d/bone-range", "file/truncated", "file/empty"];
        for (wanted, expected) in [
            ("bo3d/magik", &["bo3d/magic"][..]),
            ("truncatd", &["file/truncated"]),
            ("bone", &["bo3d/bone-range"]),
            ("xyzzy", &[]),
        ] {
            assert_eq!(nearest(wanted, names), expected, "{wanted}");
        }
    }
}
