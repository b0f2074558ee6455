/** Numbers, times and failures as the page words them, and that every text stands with the texts. */
import { describe, expect, test } from 'bun:test';
import {
  clock,
  count,
  duration,
  megabytes,
  position,
  seconds,
  sentence,
} from '../../../web/texts/format.ts';
import { ApiProblem, NoAnswer } from '../../../web/api/request.ts';
import { failureText } from '../../../web/tab/failure-text.ts';
import { SignInDismissed } from '../../../web/tab/session.ts';
import { text } from '../../../web/texts/shell.ts';
import { STAGE_PROGRESS } from '../../../server/contract/stage-progress.ts';
import {
  type Course,
  secondsLeft,
  secondsLeftIn,
  transcribedFraction,
  withSeen,
} from '../../../web/job/watch-run.ts';
import { Glob } from 'bun';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runs = (value: number): string => count(value, 'run', 'runs');

/** By the function: values in seconds, bytes or runs, and what is shown of them. */
test.each<[(value: number) => string, Record<number, string>]>([
  [runs, { 0: '0 runs', 1: '1 run', 2: '2 runs', 3000: '3,000 runs' }],
  [duration, { [-1]: '0 s', 35.172: '35 s', 59.4: '59 s', 59.6: '1:00 min', 3599.5: '1:00:00 h' }],
  [clock, { 0: '0:00', 4.6: '0:05', 118: '1:58', 3599.5: '1:00:00', 36_125: '10:02:05' }],
  // A position is rounded down, so that it is never too late; 0.8 may be 0.7999999999999999.
  [position, { [-0.5]: '00:00.0', 41.29: '00:41.2', [0.7 + 0.1]: '00:00.8', 59.999: '00:59.9' }],
  [position, { 0.3: '00:00.3', 750: '12:30.0', 36_000: '10:00:00.0' }],
  [seconds, { 0.84: '0.8 s', 2: '2 s', 12.96: '13 s' }],
  [megabytes, { 0: '0.0 MB', 9_940_000: '9.9 MB', 10_000_000: '10 MB', 99_600_000: '100 MB' }],
])('%p of %j', (shown, values) => {
  for (const [value, expected] of Object.entries(values))
    expect(shown(Number(value))).toBe(expected);
});

test.each([
  ['the file is too large', 'The file is too large.'],
  ['no speech was found!', 'No speech was found!'],
  ['version 1.2 of the file is unknown', 'Version 1.2 of the file is unknown.'],
])('the phrase "%s" becomes a sentence', (phrase, shown) => {
  expect(sentence(phrase)).toBe(shown);
});

test('a declined sign-in has no message; other failures have that of the connection or the service', () => {
  expect(failureText(new SignInDismissed())).toBeNull();
  expect(failureText(new NoAnswer())).toBe(text.offline);
  const refused = new ApiProblem(403, 'forbidden', 'Not for this key.');
  expect(failureText(refused)).toBe(text.run.refused('Not for this key.'));
  expect(failureText(refused, (message) => `No: ${message}`)).toBe('No: Not for this key.');
  const other = new RangeError('a fault of the program');
  expect(() => failureText(other)).toThrow(other);
});

test.each([
  [423, 'locked', true],
  [429, 'rate_limited', true],
  [429, 'quota_exceeded', false],
  [500, 'internal', true],
  [503, 'unavailable', true],
  [499, 'odd', false],
  [428, 'precondition_required', false],
  [404, 'not_found', false],
])('%p %s passes by itself: %p', (status, code, isPassing) => {
  expect(new ApiProblem(status, code, '').isPassing).toBe(isPassing);
});

test.each([
  ['nothing is done', 0, 0],
  ['half is heard', 0.455, 0.5],
  ['all is heard', STAGE_PROGRESS.moderation, 1],
  ['the terms are looked at', STAGE_PROGRESS.terminology_audit, 1],
])('the transcription when %s', (_, progress, expected) => {
  expect(transcribedFraction(progress)).toBeCloseTo(expected);
});

describe('the remaining seconds', () => {
  const from = (fraction: number, at: number) => ({ fraction, at });
  test.each([
    ['half in ten seconds leaves ten', from(0, 0), from(0.5, 10_000), 10],
    ['a tenth in ten seconds leaves ninety', from(0, 0), from(0.1, 10_000), 90],
    ['the pace counts from where it was first seen', from(0.5, 50_000), from(0.75, 60_000), 10],
    ['few are told in fives', from(0, 0), from(0.9, 10_000), 5],
    ['more in tens', from(0, 0), from(0.25, 10_500), 40],
    ['in tens from twenty on', from(0, 0), from(0.5, 21_000), 30],
  ])('%s', (_, first, now, expected) => {
    expect(secondsLeft(first, now)).toBe(expected);
  });

  test.each([
    ['too short a look', from(0, 0), from(0.5, 1999)],
    ['too little done', from(0, 0), from(0.029, 60_000)],
    ['nothing done', from(0.2, 0), from(0.2, 60_000)],
    ['done', from(0, 0), from(1, 60_000)],
  ])('nothing is shown after %s', (_, first, now) => {
    expect(secondsLeft(first, now)).toBeNull();
  });
});

