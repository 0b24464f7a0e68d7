/** What is dropped or picked: models, and what belongs to them. */

import type { GivenFile } from "./types";

/** Reads files with their paths; `progress` is told how much of all is there. */
export async function readAll(files: { file: File; path: string }[], progress: (part: number) => void): Promise<GivenFile[]> {
  const all = files.reduce((sum, { file }) => sum + file.size, 0);
  let read = 0;
  const result: GivenFile[] = [];
  for (const { file, path } of files) {
    const bytes = new Uint8Array(file.size);
    let at = 0;
    const reader = file.stream().getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes.set(value, at);
      at += value.length;
      read += value.length;
      progress(all ? read / all : 1);
    }
    result.push({ path, bytes });
  }
  return result;
}

/** The files of a drop, those in folders with their paths. */
export async function dropped(data: DataTransfer): Promise<{ file: File; path: string }[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => !!entry);
  if (entries.length === 0) return [...data.files].map((file) => ({ file, path: file.name }));
  const found: { file: File; path: string }[] = [];
  const open = [...entries];
  while (open.length && found.length < 5000) {
    const entry = open.shift()!;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.push({ file, path: entry.fullPath.replace(/^\//, "") });
    } else {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
        if (some.length === 0) break;
        open.push(...some);
      }
    }
  }
  return found;
}

const PICTURES = /\.(png|jpe?g|tga|dds|bmp|gif|tiff?|psd|pcx|webp|ktx2)$/i;
const PARTS = /\.(bin|mtl|glbin|txt|md|ds_store|json|license)$/i;

/** Which files are models: by their extension, or, alone, whatever they are. */
export function models(files: GivenFile[], extensions: string[]): GivenFile[] {
  const known = files.filter(({ path }) => extensions.includes(path.split(".").pop()?.toLowerCase() ?? ""));
  if (known.length) return known;
  return files.filter(({ path }) => !PICTURES.test(path) && !PARTS.test(path)).slice(0, 20);
}
