/** Models from the npm registry: fetched by npm from a double, verified, whole or not at all. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureModel } from '../../server/models/models.ts';
import { type Waiting, realTime } from '../../server/base/concurrency.ts';
import { root } from '../support/checkout.ts';
import { startHttpDouble, type Misbehaviour } from '../support/doubles/http-double.ts';
import {
  madePackage,
  responseOf,
  startRegistry,
  type RegistryDouble,
} from '../support/doubles/npm-registry.ts';
import { failureOf } from '../support/failure-of.ts';
import { needs } from '../support/requirements.ts';
import { until } from '../support/servers/client.ts';
import { modelStore } from './support.ts';
import { type Model, MODELS } from '../../server/models/registry.ts';
import { packageFile } from '../../server/models/npm.ts';

setDefaultTimeout(60_000);

const test = needs(Bun.which('npm') !== null, 'npm is not installed');
const store = modelStore();
const NAME = 'moonshine-base';
const model = MODELS.find(({ name }) => name === NAME)!;
const original = { ...model };

/** A model like Moonshine: weights in one package, the tokens in the source code of another. */
const weights = await madePackage('@double/weights', '1.0.0', {
  'package.json': '{"name":"@double/weights","version":"1.0.0"}',
  'dist/encoder.onnx': Buffer.alloc(300_000, 1),
  'dist/decoder.onnx': Buffer.alloc(200_000, 2),
  'dist/other.onnx': 'another model',
});
const tokens = await madePackage('double-tokenizer', '2.0.0', {
  'tokens.js': `const llama_vocab_base64 = "${Buffer.from('<unk>\n▁a').toString('base64')}";`,
});
const sum = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const LINES = ['<unk>', '▁a', ...Array.from({ length: 768 }, (_, at) => `<<ST_${at}>>`)]
  .map((token, id) => `${Buffer.from(token).toString('base64')}\t${id}\n`)
  .join('');
const DOUBLE: Partial<Model> = {
  bytes: weights.bytes + tokens.bytes,
  packages: [
    {
      ...weights,
      take: {
        'dist/encoder.onnx': 'encoder_model.onnx',
        'dist/decoder.onnx': 'decoder_model_merged.onnx',
      },
    },
    { ...tokens, take: { 'tokens.js': 'llama-tokenizer.js' } },
  ],
  sums: {
    'encoder_model.onnx': sum(Buffer.alloc(300_000, 1)),
    'decoder_model_merged.onnx': sum(Buffer.alloc(200_000, 2)),
    'tokens.txt': sum(LINES),
  },
};

let registry: RegistryDouble;
beforeAll(() => void Object.assign(model, DOUBLE));
afterAll(() => void Object.assign(model, original));
afterEach(() => registry.close());

/** The library that runs the model is there; only its place matters. */
async function library(): Promise<void> {
  const folder = join(store.path, 'onnxruntime-node', 'node_modules', 'onnxruntime-node');
  await Bun.write(join(folder, 'package.json'), '{"main":"index.js"}');
}

/** What is left in the models folder besides the library and the locks of downloads. */
const left = () =>
  [...readdirSync(store.path), ...readdirSync(join(store.path, '.downloads'))].filter(
    (name) => name !== 'onnxruntime-node' && name !== '.downloads' && !name.endsWith('.lock'),
  );

test('only the wanted files are unpacked, and the tokens are made from the source code', async () => {
  registry = await startRegistry([weights, tokens]);
  await library();
  const progress: number[] = [];
  const installed = await ensureModel(store.path, NAME, {
    onProgress: (received, total) => progress.push(received / total),
  });
  const { folder } = installed;
  expect(installed).toMatchObject({
    kind: 'moonshine',
    files: { decoder: join(folder, 'decoder_model_merged.onnx') },
    runtime: expect.stringContaining('index.js'),
  });
  expect(readdirSync(folder).sort()).toEqual([
    'SHA256SUMS',
    'decoder_model_merged.onnx',
    'encoder_model.onnx',
    'tokens.txt',
  ]);
  expect(readFileSync(join(folder, 'tokens.txt'), 'utf8')).toBe(LINES);
  expect(left()).toEqual([NAME]);
  expect(progress.every((share) => share > 0 && share <= 1)).toBe(true);
  await ensureModel(store.path, NAME);
  expect(registry.archives()).toEqual([weights.name, tokens.name]);
});