describe('the remaining seconds of a stage that goes on in steps', () => {
  /** What is told at each second of a run whose steps end at these times, in seconds; with what was left. */
  const toldDuring = (ends: readonly number[]): [told: number, left: number][] => {
    let course: Course = [];
    const found: [number, number][] = [];
    const end = ends.at(-1)!;
    for (let now = 0; now < end; now += 1) {
      const done = ends.filter((at) => at <= now).length;
      course = withSeen(course, { fraction: done / ends.length, at: now * 1000 });
      const told = secondsLeftIn(course, now * 1000);
      if (told !== null) found.push([told, end - now]);
    }
    return found;
  };
  const steps = (many: number, at: (step: number) => number) =>
    Array.from({ length: many }, (_, step) => at(step + 1));
  test.each([
    ['after a minute in which a model loads', steps(40, (step) => 60 + step * 1.5)],
    ['in pairs, as two pieces end together', steps(40, (step) => 20 + Math.ceil(step / 2) * 4)],
    ['of two hours', steps(700, (step) => 5 + step * 2)],
    ['that vary by half', steps(60, (step) => step * 2 + Math.sin(step) * 0.5)],
  ])('is at most twice wrong, %s', (_, ends) => {
    const told = toldDuring(ends);
    expect(told.length).toBeGreaterThan(10);
    // Rounding to five and ten seconds counts for nothing near the end.
    const wrong = told.filter(([says, left]) => says > 2 * left + 10 || says < left / 2 - 10);
    expect(wrong).toEqual([]);
  });

  test('follows a stage that becomes four times as slow', () => {
    const ends = steps(100, (step) => (step <= 40 ? step : 40 + (step - 40) * 4));
    const late = toldDuring(ends).filter(([, left]) => left < 200);
    expect(late.filter(([says, left]) => says > 2 * left + 10 || says < left / 2 - 10)).toEqual([]);
  });

  test.each([
    ['before the first step', [], 60_000],
    ['within ten seconds of it', [0, 0.1, 0.2, 0.3], 9000],
    ['at the end', [0, 0.5, 0.9, 1], 60_000],
  ])('nothing is shown %s', (_, fractions, now) => {
    const course = fractions.map((fraction, at) => ({ fraction, at: at * 1000 }));
    expect(secondsLeftIn(course, now)).toBeNull();
  });
});

const web = fileURLToPath(new URL('../../../web/', import.meta.url));

/** Files with text for people that is not the app's own. */
const OTHER = new Set([
  // The sample talk, and its captions as a service would have made them.
  'start/sample.ts',
  'start/sample-result.ts',
  // Names of files.
  'join-parts.ts',
]);

const STRING = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Texts that a person sees, as content, labels or titles. */
const SHOWN =
  /(?:children|title|label|hint|alt|placeholder|"aria-label"): ("(?:[^"\\\n]|\\.)*[a-z]{2}(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/gi;

/** Errors are for those who read the console. */
const THROWN = /new [A-Za-z]*(?:Error|Exception)\((?:[^()]|\([^()]*\))*\)/g;

/** Content that continues with a value: `"Caption "`. */
const CONTINUES = /^"(?:\p{L}{2,}[^"]* | [^"]*\p{L}{2,})"$/u;

/** Names that look like phrases: keys, the scheme of a header, a message of the browser. */
const NAMES = /^.(?:[\w]+(?:\+\w+)+(?: [\w+]+)?|Bearer .*|ResizeObserver loop|word ).$/;

/** Whether a string is a phrase: a capital letter or a full stop, and at least two words. */
const isPhrase = (literal: string): boolean =>
  !NAMES.test(literal) &&
  (CONTINUES.test(literal) || hasWords(literal.replaceAll(/\$\{[^}]*\}/g, 'it')));

const hasWords = (literal: string): boolean =>
  /\p{L}{2,} \p{L}/u.test(literal) &&
  (/^.\p{Lu}\p{Ll}/u.test(literal) || /\w[.?!…].$/.test(literal));

/** The texts for people in a source; JSX content becomes strings when it is transpiled. */
function textsIn(source: string, loader: 'ts' | 'tsx' = 'tsx'): string[] {
  const code = new Bun.Transpiler({ loader, target: 'browser' })
    .transformSync(source)
    .replaceAll(THROWN, '');
  const phrases = [...code.matchAll(STRING)].map(([literal]) => literal).filter(isPhrase);
  const shown = [...code.matchAll(SHOWN)].flatMap(([, literal = '']) =>
    // A template with nothing but values contains no text.
    !NAMES.test(literal) && /[a-z]{2}/i.test(literal.replaceAll(/\$\{[^}]*\}/g, ''))
      ? [literal]
      : [],
  );
  return [...new Set([...phrases, ...shown])];
}

const files = [...new Glob('**/*.{ts,tsx}').scanSync(web)].filter(
  (path) => !path.startsWith('texts/') && !OTHER.has(path),
);

test('no text is anywhere else', async () => {
  expect(files.length).toBeGreaterThan(150);
  const found = await Promise.all(
    files.map(async (path) =>
      textsIn(await Bun.file(join(web, path)).text(), path.endsWith('x') ? 'tsx' : 'ts').map(
        (text) => `${path}: ${text}`,
      ),
    ),
  );
  expect(found.flat()).toEqual([]);
});
