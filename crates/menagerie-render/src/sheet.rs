//! Several pictures on one, each with a label.

use menagerie::diag::Issue;

use crate::{Picture, font};

/// Pixels between pictures.
const GAP: u32 = 4;

/// A picture and what is written below it.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The picture.
    pub picture: Picture,
    /// A line of text; what is too long is cut off in the middle.
    pub label: String,
}

/// Puts pictures on a sheet, row by row. `columns` is how many are in a row; 0 for about as many as there are rows.
///
/// Fails when the sheet would be larger than a picture may be.
pub fn contact_sheet(cells: &[Cell], columns: usize, background: [u8; 4]) -> Result<Picture, Issue> {
    let width = cells.iter().map(|cell| cell.picture.width()).max().unwrap_or(1);
    let height = cells.iter().map(|cell| cell.picture.height()).max().unwrap_or(1);
    let columns = match columns {
        0 => (1..).find(|n| n * n >= cells.len()).unwrap_or(1),
        columns => columns,
    }
    .clamp(1, cells.len().max(1));
    let rows = cells.len().div_ceil(columns).max(1);
    let scale = if width >= 400 { 2 } else { 1 };
    let label = (font::HEIGHT + 4) * scale;
    let along = |count: usize, each: u32| {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        count.saturating_mul(each.saturating_add(GAP)).saturating_add(GAP)
    };
    let mut sheet = Picture::new(along(columns, width), along(rows, height + label), background)?;
    let ink = ink_on(background);
    for (i, cell) in cells.iter().enumerate() {
        let (left, top) = (along(i % columns, width), along(i / columns, height + label));
        sheet.place(&cell.picture, left, top);
        let most = (width / (font::ADVANCE * scale)) as usize;
        let text = shortened(&cell.label, most);
        font::write(&mut sheet, &text, left + 2 * scale, top + height + 2 * scale, scale, ink);
    }
    Ok(sheet)
}

/// A text of at most so many letters: the beginning and the end are kept.
fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let end = most.saturating_sub(2) / 2;
    let start = most.saturating_sub(2) - end;
    let kept = letters.iter().take(start).chain(&['.', '.']).chain(letters.iter().skip(letters.len() - end));
    kept.take(most).collect()
}

/// Dark letters on light ground, light ones on dark; a grey that both show where the ground is transparent.
fn ink_on([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let light = u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b);
    match a {
        0..128 => [128, 128, 128, 255],
        _ if light > 1270 => [24, 26, 30, 255],
        _ => [228, 230, 234, 255],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_have_rows_and_columns_and_an_end() {
        let cell = |label: &str| Cell {
            picture: Picture::new(60, 40, [1, 2, 3, 255]).unwrap(),
            label: label.to_owned(),
        };
        let cells: Vec<Cell> = ["one", "two", "three", "four", "five"].map(cell).to_vec();
        let sheet = contact_sheet(&cells, 0, [255; 4]).unwrap();
        assert_eq!((sheet.width(), sheet.height()), (3 * 64 + 4, 2 * 55 + 4));
        assert_eq!(sheet.get(4, 4), Some([1, 2, 3, 255]));
        assert_eq!(contact_sheet(&cells, 1, [255; 4]).unwrap().width(), 68);
        assert!(contact_sheet(&vec![cells[0].clone(); 200], 200, [255; 4]).is_err());
        assert_eq!(contact_sheet(&[], 0, [255; 4]).unwrap().width(), 9);
        assert_eq!(shortened("a long name.glb", 9), "a lo..glb");
    }
}
