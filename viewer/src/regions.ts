/** The colours of the regions of a file: the same in tree, bytes and strip. */

/** Hues that stay apart, also for eyes that see fewer colours, with different lightness. */
const HUES = [212, 28, 158, 328, 48, 268, 190, 8, 96, 292, 130, 60];

const known = new Map<string, number>();

/** Fields share the colour of what they are in, so that a list looks like one thing. */
function family(region: string): string {
  const parts = region.split(".");
  return parts.length > 1 ? parts.slice(0, Math.min(parts.length - 1, 3)).join(".") || parts[0] : region;
}

/** Lists of records are families of their own. */
export function hue(region: string): number {
  const key = /(vert|tri|face|ind|key|colour|bone|frame|line|data|body|view)/i.test(region.split(".").pop() ?? "") ? region : family(region);
  let place = known.get(key);
  if (place === undefined) {
    place = known.size;
    known.set(key, place);
  }
  return HUES[place % HUES.length];
}

export function color(region: string, alpha = 1): string {
  const dark = document.documentElement.dataset.theme !== "light";
  return `hsl(${hue(region)} ${dark ? "62% 66%" : "68% 38%"} / ${alpha})`;
}
