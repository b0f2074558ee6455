/**
 * All profiles in all languages (profile-list.txt), and what their checks find and fix in a long list of faulty
 * captions (check-table.txt). `OUTLINES=write npm test -- test/captions/profile-checks.test.ts` updates both; a number
 * that moved should have moved on purpose.
 */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { checkCaptions, fixCaptions, type CheckedPicture } from '../../server/captions/check.ts';
import type { Caption } from '../../server/captions/cue.ts';
import { CAPTION_FILES } from '../../server/captions/formats.ts';
import { HOUSE_PROFILE_FORMAT, houseRules } from '../../server/captions/profiles/house-profile.ts';
import type { RuleName } from '../../server/captions/profiles/profile.ts';
import { PROFILE_NAMES, profileOf, withSettings } from '../../server/captions/profiles/profiles.ts';
import { expectKeptIn } from '../support/kept.ts';
import { sequence } from './support.ts';

const here = new URL('outlines/', import.meta.url);
const LANGUAGES = 'en ar de fr hi ja ko ru th zh-CN pt-BR xx'.split(' ');

/** A value by path, one line each. */
function linesOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${String(value)}`];
  return Object.entries(value).flatMap(([name, inner]) =>
    linesOf(inner, path === '' ? name : `${path}.${name}`),
  );
}

const without = (lines: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line)).map((line) => `  ${line}`);
};

test('the rules of all profiles, and how languages and settings change them', () => {
  const settings = { maxLineChars: 30, maxLines: 3, minDuration: 1.5, maxDuration: 5 };
  const changes = {
    maxLines: 3,
    maxLineChars: 30,
    minDuration: 1.5,
    maxDuration: 5,
    gapFrames: 4,
    closedGap: 0.25,
    frameRate: 25,
    shots: { before: 1 },
    speed: { unit: 'words', perMinute: 180 },
    dialogue: { dash: '– ', lines: 'second' },
  } as const;
  const house = (base: (typeof PROFILE_NAMES)[number], of: object) =>
    houseRules({ format: HOUSE_PROFILE_FORMAT, name: 'Ours', base, ...of }, 'en');
  const lines = PROFILE_NAMES.flatMap((name) => {
    const english = linesOf(profileOf(name, 'en'));
    const others = LANGUAGES.slice(1).flatMap((language) => [
      `${name} in ${language}`,
      ...without(linesOf(profileOf(name, language)), english),
    ]);
    const set = without(linesOf(withSettings(profileOf(name, 'ja'), settings)), english);
    const own = Object.entries(changes).flatMap(([field, value]) => [
      `${name} with ${field}`,
      ...without(linesOf(house(name, { [field]: value })), english),
    ]);
    const none = without(linesOf(house(name, { frameRate: null, shots: null })), english);
    return [
      name,
      ...english.map((line) => `  ${line}`),
      ...others,
      `${name} in ja with settings`,
      ...set,
      ...(name === 'netflix' || name === 'default' ? own : []),
      `${name} without frames`,
      ...none,
    ];
  });
  expectKeptIn(here, 'profile-list', lines);
});

/** Captions with all faults that the rules know, by turns and by chance. */
function faulty(count: number, texts: readonly string[]): Caption[] {
  const next = sequence(count);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
  const made: Caption[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const start = at + pick([0, 0, 0.01, 0.04, 0.083, 0.2, 0.4, 0.7, 1, 2, -0.05]);
    at = start + pick([0.2, 0.5, 0.8, 0.9, 1.2, 2, 3, 4.5, 6.9, 7, 7.04, 8.5]);
    const ms = (seconds: number): number => Math.round(Math.max(0, seconds) * 1000) / 1000;
    const lines = Array.from({ length: pick([1, 1, 2, 2, 2, 3]) }, () => pick(texts));
    const kind = next();
    made.push({
      start: ms(start),
      end: ms(at),
      lines:
        kind < 0.1
          ? lines.map((line) => `- ${line}`)
          : kind < 0.15
            ? [`<i>${lines[0]}</i>`]
            : lines,
      ...(kind < 0.2 ? { speakers: lines.map((_, line) => pick(['A', 'B', `${line}`])) } : {}),
      ...(kind > 0.95 ? { placement: { vertical: 'top' as const } } : {}),
    });
  }
  return made;
}

const TEXTS = {
  en: [
    'Yes.',
    'Nobody copies a secret.',
    'from one window to another any more',
    'It reads a page that is far too long for any line of it',
  ],
  ja: [
    'はい。',
    '秘密は誰もコピーしません。',
    'これは一行に収まらないほど長い文章なので分けられます。',
    'AIとMCP',
  ],
};
const PICTURES: CheckedPicture[] = [
  {},
  { frameRate: 25, shots: [1, 2.52, 5, 9.4, 14, 14.6, 21, 40, 60, 61] },
  { frameRate: 23.976, shots: [3, 8, 8.3, 30] },
];

test('what the checks find in faulty captions, and what they fix', () => {
  const lines = Object.entries(TEXTS).flatMap(([language, texts]) => {
    const cues = faulty(50, texts);
    const names =
      language === 'en' ? (['netflix', 'bbc', 'dcmp', 'default'] as const) : (['netflix'] as const);
    return names.flatMap((name) =>
      PICTURES.map((picture) => {
        const profile = profileOf(name, language);
        const found = checkCaptions(cues, profile, picture);
        const counts = [...Map.groupBy(found, ({ rule }) => rule)].map(
          ([rule, all]) => `${all.length} ${rule}, ${all.filter(({ fix }) => fix).length} fixed`,
        );
        const only: RuleName[] = ['gap', 'on_frames'];
        const whole = [
          found,
          fixCaptions(cues, profile, picture),
          fixCaptions(cues, profile, picture, only),
        ];
        const sum = createHash('sha256').update(JSON.stringify(whole)).digest('hex').slice(0, 12);
        return `${name} ${language} ${picture.frameRate ?? ''}: ${counts.join('; ')} (${sum})`;
      }),
    );
  });
  expectKeptIn(here, 'check-table', lines);
});

test('files of all formats', () => {
  const cues: Caption[] = [
    { start: 0, end: 1.5, lines: ['<i>Hello</i> & <you>', 'it’s "me".'], speakers: ['Ada', 'Ben'] },
    { start: 1.5, end: 3.0005, lines: ['{\\an8} a --> b', '-No.'], speakers: ['Ada'] },
    {
      start: 61,
      end: 3725.25,
      lines: ['Top', '<i>left</i>'],
      placement: { vertical: 'top', align: 'start' },
    },
    {
      start: 3726,
      end: 359_000,
      lines: ['שלום עולם.'],
      placement: { vertical: 'middle', align: 'end' },
    },
    { start: 359_001, end: 359_998, lines: ['One', 'two', 'three'] },
  ];
  const lines = Object.entries(CAPTION_FILES).flatMap(([name, { type, write }]) => [
    `${name}, ${type}`,
    ...[{}, { language: 'he' }, { language: 'pt-BR' }].map((options) =>
      JSON.stringify(write(cues, options)).replaceAll('\\n', '\n  '),
    ),
  ]);
  expectKeptIn(here, 'files', lines);
  expect(Object.keys(CAPTION_FILES)).toEqual(['srt', 'vtt', 'ass', 'ttml', 'txt']);
});
