/** Models that the page brings with it, to try it at once. */

import { fromBase64, inflate } from "./engine";
import type { GivenFile } from "./types";

declare const SAMPLES: { name: string; title: string; files: { path: string; data: string }[] }[];

export const samples = SAMPLES;

export async function sampleFiles(index: number): Promise<GivenFile[]> {
  return Promise.all(SAMPLES[index].files.map(async ({ path, data }) => ({ path, bytes: new Uint8Array(await inflate(fromBase64(data))) })));
}

/** The files that `menagerie view` put into the page. */
export async function embeddedFiles(): Promise<GivenFile[]> {
  const blocks = [...document.querySelectorAll<HTMLScriptElement>("script[type='application/x-menagerie']")];
  return Promise.all(blocks.map(async (block) => ({ path: block.dataset.path ?? "model", bytes: new Uint8Array(await inflate(fromBase64(block.textContent?.trim() ?? ""))) })));
}
