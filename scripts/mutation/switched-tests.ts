/** Tries many faults against a test file in one process, which switches on one after the other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTests, type RunningTests } from './limited-tests.ts';
import type { SwitchedFault } from './switches.ts';

/** What the process of the tests needs to know. */
export interface SwitchSettings {
  /** Faults by the path of their source file. */
  faults: Record<string, SwitchedFault[]>;
  /** One more than the highest number of a switch. */
  count: number;
}

/** Begins the line that the process writes after each run. */
export const RUN_ENDED = '@@ run ended ';

/** No fault is switched on. */
const NONE = -1;

/** The time limit for the first run, which loads the program. */
const MAX_FIRST_RUN_MS = 60_000;

/** The time limit for a repetition. A slower file is not worth repeating for each fault. */
const MAX_REPETITION_MS = 10_000;

/** Runs until the process starts again, because some tests leave memory behind. */
const MAX_RUNS = 200;

type Outcome = 'passed' | 'failed' | 'ended';

/**
 * Tries faults against a test file, and reports each that it notices. A fault counts as noticed if
 * the file fails with it and passes right after without it, or if the process hangs or dies. Leaves
 * out faults in code that the file only runs when it loads, and files that cannot be repeated quickly.
 * @param copy folder of the checkout
 * @param test path of the test file in it
 * @param isLeft whether the fault has not been noticed elsewhere in the meantime
 */
export async function trySwitched(
  copy: string,
  test: string,
  settings: SwitchSettings,
  isLeft: (id: number) => boolean,
  notice: (id: number) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'captioner-switches-'));
  const settingsFile = join(folder, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify(settings));
  const restart = () => RepeatedTests.start(copy, test, settingsFile);
  let tests = await restart();
  try {
    for (const { id } of Object.values(settings.faults).flat()) {
      if (!tests) return;
      if (!tests.reached.has(id) || !isLeft(id)) continue;
      if (tests.runs > MAX_RUNS) tests = await (tests.end(), restart());
      let outcome = await tests?.run(id);
      if (outcome === 'failed' && (await tests?.run(NONE)) !== 'passed') {
        // An earlier fault may have left something behind.
        tests = await (tests?.end(), restart());
        outcome = await tests?.run(id);
        if (outcome === 'failed') tests = await (tests?.end(), restart());
      }
      if (outcome === 'failed' || outcome === 'ended') notice(id);
      if (outcome === 'ended') tests = await restart();
    }
  } finally {
    tests?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process that runs a test file again and again. */
class RepeatedTests {
  /** The faults whose code the file runs each time. */
  reached: ReadonlySet<number> = new Set();
  runs = 0;
  readonly #tests: RunningTests;
  #limitMs = MAX_FIRST_RUN_MS;
  #output = '';
  #answer: (() => void) | undefined;
  #hasEnded = false;

  private constructor(copy: string, test: string, settingsFile: string) {
    const preload = fileURLToPath(new URL('switch-preload.ts', import.meta.url));
    const options = ['--only-failures', '--no-orphans', '--timeout=300000', '--rerun-each=1000000'];
    this.#tests = startTests(copy, ['test', ...options, `--preload=${preload}`, `./${test}`], {
      env: { SWITCH_SETTINGS: settingsFile },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.#tests.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      if (ENDED_LINE.test(this.#output)) this.#answer?.();
    });
    this.#tests.child.stdin?.on('error', () => {});
    this.#tests.child.once('close', () => {
      this.#hasEnded = true;
      this.#answer?.();
    });
  }

  /** Starts a process; null if the file does not pass twice in a row, in time, without a fault. */
  static async start(copy: string, test: string, settings: string): Promise<RepeatedTests | null> {
    const tests = new RepeatedTests(copy, test, settings);
    if ((await tests.#outcome()) === 'passed') {
      tests.#limitMs = MAX_REPETITION_MS;
      const startedAt = performance.now();
      const again = await tests.run(NONE);
      tests.#limitMs = 10_000 + 8 * (performance.now() - startedAt);
      if (again === 'passed') return tests;
    }
    tests.end();
    return null;
  }

  /** Runs the file with a fault. */
  run(id: number): Promise<Outcome> {
    this.runs += 1;
    this.#output = '';
    this.#tests.child.stdin?.write(`${id}\n`);
    return this.#outcome();
  }

  end(): void {
    this.#tests.kill();
  }

  async #outcome(): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answer = resolve;
    const timer = setTimeout(() => this.end(), this.#limitMs);
    if (!this.#hasEnded && !ENDED_LINE.test(this.#output)) await promise;
    clearTimeout(timer);
    const [, ids] = ENDED_LINE.exec(this.#output) ?? [];
    if (!ids) return 'ended';
    if (this.runs === 1) this.reached = new Set(JSON.parse(ids) as number[]);
    return FAILURE.test(this.#output) ? 'failed' : 'passed';
  }
}

const ENDED_LINE = new RegExp(`^${RUN_ENDED}(.*)\n`, 'm');

/** A failed test, or an error beside the tests, such as while the file loads. */
const FAILURE = /^(?:\(fail\)|# Unhandled error)/m;
