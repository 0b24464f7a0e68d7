//! Pixels with more transparent layers than are drawn: which of them are the nearest.
//!
//! Layers are counted from front to back, and what is behind enough of them is not looked at: the time is that of the
//! layers that are drawn, however many there are.

use crate::raster::{BLOCKS, Blocks, PIXELS, Tile, block_of};

/// So many transparent triangles are laid over a pixel, the nearest ones.
pub(crate) const LAYERS: usize = 128;

/// What of a tile's transparent triangles is drawn. A layer is the place of a triangle in their list, which goes from
/// back to front.
pub(crate) struct Crowd {
    /// How many layers of each pixel were found.
    found: Vec<u8>,
    /// The farthest layer of each pixel that is drawn.
    farthest: Vec<u32>,
    /// The blocks of the tile in which each layer is drawn.
    drawn_in: Vec<Blocks>,
    /// How many pixels of each block may have more layers.
    open_pixels: [u32; BLOCKS],
    open: Blocks,
    /// How many pixels have more layers than are drawn.
    pub(crate) crowded: usize,
}

impl Crowd {
    /// For a tile with so many transparent triangles.
    pub(crate) fn new(layers: usize, tile: &Tile) -> Self {
        let mut open_pixels = [0; BLOCKS];
        for pixel in tile.pixels() {
            open_pixels[block_of(pixel)] += 1;
        }
        let open =
            (0..BLOCKS).filter(|block| open_pixels[*block] > 0).fold(0, |open, block| open | 1 << block);
        Self {
            found: vec![0; PIXELS],
            farthest: vec![0; PIXELS],
            drawn_in: vec![0; layers],
            open_pixels,
            open,
            crowded: 0,
        }
    }

    /// The blocks in which another layer may still be drawn.
    pub(crate) fn open(&self) -> Blocks {
        self.open
    }

    /// Counts a layer at a pixel. The nearer ones must have been counted before.
    pub(crate) fn count(&mut self, layer: usize, pixel: usize) {
        let found = &mut self.found[pixel];
        let block = block_of(pixel);
        match usize::from(*found) {
            LAYERS => {
                self.crowded += 1;
                self.open_pixels[block] -= 1;
                if self.open_pixels[block] == 0 {
                    self.open &= !(1 << block);
                }
            }
            more if more > LAYERS => return,
            _ => {
                self.farthest[pixel] = layer as u32;
                self.drawn_in[layer] |= 1 << block;
            }
        }
        *found += 1;
    }

    /// The blocks in which a layer is drawn.
    pub(crate) fn drawn_in(&self, layer: usize) -> Blocks {
        self.drawn_in.get(layer).copied().unwrap_or_default()
    }

    /// Whether a layer is drawn at a pixel that it covers.
    pub(crate) fn draws(&self, layer: usize, pixel: usize) -> bool {
        layer as u32 >= self.farthest[pixel]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::TILE;

    /// However many layers there are, only as many are looked at as are drawn, and one more that says that there are.
    #[test]
    fn the_nearest_layers_are_drawn_and_those_behind_are_not_looked_at() {
        let tile = Tile { left: 0, top: 0, width: TILE - 3, height: TILE };
        let layers = 10_000;
        let mut crowd = Crowd::new(layers, &tile);
        let mut looked_at = 0;
        for layer in (0..layers).rev() {
            if crowd.open() == 0 {
                break;
            }
            looked_at += 1;
            for pixel in tile.pixels() {
                crowd.count(layer, pixel);
            }
        }
        assert_eq!(looked_at, LAYERS + 1);
        assert_eq!(crowd.crowded, tile.pixels().count());
        for layer in 0..layers {
            let nearest = layer >= layers - LAYERS;
            assert_eq!(crowd.drawn_in(layer) != 0, nearest);
            assert_eq!(crowd.draws(layer, 0), nearest);
        }
    }
}
