/** Unpacking a model's archive: names that point outside, the exact limit, abort, and errors of the disk. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveError, unpackModel } from '../../server/models/archive.ts';

setDefaultTimeout(300_000);

const home = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(home, { recursive: true }));

const WANTED = ['model.onnx', 'tokens.txt'];
/** The size of each archive once it is decompressed. */
const TAR_BYTES = 10_240;

/** Archives of two files of three bytes each, made with Python's tarfile; they differ only in the name of the first. */
const ARCHIVES = {
  'm/model.onnx':
    'QlpoOTFBWSZTWXeBipYAAI97gMmAAAhAAf2ABAB+D55ACBggAHIakPRNGmg0DRoejUCqKmnqMgG1DIaGg/fM9pYwkE0iIQve1VxVuXNaEJExln6XqEUSQxaEOqwqw3uLHhatk+ujwyE/TrPxDIqcungCQUkL2IGNgFKA/F3JFOFCQd4GKlg=',
  '../model.onnx':
    'QlpoOTFBWSZTWfEGVeQAAGP7gMmAAAhAAf8ADAB+D55ACBggAHQSlGjQAAZDQ0yCSUAaAAAAPvO5gfMmABoUkIst6LhwXFA4kEIYBlfi58vmhQCUEgIMaoQYTBuNxMzReVIkBh0OPvHyvi9SoMrbYTRIdFa4i6chED8XckU4UJDxBlXk',
  '/m/model.onnx':
    'QlpoOTFBWSZTWXMswGIAAGT7gMmAAAhAAf8ADAB+D55ACBggAHIakaZDTJoAyMjGgVSU9Rppo0ZpDIaGg/fNN5NjIEtkRCF9PbBYYLVitCEhKM9LvSioipIhllNDFrOjLkvUndWj66vDNP6VsvysOenap5C4hSAUkgnDUGMBUXckU4UJBzLMBiA=',
  'm/../../model.onnx':
    'QlpoOTFBWSZTWREQqLUAAJJ/gMmAAAhAAf0AAAEEAH4PnkAIGCAAchKkPU0BoABoabUCqSnqaepoaPSDagGg/fM9pNlIEroiEK4+2hecW5eohCQlFVXjP1NLkoRRIha00MmmK9FmKat1EfWR0PPvISw9XlEjvZxaIpF5W1RtOQxgfi7kinChICIhUWo=',
  'C:\\m\\model.onnx':
    'QlpoOTFBWSZTWd6fR/cAAIb/gMmAAAhAAf0QCAAkBH4PnkAIGCAAdBKUynpGE9IwGiYT9TIJKQDQAAAAPvO5AdMmAAx9JCKauhwaFZKNIRCGAMW68/RwI4mBCEGiGL5nJcZMsHD2+SGLCD2ETI2NzrlWLJRrY10rUeJHWxGeRP6tEQOxdyRThQkN6fR/cA==',
  './m/./model.onnx':
    'QlpoOTFBWSZTWVE4m64AAGP7gMmAAAhAAe+ASAB/D55ACBggAHQSinpT1MjTR6BpqGmnqeUElINAA0AAA+87mB8xYAGjUkIgs6HEoOKBpEIQwBiwhvPgzHZlpFRC4UEJSYQ2HGGxZAkWcnjlCkj3u37gnNlyqrNSPWN46pTydH1H2wEQP4u5IpwoSCicTdcA',
  'a/m/model.onnx':
    'QlpoOTFBWSZTWV8YO3MAAIl7gMmAAAhAAf0AFAB/D55ACBggAHQSkp+lPUyaaaYR6eo1NPTKCSkAaNA0AAD7zugITFgAaSJIRcdDxoPHDSUQhgDFKbcGZAEgOBBmUQ1Hl7vYyi4nXDsJGkTCS88E5q79VyrSN3PgfUpud4VIWZCIH8XckU4UJBfGDtzA',
};

/** The same with a first file of a million zeros, more than is written to the disk at once. */
const LARGE =
  'QlpoOTFBWSZTWc7vEnUAHwFfgOmAQAH9AACABABmD55ACAggAJKGlHkQGQNBo2SCJSR6gND1DE000Px915NwsgKCKzYqAor26fDgWIVteUd6gKKxYYZ66HcrIDUwoCUyIhcmM4mYkbnDUogyKvAb5bVnSiI0sF8CVDTGL6h99kVEV/i7kinChIZ3eJOo';

/** The first archive in two blocks of half its size. */
const BLOCKS =
  'QlpoMTFBWSZTWRe1ZnYAAGdbgMmAQAH9gAQAfg+eQAgYIAByGoT0QyADAjTagVRU09RkBkYhppkP2unAqYSRNIiIWvi5YXOSxvRCRMZaZrVCKJIYtiF6o7MObqx6Vq5Pq96ZNc9FVedSK0HfZAjFqBrDDMOAgD8XckU4UJAXtWZ2QlpoMTFBWSZTWVZzPNYAAApgAMAAQAAACCAAIKU0GYxNiTxdyRThQkFZzPNY';

