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

/// Labels of files: their names without the folders that all of them are in.
pub(crate) fn labels<'a>(files: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let folder = |file: &'a str| file.rfind(['/', '\\']).map_or("", |end| &file[..=end]);
    let common = files.clone().map(folder).reduce(|a, b| {
        let same = a.char_indices().zip(b.chars()).take_while(|((_, x), y)| x == y).last();
        let end = same.map_or(0, |((at, c), _)| at + c.len_utf8());
        folder(&a[..end])
    });
    let common = common.unwrap_or_default().len();
    files.map(|file| file[common..].to_owned()).collect()
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
    fn labels_have_only_the_folders_that_differ() {
        let labelled = |files: &[&'static str]| labels(files.iter().copied());
        assert_eq!(labelled(&["in/a.bmd", "in/x/b.bmd", "in/xy/b.bmd"]), ["a.bmd", "x/b.bmd", "xy/b.bmd"]);
        assert_eq!(labelled(&["in/xa/b.bmd", "in/xb/b.bmd"]), ["xa/b.bmd", "xb/b.bmd"]);
        assert_eq!(labelled(&["in/a.bmd"]), ["a.bmd"]);
        assert_eq!(labelled(&["a.bmd", "in/a.bmd"]), ["a.bmd", "in/a.bmd"]);
        assert!(labelled(&[]).is_empty());
    }

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
