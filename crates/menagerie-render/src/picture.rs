//! Pictures as bytes.

use menagerie::diag::Issue;

use crate::codes;

/// The most pixels along a side of a picture.
pub const MAX_SIDE: u32 = 8192;

/// A picture: sRGB bytes, red green blue alpha, row by row from the top left. Alpha is not multiplied in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// A picture of one colour; fails when it is larger than [`MAX_SIDE`] or has no pixel.
    pub fn new(width: u32, height: u32, color: [u8; 4]) -> Result<Self, Issue> {
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            let message =
                format!("{width} by {height} pixels are not between 1 and {MAX_SIDE} along each side");
            return Err(Issue::new(&codes::TOO_LARGE, "", message));
        }
        Ok(Self { width, height, pixels: vec![color; width as usize * height as usize] })
    }

    /// Pixels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All pixels.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// All pixels, to be changed.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// The pixel in a column of a row; `None` outside.
    pub fn get(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        (x < self.width).then(|| self.pixels.get(y as usize * self.width as usize + x as usize).copied())?
    }

    /// Whether every pixel hides what is behind it.
    pub fn is_opaque(&self) -> bool {
        self.pixels.iter().all(|pixel| pixel[3] == 255)
    }

    /// Copies another picture into this one with its top left corner at a place; what does not fit is cut off.
    pub fn place(&mut self, other: &Self, left: u32, top: u32) {
        let columns = other.width.min(self.width.saturating_sub(left)) as usize;
        let from = other.pixels.chunks(other.width as usize);
        let to = self.pixels.chunks_mut(self.width as usize).skip(top as usize);
        for (to, from) in to.zip(from) {
            if let (Some(to), Some(from)) =
                (to.get_mut(left as usize..left as usize + columns), from.get(..columns))
            {
                to.copy_from_slice(from);
            }
        }
    }
}
