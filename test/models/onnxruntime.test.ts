/** Installing the library that runs Whisper and Moonshine, from a double of the registry, or with a double of npm. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';
import type { NpmPackage } from '../../server/models/npm.ts';
import { ONNXRUNTIME_PACKAGES } from '../../server/models/registry.ts';
import { madePackage, startRegistry } from '../support/doubles/npm-registry.ts';
import { needs } from '../support/requirements.ts';
import { ensureOnnxRuntime, findOnnxRuntime } from '../../server/models/onnxruntime.ts';

setDefaultTimeout(60_000);

const home = mkdtempSync(join(tmpdir(), 'onnxruntime-'));
const { PATH } = process.env;
afterAll(() => {
  process.env['PATH'] = PATH;
  rmSync(home, { recursive: true });
});

/** Puts an npm on the path that runs a script; without one, there is no npm. */
async function npm(script?: string): Promise<void> {
  const bin = join(home, 'bin');
  rmSync(bin, { recursive: true, force: true });
  await mkdir(bin);
  process.env['PATH'] = script === undefined ? bin : `${bin}:/usr/bin:/bin`;
  if (script === undefined) return;
  await writeFile(join(bin, 'npm'), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, 'npm'), 0o755);
}

/** The packages, with a file for this platform, one for another, and the source code. */
const made = [
  await madePackage('onnxruntime-node', '1.30.0', {
    'package.json': '{"main":"dist/index.js"}',
    'dist/index.js': 'exports.works = true;',
    'dist/index.js.map': '{}',
    [`bin/napi-v6/${process.platform}/${process.arch}/library.node`]: 'native',
    'bin/napi-v6/elsewhere/mips/library.node': 'native',
    'lib/index.ts': '',
  }),
  await madePackage('onnxruntime-common', '1.30.0', { 'package.json': '{}' }),
];
const original = ONNXRUNTIME_PACKAGES.map((each) => ({ ...each }));
const place = ONNXRUNTIME_PACKAGES as NpmPackage[];
place.splice(0, place.length, ...made);
afterAll(() => void place.splice(0, place.length, ...original));

// A copy in the program's own packages would be used instead.
const needsNone = needs(
  (await findOnnxRuntime(join(home, 'nowhere'))) === null && Bun.which('npm') !== null,
  'onnxruntime-node is installed beside the program, or npm is not installed',
);

needsNone('it is installed once, with only the files for this platform', async () => {
  const registry = await startRegistry(made);
  const models = join(home, 'models');
  // What a process left that was killed while installing.
  await mkdir(join(models, '.downloads', 'onnxruntime-node', 'half'), { recursive: true });
  await mkdir(join(models, '.downloads', 'onnxruntime-node.npm-half'), { recursive: true });
  await mkdir(join(models, 'onnxruntime-node', 'old'), { recursive: true });
  const packages = join(models, 'onnxruntime-node', 'node_modules');
  const main = join(packages, 'onnxruntime-node', 'dist/index.js');
  const both = await Promise.all([ensureOnnxRuntime(models), ensureOnnxRuntime(models)]);
  expect(both).toEqual([main, main]);
  expect(await ensureOnnxRuntime(models)).toBe(main);
  expect(await findOnnxRuntime(models)).toBe(main);
  await registry.close();
  expect(registry.archives()).toEqual(['onnxruntime-node', 'onnxruntime-common']);
  const files = await readdir(join(models, 'onnxruntime-node'), { recursive: true });
  expect(files.filter((name) => /\.\w+$/.test(name)).sort()).toEqual([
    'node_modules/onnxruntime-common/package.json',
    `node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/library.node`,
    'node_modules/onnxruntime-node/dist/index.js',
    'node_modules/onnxruntime-node/package.json',
  ]);
  expect(await readdir(join(models, '.downloads'))).toEqual(['onnxruntime-node.lock']);
});

needsNone.each([
  ['there is no npm', undefined, 'npm is not installed'],
  ['npm fails', 'exit 1', 'npm could not download onnxruntime-node'],
  ['npm writes nothing', 'exit 0', 'npm did not write onnxruntime-node-1.30.0.tgz'],
])('%s: an error says so', async (name, script, message) => {
  await npm(script);
  const models = join(home, name);
  await expect(ensureOnnxRuntime(models)).rejects.toThrow(message);
  expect(await findOnnxRuntime(models)).toBeNull();
  expect(await readdir(join(models, '.downloads'))).toEqual(['onnxruntime-node.lock']);
});

needsNone('it is not installed again if another process has just done so', async () => {
  await npm('exit 1');
  const models = join(home, 'meanwhile');
  const folder = join(models, 'onnxruntime-node', 'node_modules', 'onnxruntime-node');
  const { signal } = new AbortController();
  // It is asked after the library was found missing.
  signal.throwIfAborted = () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"main":"dist/index.js"}');
  };
  expect(await ensureOnnxRuntime(models, signal)).toBe(join(folder, 'dist/index.js'));
});

needsNone('an abort ends the installation with its reason', async () => {
  await npm('exec sleep 30');
  const reason = new RangeError('enough');
  const installing = ensureOnnxRuntime(join(home, 'aborted'), AbortSignal.abort(reason));
  expect(await installing.catch((error: unknown) => error)).toBe(reason);
});

test("the operator's own copy takes precedence: beside the installed program, or in it", async () => {
  const packages = join(home, 'own', 'node_modules');
  const program = join(packages, 'captioner');
  await cp(join(root, 'server'), join(program, 'server'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('onnxruntime'))
      await symlink(join(root, 'node_modules', name), join(packages, name));
  }
  const copy = (await import(
    join(program, 'server/models/onnxruntime.ts')
  )) as typeof import('../../server/models/onnxruntime.ts');
  const models = join(home, 'own', 'models');
  const places = [join(models, 'onnxruntime-node', 'node_modules'), packages];
  for (const place of [...places, join(program, 'node_modules')]) {
    const library = join(place, 'onnxruntime-node');
    await mkdir(library, { recursive: true });
    await writeFile(join(library, 'package.json'), '{"main":"index.js"}');
    expect(await copy.findOnnxRuntime(models)).toBe(join(library, 'index.js'));
  }
});
