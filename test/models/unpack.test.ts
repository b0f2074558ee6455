/** Unpacking archives of models, fallbacks, and the default limits. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveError, unpackModel } from '../../server/models/archive.ts';
import { redactPaths } from '../../server/base/log.ts';
import { limits, modelStore, releaseHost, serve, tiny } from './support.ts';
import { download } from '../../server/models/download.ts';
import { fileSize, writePartNotes } from '../../server/models/partial-file.ts';

setDefaultTimeout(300000);

describe('unpacking a model’s archive', () => {
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

  test('the limit is exact: not one byte more is unpacked', async () => {
    const allowed = await unpacked('m/model.onnx');
    expect(allowed.failure).toBeNull();
    expect((await readdir(allowed.into)).sort()).toEqual(WANTED);
    const refused = await unpacked('m/model.onnx', { most: TAR_BYTES - 1 });
    expect(refused.failure).toBeInstanceOf(ArchiveError);
    expect(await readdir(refused.into)).toEqual([]);
  });
});

const store = modelStore();
const part = () => join(store.path, 'a.part');

test('a download requests the bytes unencoded, and only the rest of the same file', async () => {
  const asked: unknown[] = [];
  store.host = await releaseHost((request, response) => {
    const { range, 'if-range': tag, 'accept-encoding': encoding } = request.headers;
    asked.push([range, tag, encoding]);
    serve(tiny, request, response);
  });
  const { url } = store.host;
  await download(url, part(), { limits });
  await writeFile(part(), tiny.subarray(0, 100));
  await download(url, part(), { limits });
  // What was received from elsewhere, or without a tag, is not continued.
  await writeFile(part(), tiny.subarray(0, 100));
  await writePartNotes(part(), {
    url: `${url}other`,
    validator: '"one"',
    total: 1,
  });
  await download(url, part(), { limits });
  await writeFile(part(), tiny.subarray(0, 100));
  await writePartNotes(part(), { url, validator: null, total: null });
  await download(url, part(), { limits });
  // Nothing was received.
  await writeFile(part(), '');
  await download(url, part(), { limits });
  expect(asked).toEqual([
    [undefined, undefined, 'identity'],
    ['bytes=100-', '"one"', 'identity'],
    [undefined, undefined, 'identity'],
    [undefined, undefined, 'identity'],
    [undefined, undefined, 'identity'],
  ]);
  expect(await fileSize(part())).toBe(tiny.length);
  // A whole file is not asked for again.
  await download(url, part(), { limits });
  expect(asked).toHaveLength(5);
});

test.each([
  [
    "ENOENT: no such file, open '/srv/captioner/data/models/a.onnx'",
    "ENOENT: no such file, open 'a.onnx'",
  ],
  ['at /srv/models/x, twice: /a /b/c', 'at x, twice: a c'],
  ['C:\\Users\\ann\\model.onnx is damaged', 'model.onnx is damaged'],
  [
    'fetched from https://models.example/a/b.tar: 404',
    'fetched from https://models.example/a/b.tar: 404',
  ],
  ['send audio/mpeg, 1/2', 'send audio/mpeg, 1/2'],
])('removing folder names from messages: %s', (text, expected) =>
  expect(redactPaths(text)).toBe(expected),
);
