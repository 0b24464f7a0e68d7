//! The tables of `docs/coverage`: what they name is there.

use std::collections::BTreeSet;

use super::{five, root, test_names, text};

/// The cells of the rows of all tables of a page, without heads and rules.
fn rows(page: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    let is_row =
        |line: &&str| line.starts_with('|') && !line.starts_with("|---") && !line.starts_with("| sentence");
    page.lines().filter(is_row).map(cells).collect()
}

/// What stands between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn the_coverage_tables_name_what_is_there() {
    let tests = test_names();
    let codes: BTreeSet<&str> = menagerie::codes().map(|code| code.id).collect();
    for format in five() {
        let page = text(&format!("docs/coverage/{}.md", format.id));
        let rows = rows(&page);
        assert!(rows.len() >= 25, "{}: only {} sentences", format.id, rows.len());
        for row in rows {
            let [sentence, place, test, code] = row.as_slice() else {
                panic!("{}: four cells are wanted: {row:?}", format.id)
            };
            // A hole has a reason in words; nothing is left empty.
            assert!(
                [sentence, place, test, code].iter().all(|cell| !cell.is_empty()),
                "{}: {row:?}",
                format.id
            );
            for file in quoted(place).filter(|word| word.contains(".rs") || word.contains(".md")) {
                let path = if file.contains('/') && root(file).is_file() {
                    root(file)
                } else {
                    root(&format!("crates/menagerie/src/formats/{}/{file}", format.id))
                };
                assert!(path.is_file(), "{}: there is no {file} ({sentence})", format.id);
            }
            for name in quoted(test) {
                let is_file = root(name).exists();
                assert!(
                    is_file || tests.contains(name),
                    "{}: there is no test {name} ({sentence})",
                    format.id
                );
            }
            for name in quoted(code) {
                assert!(codes.contains(name), "{}: there is no code {name} ({sentence})", format.id);
            }
        }
    }
}

/// Every code of a format that its document or its engine gave cause for is in the table or on the page.
#[test]
fn every_code_is_in_a_table_or_on_the_page() {
    for format in five() {
        let pages = text(&format!("docs/coverage/{}.md", format.id))
            + &text(&format!("docs/formats/{}.md", format.id));
        let missing: Vec<&str> = format
            .codes
            .iter()
            .map(|code| code.id)
            .filter(|id| id.starts_with(format.id) && !pages.contains(&format!("`{id}`")))
            .collect();
        assert!(missing.is_empty(), "{}: nowhere mentioned: {missing:?}", format.id);
    }
}
