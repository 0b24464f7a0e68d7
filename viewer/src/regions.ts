/** The colours of the regions of a file: the same in tree, bytes and strip. */

/** Hues that stay apart, also for eyes that see fewer colours, with different lightness. */
const HUES = [212, 28, 158, 328, 48, 268, 190, 8, 96, 292, 130, 60];

const known = new Map<string, number>();

/** Regions get their hues as they are met. */
export function hue(region: string): number {
  let place = known.get(region);
  if (place === undefined) {
    place = known.size;
    known.set(region, place);
  }
  return HUES[place % HUES.length];
}

export function color(region: string, alpha = 1): string {
  const dark = document.documentElement.dataset.theme !== "light";
  return `hsl(${hue(region)} ${dark ? "62% 66%" : "68% 38%"} / ${alpha})`;
}