/** Time without end passes as soon as the archive has been requested. */
const impatient: Waiting = {
  ...realTime,
  async pause() {
    await until(() => Promise.resolve(registry.archives().length > 0));
  },
};
test.each([
  ['refuses', () => new Response('no', { status: 403 }), '403 Forbidden'],
  ['has no such package', () => new Response('no', { status: 404 }), '404'],
  ['sends other bytes', () => responseOf(tokens), 'integrity'],
  ['cuts the connection', () => ({ fault: 'reset', answer: responseOf(weights) }), ''],
  ['sends half of it', () => ({ fault: 'cut', answer: responseOf(weights) }), ''],
  ['sends nothing', () => ({ fault: 'hang' }), 'no data for 30 s'],
] satisfies [string, () => Response | Misbehaviour, string][])(
  'a registry that %s: one line says so, and nothing is left',
  async (what, behaviour, says) => {
    registry = await startRegistry([weights, tokens]);
    await library();
    registry.behave((made) => (made === weights ? behaviour() : null));
    const waiting = what === 'sends nothing' ? { waiting: impatient } : {};
    const failure = await failureOf(ensureModel(store.path, NAME, waiting));
    expect(failure).toMatchObject({ code: 'model_unavailable', model: NAME, retryable: true });
    expect(failure.message).toStartWith(`The model ${NAME} is not installed and could not be `);
    expect(failure.message).toContain('npm could not download @double/weights@1.0.0');
    expect(failure.message).toContain(says);
    expect(failure.message).not.toContain('\n');
    expect(left()).toEqual([]);
    if (what !== 'sends half of it') return;
    // The next attempt starts again, and gets it whole.
    registry.behave(null);
    expect((await ensureModel(store.path, NAME)).kind).toBe('moonshine');
    expect(left()).toEqual([NAME]);
  },
);

test('a registry that agrees with itself, but not with the hash in this program, is not believed', async () => {
  const forged = await madePackage(weights.name, weights.version, { 'dist/encoder.onnx': 'x' });
  registry = await startRegistry([forged, tokens]);
  await library();
  const failure = await failureOf(ensureModel(store.path, NAME));
  expect(failure.message).toContain('@double/weights@1.0.0 is not the expected package');
  expect(left()).toEqual([]);
});

test('a registry that cannot be reached, or npm is missing', async () => {
  registry = await startRegistry([]);
  await library();
  await registry.host.close();
  const unreached = await failureOf(ensureModel(store.path, NAME));
  expect(unreached.message).toContain('ECONNREFUSED');
  const { PATH } = process.env;
  process.env['PATH'] = store.path;
  const missing = await failureOf(ensureModel(store.path, NAME)).finally(
    () => (process.env['PATH'] = PATH),
  );
  expect(missing.message).toContain('npm is not installed, and it is needed to download @double');
  expect(left()).toEqual([]);
});

/** Another process that ensures the model, and prints the folder. */
async function otherProcess() {
  const script = join(store.path, 'other.ts');
  await writeFile(
    script,
    `import { ensureModel } from ${JSON.stringify(join(root, 'server/models/models.ts'))};
import { MODELS } from ${JSON.stringify(join(root, 'server/models/registry.ts'))};
Object.assign(MODELS.find(({ name }) => name === '${NAME}'), ${JSON.stringify(DOUBLE)});
console.log((await ensureModel(${JSON.stringify(store.path)}, '${NAME}')).kind);`,
  );
  return Bun.spawn([process.execPath, script], { env: process.env, stderr: 'inherit' });
}

test('two processes at once download it once', async () => {
  registry = await startRegistry([weights, tokens]);
  await library();
  const others = await Promise.all([otherProcess(), otherProcess()]);
  const said = await Promise.all(others.map(({ stdout }) => new Response(stdout).text()));
  expect(said).toEqual(['moonshine\n', 'moonshine\n']);
  expect(registry.archives()).toEqual([weights.name, tokens.name]);
});

test('a process that is killed while it downloads leaves nothing that matters', async () => {
  registry = await startRegistry([weights, tokens]);
  await library();
  const hanging = Promise.withResolvers<void>();
  registry.behave(() => {
    hanging.resolve();
    return { fault: 'hang' };
  });
  const other = await otherProcess();
  await hanging.promise;
  other.kill('SIGKILL');
  await other.exited;
  expect(left()).not.toEqual([]);
  registry.behave(null);
  expect((await ensureModel(store.path, NAME)).kind).toBe('moonshine');
  expect(left().filter((name) => name !== 'other.ts')).toEqual([NAME]);
});

test("the operator's own host has the archives as npm names them", async () => {
  registry = await startRegistry([]);
  await library();
  const own = await startHttpDouble(({ url }) => {
    const made = [weights, tokens].find((each) => url.pathname === `/${packageFile(each)}`);
    return made ? responseOf(made) : new Response(null, { status: 404 });
  });
  await ensureModel(store.path, NAME, { baseUrl: own.origin });
  await own.close();
  expect(own.requests.map(({ url }) => url.pathname)).toEqual([
    '/double-weights-1.0.0.tgz',
    '/double-tokenizer-2.0.0.tgz',
  ]);
  expect(registry.host.requests).toEqual([]);
  expect(left()).toEqual([NAME]);
});
