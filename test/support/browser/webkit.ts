/**
 * A real WebKit (its GTK port), driven over W3C WebDriver: it speaks neither Chromium's protocol nor
 * WebDriver BiDi. https://www.w3.org/TR/webdriver2/, read on 2026-11-23.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { globSync } from 'node:fs';
import { needs } from '../requirements.ts';
import { freePort } from '../servers/postgres.ts';
import { CONTROLS, shownAs } from './app.ts';

const driver = Bun.which('WebKitWebDriver');
const display = Bun.which('Xvfb');
const [browser] = globSync('/usr/{lib,libexec}/{*/,}webkit2gtk-4.1/MiniBrowser');

/** `test` if WebKit with its driver is installed, and Xvfb, the display it needs. */
export const needsWebKit = needs(
  Boolean(driver && display && browser),
  'there is no WebKit with its driver and Xvfb',
);

/** The time until a condition must hold, on a machine under load. */
const PATIENCE_MS = 120_000;
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/** WebDriver's names for keys that produce no character. */
const KEYS: Record<string, string> = {
  Backspace: '\u{E003}',
  Enter: '\u{E007}',
  Shift: '\u{E008}',
  Control: '\u{E009}',
  Alt: '\u{E00A}',
  ArrowLeft: '\u{E012}',
  ArrowUp: '\u{E013}',
  ArrowRight: '\u{E014}',
  ArrowDown: '\u{E015}',
};

/** A window of WebKit. */
export class WebKitWindow {
  private readonly session: string;
  private readonly processes: readonly ChildProcess[];

  constructor(session: string, processes: readonly ChildProcess[]) {
    this.session = session;
    this.processes = processes;
  }

  private async call(method: string, path: string, body?: object): Promise<unknown> {
    return ask(method, `${this.session}${path}`, body);
  }

  /** Opens an address. */
  open = (url: string): Promise<unknown> => this.call('POST', '/url', { url });

  /** Runs a function in the page. */
  async evaluate<Args extends unknown[], Result>(
    work: (...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result> {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${work.toString()})(...[...arguments].slice(0, -1))).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const answer = await this.call('POST', '/execute/async', { script, args });
    const { value, error } = answer as { value: Result; error?: string };
    if (error) throw new Error(error);
    return value;
  }

  /** Waits until a function in the page returns a value, and returns that value. */
  async until<Args extends unknown[], Result>(
    work: (...args: Args) => Result,
    ...args: Args
  ): Promise<Exclude<Awaited<Result>, null | undefined | false>> {
    for (const started = performance.now(); ; await Bun.sleep(50)) {
      const value = await this.evaluate(work, ...args);
      if (value) return value as Exclude<Awaited<Result>, null | undefined | false>;
      if (performance.now() - started < PATIENCE_MS) continue;
      const shown = await this.evaluate(() => document.body.innerText);
      throw new Error(
        `never came: ${work.toString()} (${args.join(', ')}); the page shows: ${shown}`,
      );
    }
  }

  /** Presses the control with a name: a button, a tab, a menu item. */
  async press(name: string, within = ''): Promise<void> {
    const element = await this.until(shownAs, `${within} ${CONTROLS}`, name);
    await this.call('POST', `/element/${idOf(element)}/click`, {});
  }

  /** Chooses files, as the browser's dialog would. */
  async choose(...paths: string[]): Promise<void> {
    const input = await this.until(() => document.querySelector('input[type=file]'));
    await this.call('POST', `/element/${idOf(input)}/value`, { text: paths.join('\n') });
  }

  /** Presses keys: each a chord such as `Alt+ArrowDown`, or a character. */
  async keys(...chords: string[]): Promise<void> {
    for (const chord of chords) {
      const keys = chord
        .split('+')
        .map((name) => KEYS[name] ?? name.replace(/^Key(.)$/, (_, letter) => letter.toLowerCase()));
      const actions = [
        ...keys.map((value) => ({ type: 'keyDown', value })),
        ...keys.toReversed().map((value) => ({ type: 'keyUp', value })),
      ];
      await this.call('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
    }
  }

  /** Types characters. */
  type = (words: string): Promise<void> => this.keys(...words);

  /** The screen as a PNG. */
  screenshot = async (): Promise<Buffer> =>
    Buffer.from((await this.call('GET', '/screenshot')) as string, 'base64');

  /** Closes the window and ends its processes. */
  async close(): Promise<void> {
    await this.call('DELETE', '').catch(() => {});
    for (const child of this.processes) child.kill();
  }
}

const idOf = (element: unknown): string => (element as Record<string, string>)[ELEMENT] ?? '';

async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { value } = (await response.json()) as { value: { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`);
  return value;
}

/** Opens a window of WebKit; null if it is not installed. */
export async function openWebKit(): Promise<WebKitWindow | null> {
  if (!driver || !display || !browser) return null;
  const screen = spawn(
    display,
    ['-displayfd', '1', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const number = await new Promise<string>((resolve, reject) => {
    screen.stdout.once('data', (data) => resolve(String(data).trim()));
    screen.once('exit', (code) => reject(new Error(`Xvfb ended with ${code}`)));
  });
  const port = await freePort();
  const child = spawn(driver, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: `:${number}`, LC_ALL: 'C.UTF-8', LIBGL_ALWAYS_SOFTWARE: '1' },
    stdio: 'ignore',
  });
  const origin = `http://127.0.0.1:${port}`;
  for (const started = performance.now(); ; await Bun.sleep(50)) {
    const ready = await ask('GET', `${origin}/status`).catch(() => null);
    if (ready) break;
    if (performance.now() - started > PATIENCE_MS) throw new Error('the driver does not answer');
  }
  const capabilities = {
    alwaysMatch: {
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
      timeouts: { script: PATIENCE_MS, pageLoad: PATIENCE_MS },
    },
  };
  const answer = await ask('POST', `${origin}/session`, { capabilities });
  const { sessionId } = answer as { sessionId: string };
  const window = new WebKitWindow(`${origin}/session/${sessionId}`, [child, screen]);
  await ask('POST', `${origin}/session/${sessionId}/window/rect`, { width: 1280, height: 900 });
  return window;
}
