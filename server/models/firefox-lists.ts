/** Finds the files of Firefox's models by their hashes, in the lists that Mozilla publishes: their addresses change. */
import * as zlib from 'node:zlib';
import type { Transform } from 'node:stream';

/** How the files of a list are packed. */
export type Packing = 'zstd' | 'gzip';

/** A list of files. */
export interface FileList {
  url: string;
  packing: Packing;
  /**
   * The addresses of files by name; null if the list has none of that hash.
   * @param sums the SHA-256 of each file, unpacked
   */
  find(list: unknown, sums: Readonly<Record<string, string>>): Record<string, string> | null;
}

/** The largest list, in bytes. */
export const MAX_LIST_BYTES = 32 * 2 ** 20;

const ATTACHMENTS = 'https://firefox-settings-attachments.cdn.mozilla.net/';
const BUCKET =
  'https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data';
/** The objects of a list that are looked through. */
const MAX_OBJECTS = 500_000;

type Fields = Readonly<Record<string, unknown>>;

/** All objects in a list, at any depth. */
function* objectsIn(list: unknown): Generator<Fields> {
  const open: unknown[] = [list];
  for (let seen = 0; open.length > 0 && seen < MAX_OBJECTS; seen += 1) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) yield value as Fields;
    for (const inside of Object.values(value)) {
      if (typeof inside === 'object') open.push(inside);
    }
  }
}

const textOf = (value: unknown, key: string): string => {
  const text = (value as Fields | undefined)?.[key];
  return typeof text === 'string' ? text : '';
};

/** The addresses if there is one for each file; null otherwise. */
const complete = (
  sums: Readonly<Record<string, string>>,
  addressOf: (name: string, sum: string) => string | undefined,
): Record<string, string> | null => {
  const found = Object.entries(sums).map(([name, sum]) => [name, addressOf(name, sum)] as const);
  return found.every(([, address]) => address !== undefined)
    ? (Object.fromEntries(found) as Record<string, string>)
    : null;
};

/** What Firefox itself reads: a record for each file, with its hash and its place, packed with zstd. */
const settings: FileList = {
  url: 'https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records',
  packing: 'zstd',
  find(list, sums) {
    const places = new Map<string, string>();
    for (const each of objectsIn(list)) {
      const place = textOf(each['attachment'], 'location');
      if (place !== '') places.set(textOf(each, 'decompressedHash'), place);
    }
    return complete(sums, (_name, sum) => {
      const place = places.get(sum);
      return place === undefined ? undefined : new URL(place, ATTACHMENTS).href;
    });
  },
};

/** The bucket of those who train the models: a list of models, each with its files, packed with gzip. */
const bucket: FileList = {
  url: `${BUCKET}/db/models.json`,
  packing: 'gzip',
  find(list, sums) {
    const wanted = new Set(Object.values(sums));
    for (const files of objectsIn(list)) {
      const all = Object.values(files);
      if (!all.some((file) => wanted.has(textOf(file, 'uncompressedHash')))) continue;
      const paths = all.map((file) => textOf(file, 'path')).filter((path) => path !== '');
      const found = complete(sums, (name) => {
        const path = paths.find((one) => one.endsWith(`/${name}.gz`));
        return path === undefined ? undefined : new URL(path, `${BUCKET}/`).href;
      });
      if (found) return found;
    }
    return null;
  },
};

/** The lists, in the order in which they are tried; Node unpacks zstd from version 22 on. */
export const FIREFOX_LISTS: readonly FileList[] = [
  ...('createZstdDecompress' in zlib ? [settings] : []),
  bucket,
];

/**
 * Creates what unpacks a file.
 * @example
 * unpacker('gzip').constructor.name; // => 'Gunzip'
 */
export const unpacker = (packing: Packing): Transform =>
  packing === 'gzip' ? zlib.createGunzip() : zlib.createZstdDecompress();
