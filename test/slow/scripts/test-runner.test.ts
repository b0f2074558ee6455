/** The test runner itself, with tests that fail, crash, hang and are skipped. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'test-runner-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const place of ['scripts', 'test/slow/runtime']) {
  mkdirSync(join(folder, place), { recursive: true });
}
const root = fileURLToPath(new URL('../../..', import.meta.url));
for (const file of ['bunfig.toml', 'scripts/test.ts', 'test/support']) {
  cpSync(join(root, file), join(folder, file), { recursive: true });
}
for (const name of ['node_modules', 'server']) symlinkSync(join(root, name), join(folder, name));
const FILES: Record<string, string> = {
  fine: `test('one', () => {}); test('two', () => {});`,
  wrong: `test('it is "2" & more', () => { console.log('seen:', 6 * 7); expect(1).toBe(2); });`,
  flaky: `import { existsSync, writeFileSync } from 'node:fs';
    test('passes', () => {});
    test('at times', () => {
      const again = existsSync('seen');
      writeFileSync('seen', '');
      expect(again).toBe(true);
    });`,
  crashes: `import { existsSync, writeFileSync } from 'node:fs';
    test('at times', () => {
      if (existsSync('crashed')) return;
      writeFileSync('crashed', '');
      process.exit(3);
    });`,
  skips: `test('runs', () => {}); test.skip('does not', () => {});`,
  dies: `test('dies', () => process.exit(3));`,
  broken: `import '../scripts/nothing.ts';`,
  hangs: `test('hangs', () => { process.stderr.write('hanging'); return new Promise(() => {}); }, 60_000);`,
  'slow/runtime/server': `test('on Bun', () => expect(process.env.SERVER_RUNTIME).toBeUndefined());`,
};
for (const [name, body] of Object.entries(FILES)) {
  writeFileSync(
    join(folder, `test/${name}.test.ts`),
    `import { expect, test } from 'bun:test';\n${body}\n`,
  );
}

/** Starts the runner for some of the files. */
function start(names: string[], env: Record<string, string> = {}, args = ['scripts/test.ts']) {
  const child = spawn(process.execPath, [...args, ...names.map((name) => `test/${name}.test.ts`)], {
    cwd: folder,
    env: { ...process.env, CI: undefined, SERVER_RUNTIME: undefined, TMPDIR: folder, ...env },
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = new Promise<number | null>((done) => void child.once('exit', done));
  return { child, output, ended };
}

async function run(names: string[], env?: Record<string, string>, args?: string[]) {
  const { output, ended } = start(names, env, args);
  const [stdout, stderr] = await output;
  return { code: await ended, stdout, stderr, last: stdout.trim().split('\n').at(-1) };
}

test('passing tests are counted and not listed', async () => {
  const { code, last, stdout, stderr } = await run(['fine']);
  expect([code, last]).toEqual([0, '2 passed, 0 failed']);
  expect(stdout + stderr).not.toContain('(pass)');
});

test('a failure is shown with its output, and named again at the end', async () => {
  const { code, last, stdout, stderr } = await run(['fine', 'wrong']);
  expect([code, last]).toEqual([1, '2 passed, 1 failed']);
  expect(stdout + stderr).toContain('seen: 42');
  expect(stdout).toContain('test/wrong.test.ts: it is "2" & more');
});

test('a skipped test is counted; in CI nothing may be skipped', async () => {
  expect(await run(['skips'])).toMatchObject({ code: 0, last: '1 passed, 0 failed, 1 skipped' });
  const inCi = await run(['skips', 'fine'], { CI: 'true' });
  expect(inCi.code).toBe(1);
  expect(inCi.last).toBe('3 passed, 0 failed, 1 skipped');
});

test('a file that dies or cannot be loaded is a failure, alone or among others', async () => {
  expect(await run(['dies'])).toMatchObject({ code: 1, last: '0 passed, 1 failed' });
  const among = await run(['dies', 'fine', 'broken', 'wrong']);
  expect([among.code, among.last]).toEqual([1, '2 passed, 3 failed']);
});

test('in CI a failing file runs once more, and is listed as flaky if it then passes', async () => {
  const ci = { CI: 'true' };
  const twice = await run(['flaky', 'crashes', 'fine'], ci);
  expect([twice.code, twice.last]).toEqual([0, '5 passed, 0 failed']);
  expect(twice.stdout).toMatch(/Flaky.*\n {2}test\/crashes.*\n {2}test\/flaky\.test\.ts: at times/);
  const wrong = await run(['fine', 'wrong'], ci);
  expect([wrong.code, wrong.last]).toEqual([1, '2 passed, 1 failed']);
  expect(wrong.stdout).not.toContain('Flaky');
  rmSync(join(folder, 'seen'));
  const once = await run(['flaky', 'fine']);
  expect([once.code, once.last]).toEqual([1, '3 passed, 1 failed']);
});

test('tests of servers run on both runtimes, and a failure on Deno names it', async () => {
  const { code, last, stdout } = await run(['fine', 'slow/runtime/server'], {}, [
    'scripts/test.ts',
    '--all',
    '--deno',
  ]);
  expect([code, last]).toEqual([1, '3 passed, 1 failed']);
  expect(stdout).toContain('test/slow/runtime/server.test.ts: on Bun (servers on deno)');
  expect(stdout).toContain('Received: "deno"');
  expect(stdout).toContain('3 files,');
});

test('`bun test` runs the quick tests in parallel, and one file by itself', async () => {
  const all = await run([], {}, ['test', 'fine', 'wrong', 'runtime']);
  expect([all.code, all.last]).toEqual([1, '2 passed, 1 failed']);
  const one = await run(['fine'], {}, ['test']);
  expect([one.code, one.stdout.includes('PARALLEL')]).toEqual([0, false]);
});

test('a path without test files is reported', async () => {
  const { code, stderr } = await run(['nowhere']);
  expect([code, stderr.trim()]).toEqual([2, 'There is no test file at test/nowhere.test.ts.']);
});

test('Ctrl-C ends the tests too', async () => {
  const { child, output, ended } = start(['hangs']);
  await new Promise<void>((done) => {
    child.stderr.on('data', (data) => {
      if (String(data).includes('hanging')) done();
    });
  });
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  // Any remaining child process would hold its output open.
  await output;
});
