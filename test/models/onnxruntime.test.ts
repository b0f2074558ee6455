/** Installing the library that runs Whisper, with a double of npm on the path. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';
import { ensureOnnxRuntime, findOnnxRuntime } from '../../server/models/onnxruntime.ts';
import { needs } from '../support/requirements.ts';
import { until } from '../support/servers/client.ts';

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

/** Installs what npm would: a package with a main file. Writes down its arguments. Works only in folders of this test. */
const INSTALLS = `case $(pwd -P) in $(cd ${home} && pwd -P)/*) ;; *) exit 1 ;; esac
echo "$@" >> ${home}/calls
mkdir -p node_modules/onnxruntime-node
echo '{"main":"dist/index.js"}' > node_modules/onnxruntime-node/package.json`;

// A copy in the program's own packages would be used instead.
const needsNone = needs(
  (await findOnnxRuntime(join(home, 'nowhere'))) === null,
  'onnxruntime-node is installed beside the program',
);

needsNone('it is installed once, by a fixed version with checksums', async () => {
  await npm(INSTALLS);
  const models = join(home, 'models');
  // What a process left that was killed while installing.
  await mkdir(join(models, '.downloads', 'onnxruntime-node', 'half'), { recursive: true });
  await mkdir(join(models, 'onnxruntime-node', 'old'), { recursive: true });
  const main = join(
    models,
    'onnxruntime-node',
    'node_modules',
    'onnxruntime-node',
    'dist/index.js',
  );
  expect(await Promise.all([ensureOnnxRuntime(models), ensureOnnxRuntime(models)])).toEqual([
    main,
    main,
  ]);
  expect(await ensureOnnxRuntime(models)).toBe(main);
  expect(await findOnnxRuntime(models)).toBe(main);
  expect((await readdir(join(models, 'onnxruntime-node'))).sort()).toEqual([
    'node_modules',
    'package-lock.json',
    'package.json',
  ]);
  expect(await readFile(join(home, 'calls'), 'utf8')).toBe(
    'ci --ignore-scripts --no-audit --no-fund --loglevel=error\n',
  );
  expect(await readdir(join(models, '.downloads'))).toEqual(['onnxruntime-node.lock']);
});

needsNone.each([
  ['there is no npm', undefined, 'npm is not installed'],
  ['npm fails', 'exit 1', 'npm could not download onnxruntime-node'],
  ['npm installs nothing', 'exit 0', 'was installed but cannot be found'],
])('%s: an error says so', async (name, script, message) => {
  await npm(script);
  const models = join(home, name);
  await expect(ensureOnnxRuntime(models)).rejects.toThrow(message);
  expect(await findOnnxRuntime(models)).toBeNull();
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

needsNone('an abort ends npm', async () => {
  await npm(`echo $$ > ${home}/pid; exec sleep 300`);
  const cancel = new AbortController();
  const installing = ensureOnnxRuntime(join(home, 'cancelled'), cancel.signal);
  const pid = await until(async () =>
    Number(await readFile(join(home, 'pid'), 'utf8').catch(() => 0)),
  );
  cancel.abort(new RangeError('enough'));
  await expect(installing).rejects.toThrow('enough');
  // A process that has ended takes no signal.
  await expect(until(async () => void process.kill(pid, 0), 5000)).rejects.toThrow('ESRCH');
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
  for (const part of ['models', 'storage']) {
    const folder = join('server', part);
    await cp(join(root, folder), join(program, folder), { recursive: true });
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
