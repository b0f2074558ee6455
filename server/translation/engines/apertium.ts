/** Translates by the rules of Apertium, where its packages are installed. It gets sentences and nothing else. */
import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { baseOf } from '../../captions/language-tag.ts';
import { childEnvironment, reportChild } from '../../base/child-processes.ts';
import { reasonOf } from '../../base/log.ts';
import { StageFailure } from '../../contract/failure.ts';
import { asHtml, fromHtml } from './html.ts';
import type { Answer, Translator } from './translator.ts';

/** A direction that is installed, with the name by which the program knows it. */
interface Direction {
  /** BCP 47. */
  from: string;
  to: string;
  mode: string;
}

const PROGRAM = 'apertium';
/** The time for the program and its dictionaries to load, and that for a sentence, in milliseconds: machines may be busy. */
const PATIENCE = { load: 60_000, sentence: 2000 };
/** The most output for a byte of input; more is no translation. */
const MOST_OUTPUT = 20;
/** Matches a mode that translates, such as `eng-spa` or `spa-cat_valencia`; the others are steps on the way. */
const MODE = /^([a-z]{2,3})(?:_([A-Za-z]{2}))?-([a-z]{2,3})(?:_([A-Za-z]{2}))?\.mode$/;

/** The folders of the PATH that have the program. */
const folders = (path: string): string[] =>
  path.split(delimiter).filter((folder) => {
    try {
      accessSync(join(folder, PROGRAM), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });

/** A language as BCP 47, from the two or three letters of a mode. */
const tagOf = (language: string, region: string | undefined): string =>
  Intl.getCanonicalLocales(region === undefined ? language : `${language}-${region}`)[0]!;

/**
 * The directions that are installed.
 * @param path the PATH; the dictionaries are beside its folder with the program, as Debian and others have them
 */
export function installedDirections(path: string = process.env['PATH'] ?? ''): Direction[] {
  const [folder] = folders(path);
  if (folder === undefined) return [];
  let names: string[] = [];
  try {
    names = readdirSync(join(folder, '..', 'share', PROGRAM, 'modes'));
  } catch {
    return [];
  }
  return names.sort().flatMap((name): Direction[] => {
    const [, from = '', fromRegion, to = '', toRegion] = MODE.exec(name) ?? [];
    if (from === '') return [];
    return [
      { from: tagOf(from, fromRegion), to: tagOf(to, toRegion), mode: name.replace('.mode', '') },
    ];
  });
}

/** The direction between two languages: that of the region, if there is one. */
function directionOf(
  directions: readonly Direction[],
  from: string,
  to: string,
): Direction | undefined {
  const score = (direction: Direction): number =>
    Number(direction.to.toLowerCase() === to.toLowerCase()) * 2 +
    Number(!direction.to.includes('-')) +
    Number(!direction.from.includes('-'));
  return directions
    .filter((each) => baseOf(each.from) === baseOf(from) && baseOf(each.to) === baseOf(to))
    .toSorted((a, b) => score(b) - score(a))[0];
}

/** Creates the translator of the directions that are installed. A sentence that was refused is not translated again. */
export function createApertium(
  directions: readonly Direction[],
  patience: typeof PATIENCE = PATIENCE,
): Translator {
  return {
    provider: PROGRAM,
    model: PROGRAM,
    isHere: true,
    limits: { sentences: 50, parallel: 1 },
    async translate({ from, to, tasks }, { signal }) {
      const direction = from === null ? undefined : directionOf(directions, from, to);
      if (!direction) throw unsupported(directions, from, to);
      const fresh = tasks.filter(({ problem }) => problem === undefined);
      if (fresh.length === 0) return { answers: [], usage: { calls: 0, tokens: 0, cached: 0 } };
      // Each is a paragraph, since nothing is joined with a part of another one.
      const input = fresh.map(({ text }) => `<p>${asHtml(withPlainMarks(text))}</p>\n`).join('');
      const limitMs = patience.load + patience.sentence * fresh.length;
      const output = await run(direction.mode, input, limitMs, signal);
      const paragraphs = output.split('<p>').slice(1);
      // Without a paragraph for each, nobody knows which is whose.
      const texts = paragraphs.length === fresh.length ? paragraphs : [];
      const answers = texts.map((paragraph, at): Answer => {
        const { id, text: source } = fresh[at]!;
        const marked = fromHtml(paragraph.slice(0, paragraph.lastIndexOf('</p>')));
        return { id, source, ...unmarked(marked, source) };
      });
      return { answers, usage: { calls: 1, tokens: 0, cached: 0 } };
    },
  };
}

/** A text with the apostrophes that its dictionaries have. */
const withPlainMarks = (text: string): string => text.replaceAll('’', "'");

/** A translation without the marks of words that are in no dictionary, and those words. */
function unmarked(marked: string, source: string): Pick<Answer, 'text' | 'unknown'> {
  const unknown = Array.from(
    marked.matchAll(/\*([\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'-]*)/gu),
    ([, word]) => word!,
  ).filter((word) => /^\p{Ll}/u.test(word));
  let text = marked.replace(/\*(?=[\p{L}\p{N}])/gu, '');
  // A word that is known in one language only, or whose form is unknown.
  for (const mark of ['@', '#']) {
    if (!source.includes(mark)) text = text.replaceAll(mark, '');
  }
  text = text.replace(/\s+/gu, ' ').trim();
  return unknown.length > 0 ? { text, unknown } : { text };
}

/** Runs the program on a text, which it reads from a file: it opens its input by name, which a socket has not. */
async function run(
  mode: string,
  input: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'captioner-apertium-'));
  try {
    const path = join(folder, 'in.html');
    await writeFile(path, input, { mode: 0o600 });
    const most = MOST_OUTPUT * Buffer.byteLength(input);
    return await outputOf(['-f', 'html-noent', mode, path], most, limitMs, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the program prints. @throws {StageFailure} and the signal's reason */
function outputOf(
  parameters: readonly string[],
  mostBytes: number,
  limitMs: number,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    // A group of its own, since the program starts others.
    const child = spawn(PROGRAM, parameters, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...childEnvironment(), LC_ALL: 'C.UTF-8' },
      detached: true,
    });
    reportChild(child);
    const chunks: Uint8Array[] = [];
    let left = mostBytes;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (child.exitCode === null) endGroup(child.pid);
      settle();
    };
    const abort = (): void => end(() => reject(signal.reason));
    const timer = setTimeout(() => end(() => reject(failed('did not respond in time'))), limitMs);
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Uint8Array) => {
      left -= chunk.byteLength;
      if (left < 0) end(() => reject(failed('said too much')));
      else chunks.push(chunk);
    });
    child.on('error', (error) => end(() => reject(failed(`cannot be run (${reasonOf(error)})`))));
    child.on('close', (code, killed) =>
      end(() => {
        if (code === 0) resolve(Buffer.concat(chunks).toString());
        else reject(failed(`ended (${killed ?? code})`));
      }),
    );
  });
}

/** Ends a process and those that it has started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const failed = (what: string): StageFailure =>
  new StageFailure({
    code: 'provider_unavailable',
    message: `Apertium ${what}.`,
    retryable: true,
    provider: PROGRAM,
    model: PROGRAM,
    suggestions: [],
  });

function unsupported(
  directions: readonly Direction[],
  from: string | null,
  to: string,
): StageFailure {
  const installed = directions.map((each) => `${each.from} into ${each.to}`).join(', ');
  return new StageFailure({
    code: 'language_unsupported',
    message:
      from === null
        ? 'The language of the captions is unknown, and Apertium has to know it.'
        : `The packages of Apertium on this host translate ${installed}, not ${from} into ${to}.`,
    retryable: false,
    provider: PROGRAM,
    model: PROGRAM,
    suggestions: [{ label: `Install the package of Apertium for ${from ?? 'it'} and ${to}` }],
  });
}
