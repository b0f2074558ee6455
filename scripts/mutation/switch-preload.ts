/**
 * Preloaded by a test file that runs again and again (`bun test --rerun-each`): loads the program
 * with its faults behind switches. After each run it writes a line to standard error, with the
 * faults whose code ran, and reads from standard input which fault to switch on for the next.
 */
import { afterAll } from 'bun:test';
import { plugin } from 'bun';
import { readFileSync, readSync, writeSync } from 'node:fs';
import { relative } from 'node:path';
import { RUN_ENDED, type SwitchSettings } from './switched-tests.ts';
import { withSwitches } from './switches.ts';

const { faults, count } = JSON.parse(
  readFileSync(process.env['SWITCH_SETTINGS']!, 'utf8'),
) as SwitchSettings;
const reached = new Uint8Array(count);
let on = -1;

Object.assign(globalThis, {
  isFaultOn: (id: number): boolean => {
    reached[id] = 1;
    return id === on;
  },
});

plugin({
  name: 'faults behind switches',
  setup(build) {
    build.onLoad({ filter: /\/(?:server|web)\/.*\.tsx?$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const own = relative(process.cwd(), path);
      return {
        contents: withSwitches(own, source, faults[own] ?? []),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      };
    });
  },
});

afterAll(() => {
  const ids = [...reached.keys()].filter((id) => reached[id]);
  writeSync(2, `\n${RUN_ENDED}${JSON.stringify(ids)}\n`);
  const line = Buffer.alloc(16);
  on = Number(line.toString('utf8', 0, readSync(0, line)));
  reached.fill(0);
});