/** The same with the first file twice: "one", and after the second file "three". */
const TWICE =
  'QlpoOTFBWSZTWVb/JPcAAKt7gMmAAgBAAf+ABABmT57ACBggAJKGVDTEABkBpo2oIpTU9R6geoPSGQZA/fM42jJ9YXAsaUFLTjJs7BtfFXU0USAYDyZ5NmahN7XCuLJXBkPQnV4ssa0aQF5cIudARWukcoIBRVUJPDUiPjJiGUCy6ZqGtoi9EP4u5IpwoSCt/knu';

let count = 0;
/** Unpacks into a separate folder. */
async function unpacked(
  name: keyof typeof ARCHIVES,
  {
    most = TAR_BYTES,
    signal,
    folder,
  }: { most?: number; signal?: AbortSignal; folder?: string } = {},
) {
  count += 1;
  const archive = join(home, `${count}.tar.bz2`);
  await writeFile(archive, Buffer.from(ARCHIVES[name], 'base64'));
  const into = join(home, folder ?? `${count}`);
  if (folder === undefined) await mkdir(into);
  const sums = unpackModel(archive, into, WANTED, most, signal);
  return {
    into,
    failure: await sums.then(
      () => null,
      (error: unknown) => error,
    ),
  };
}

test.each(Object.keys(ARCHIVES).slice(1, -2) as (keyof typeof ARCHIVES)[])(
  'an archive containing the name %s is refused, and nothing of it is stored',
  async (name) => {
    const { into, failure } = await unpacked(name);
    expect(failure).toBeInstanceOf(ArchiveError);
    expect(String(failure)).toContain('points outside it');
    expect(await readdir(into)).toEqual([]);
  },
);

test('names may contain empty parts and dots, but files must be in the only folder', async () => {
  const { into, failure } = await unpacked('./m/./model.onnx');
  expect(failure).toBeNull();
  expect((await readdir(into)).sort()).toEqual(WANTED);
  const deeper = await unpacked('a/m/model.onnx');
  expect(String(deeper.failure)).toContain('the archive has no model.onnx');
  expect(await readdir(deeper.into)).toEqual(['tokens.txt']);
});

test('a file that is larger than what is written at once is unpacked whole', async () => {
  const archive = join(home, 'large.tar.bz2');
  await writeFile(archive, Buffer.from(LARGE, 'base64'));
  const into = join(home, 'large');
  await mkdir(into);
  const sums = await unpackModel(archive, into, WANTED, 2_000_000);
  expect(await readFile(join(into, 'model.onnx'))).toEqual(Buffer.alloc(1_000_000));
  expect([...sums.keys()]).toEqual(WANTED);
});

test('of a file that is there twice, the last one is stored, with its checksum', async () => {
  const archive = join(home, 'twice.tar.bz2');
  await writeFile(archive, Buffer.from(TWICE, 'base64'));
  const into = join(home, 'twice');
  await mkdir(into);
  const sums = await unpackModel(archive, into, WANTED, TAR_BYTES);
  expect(await readFile(join(into, 'model.onnx'), 'utf8')).toBe('three');
  expect(sums.get('model.onnx')).toBe(createHash('sha256').update('three').digest('hex'));
});

test('the limit is exact: not one byte more is unpacked', async () => {
  const allowed = await unpacked('m/model.onnx');
  expect(allowed.failure).toBeNull();
  expect((await readdir(allowed.into)).sort()).toEqual(WANTED);
  const refused = await unpacked('m/model.onnx', { most: TAR_BYTES - 1 });
  expect(refused.failure).toBeInstanceOf(ArchiveError);
  expect(await readdir(refused.into)).toEqual([]);
});

test('the limit is that of all blocks together', async () => {
  const archive = join(home, 'blocks.tar.bz2');
  await writeFile(archive, Buffer.from(BLOCKS, 'base64'));
  const into = join(home, 'blocks');
  await mkdir(into);
  const [enough, less] = [TAR_BYTES, TAR_BYTES - 1];
  await expect(unpackModel(archive, into, WANTED, less)).rejects.toThrow(`more than ${less} bytes`);
  expect((await unpackModel(archive, into, WANTED, enough)).size).toBe(2);
});

test('an abort ends it with its reason, and stores nothing', async () => {
  const reason = new Error('stopped by the caller');
  const { into, failure } = await unpacked('m/model.onnx', { signal: AbortSignal.abort(reason) });
  // Not an error of the archive, which would be downloaded again.
  expect(failure).toBe(reason);
  expect(await readdir(into)).toEqual([]);
});

test('an error of the disk is not blamed on the archive, so it is not downloaded again', async () => {
  const { failure } = await unpacked('m/model.onnx', { folder: 'missing' });
  expect(failure).not.toBeInstanceOf(ArchiveError);
  expect(failure).toMatchObject({ code: 'ENOENT' });
});
