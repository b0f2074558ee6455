/** Every regular expression of the program takes time in proportion to the length of its text. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { analyse } from 'scslre';
import { THREAT_RULES } from '../../../server/moderation/threat-rules.ts';
import { MINORS_RULES } from '../../../server/moderation/minors-rules.ts';
import { HATE_RULES } from '../../../server/moderation/hate-rules.ts';
import { languageOf } from '../../../server/captions/language.ts';
import { costOf, excessOf, MAX_EXCESS } from '../../support/growth.ts';
import { sourcePatterns } from './support/source-patterns.ts';

setDefaultTimeout(300_000);

/**
 * Expressions built at run time, with examples of them; files that are missing here fail the test.
 */
const MADE: Record<string, RegExp[]> = {
  'server/moderation/minors-rules.ts': patternsOf(MINORS_RULES),
  'server/moderation/hate-rules.ts': patternsOf(HATE_RULES),
  'server/moderation/threat-rules.ts': patternsOf(THREAT_RULES),
  // Built from names in the program.
  'server/media/to-mp3.ts': [/^duration=(\S+)$/m],
  // A position, and what may follow it.
  'server/terminology/packs/people-lines.ts': [
    /^(?:(?<!\p{L})(?:chief|director|(?:managing |executive )?director|[es]?vp)(?!\p{L})[\s&,]{0,5}(?:(?:and|und)\s)?)+/iu,
  ],
  // Rules of spelling, each for the letters at one place of a word.
  'server/terminology/sound/pronounce.ts': [/er(?![aeiouy])/y, /(?<=[aeo])w(?![aeiou])/y],
  'server/captions/language.ts': ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt'].flatMap((tag) => {
    const { modifierEnding, participleEnding } = languageOf(tag);
    return [modifierEnding, participleEnding].filter((pattern) => pattern !== null);
  }),
  'server/terminology/match/token-stream.ts': [/[^\-‐‑‒–—/_]+/g],
  'server/terminology/match/normalize.ts': [/[-‐‑‒–—/_\s]+/],
  'server/terminology/match/surfaces.ts': [/[\s\p{M}\-‐‑‒–—/_]/gu],
  // Literal except for white space, which matches any other: typed by users to search their own
  // captions.
  'server/captions/divide/replace-spoken.ts': [/it['’]s\s+all/giu],
  // Typed by users to search their own captions: it can only block their own tab.
  'web/review/editing/finder.ts': [],
  // For a page of the program's own.
  'server/http/response-headers.ts': [],
  // Built from names in the program.
  'server/http/route-table.ts': [/^\/workflows\/captioner\/[^/]+\/events$/],
};

function patternsOf(rules: typeof HATE_RULES): RegExp[] {
  return rules.flatMap(({ pattern, unless }) => [
    pattern,
    ...unless.map((exception) => exception.pattern),
  ]);
}

const written = await sourcePatterns();
const literals = written.flatMap(({ where, pattern }) => (pattern ? { where, pattern } : []));
const made = Object.entries(MADE).flatMap(([where, patterns]) =>
  patterns.map((pattern) => ({ where, pattern })),
);

test('the sources are found', () => {
  expect(literals.length).toBeGreaterThan(200);
});

test('every regular expression that is built at run time is listed', () => {
  const files = written.flatMap(({ where, pattern }) => (pattern ? [] : where.split(':')[0]));
  expect(new Set(files)).toEqual(new Set(Object.keys(MADE)));
});

/**
 * Whether an expression that may begin anywhere passes over any text up to something that it needs: without that, each
 * beginning in the text costs a pass to the end of the text. scslre does not report this.
 */
function runsToTheEnd({ source, flags }: RegExp): boolean {
  if (source.startsWith('^') && !flags.includes('m')) return false;
  const any = String.raw`(?:\[\^\]|\[\\s\\S\]|\[\\S\\s\]|\[\\d\\D\]|(?<!\\)\.)`;
  const run = new RegExp(String.raw`${any}(?:[*+]|\{\d+,\})\?(?!$|\)$)`);
  return run.test(source);
}

describe('by analysis (scslre)', () => {
  test('no expression backtracks over a run of characters', () => {
    const faults = [...literals, ...made].flatMap(({ where, pattern: { source, flags } }) =>
      analyse({ source, flags }).reports.map(
        ({ type, exponential }) =>
          `${where} ${type}${exponential ? ' (exponential)' : ''} ${source}`,
      ),
    );
    expect(faults).toEqual([]);
  });

  test('no expression looks for an end that may be missing, from each of many beginnings', () => {
    const faults = [...literals, ...made].flatMap(({ where, pattern }) =>
      runsToTheEnd(pattern) ? `${where} ${pattern.source}` : [],
    );
    expect(faults).toEqual([]);
  });

  test('the patterns that held the service up would be found', () => {
    expect(runsToTheEnd(/<(script|style)\b[^>]*>[^]*?<\/\1>/gi)).toBe(true);
    for (const pattern of [/[^\p{L}\p{N}\p{M}+#]*$/u, /(?<=[.?!]["'”’)\]]*)\s+/, /\s+$/]) {
      expect(analyse({ source: pattern.source, flags: pattern.flags }).reports).not.toEqual([]);
    }
  });
});

/**
 * Text that an attacker repeats: the characters and words in the expression itself, and some more.
 */
function unitsOf({ source }: RegExp): string[] {
  const named = source
    .replaceAll(/\\[pP]\{\w+(?:=\w+)?\}/g, 'aA')
    .replaceAll(/\\u\{?([0-9a-f]{4,5})\}?/gi, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .replaceAll(/\\[swdbSWDB]/g, ' a1');
  const words = [...new Set(named.match(/[a-z]{3,}/g))].slice(0, 6).map((word) => `${word} `);
  const marks = [...new Set(named.replaceAll(/[a-z0-9]/gi, ''))].slice(0, 4);
  const single = [...new Set([...marks, 'a', ' ', '"', '\\'])];
  const pairs = single.flatMap((a) => single.filter((b) => b !== a).map((b) => a + b));
  return [...single, ...words, ...pairs];
}

/** Texts of about a length that may be slow for an expression. */
function* attacksOn(pattern: RegExp): Generator<(length: number) => string> {
  for (const unit of unitsOf(pattern)) {
    for (const [head, tail] of [
      ['', ''],
      ['', '\u0000'],
      ['', 'a'],
    ]) {
      yield (length) => `${head}${unit.repeat(Math.ceil(length / unit.length))}${tail}`;
    }
  }
}

const use = (pattern: RegExp, text: string): void =>
  void (pattern.global ? text.replaceAll(pattern, '') : pattern.exec(text));

/** Quadratic cost at this length takes milliseconds; less than one is linear. */
const LENGTH = 2000;
const SUSPICIOUS_US = 800;

/** The first excess that is too high, or the highest found. */
function worstExcess(pattern: RegExp): number {
  let worst = 0;
  for (const attack of attacksOn(pattern)) {
    const text = attack(LENGTH);
    if (costOf(() => use(pattern, text), 1) < SUSPICIOUS_US) continue;
    if (costOf(() => use(pattern, text)) < SUSPICIOUS_US) continue;
    worst = Math.max(
      worst,
      excessOf((size) => use(pattern, attack(size)), LENGTH / 2),
    );
    if (worst > MAX_EXCESS) return worst;
  }
  return worst;
}

describe('as measured', () => {
  test('each takes time proportional to its text', () => {
    const seen = new Set<string>();
    const faults = [...literals, ...made].flatMap(({ where, pattern }) => {
      if (seen.has(pattern.source)) return [];
      seen.add(pattern.source);
      const excess = worstExcess(pattern);
      return excess > MAX_EXCESS ? `${where} ${excess.toFixed(1)} × ${pattern.source}` : [];
    });
    expect(faults).toEqual([]);
  });

  test('the patterns that held the service up would be found', () => {
    for (const pattern of [/[^\p{L}\p{N}\p{M}+#]*$/u, /(?:"(?:\\.|[^"\\])*"|[^,])+/g]) {
      expect(worstExcess(pattern)).toBeGreaterThan(MAX_EXCESS);
    }
  });
});
