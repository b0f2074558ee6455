/** Reports on captions: canonical JSON, the signature, what rules ask, and the check without a service. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import type { MeasurementSummary } from '../../server/contract/evidence.ts';
import { canonicalJson, type Json } from '../../server/evidence/canonical-json.ts';
import { captionFacts, type Report } from '../../server/evidence/report.ts';
import { namesFile } from '../../server/evidence/report-file.ts';
import { reportWords } from '../../server/http/reviews/report-words.ts';
import { rulePoints } from '../../server/evidence/rule-points.ts';
import { signedReport, signingKey, verifyReport } from '../../server/evidence/signature.ts';

const KEY = await signingKey('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');

describe('canonical JSON', () => {
  // RFC 8785, sections 3.2.2 and 3.2.3.
  test('is that of the examples of RFC 8785', () => {
    const literals = {
      numbers: [1 / 3, 1e30, 4.5, 2e-3, 1e-27],
      literals: [null, true],
    };
    expect(canonicalJson(literals)).toBe(
      '{"literals":[null,true],"numbers":[0.3333333333333333,1e+30,4.5,0.002,1e-27]}',
    );
    const keys = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      '\u00f6': 7,
    };
    expect(Object.values(JSON.parse(canonicalJson(keys)))).toHaveLength(7);
    expect([...canonicalJson(keys).matchAll(/:(\d)/g)].map(([, digit]) => digit).join('')).toBe(
      '2467153',
    );
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/')).toBe(
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
    );
  });

  test('has one form for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value as Json);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800']])('refuses %p', (value) => {
    expect(() => canonicalJson([value] as Json)).toThrow(TypeError);
  });
});

describe('a signature', () => {
  const report = {
    files: [
      { format: 'srt', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    ],
    points: [{ point: '1.2.2 Captions', status: 'not checked' }],
    figures: { value: 0.987, words: 301, name: 'Zoë “Ann” Łukasz' },
  };

  test('is that of RFC 8032, and fits the report', async () => {
    // RFC 8032, 7.1, test 1.
    expect(KEY.publicKey).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
    expect(await KEY.sign('')).toBe(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    );
    expect(await verifyReport(await signedReport(report, KEY))).toEqual({
      outcome: 'signed',
      report,
      publicKey: KEY.publicKey,
    });
  });

  test('finds each of 1,000 single changes', async () => {
    const text = await signedReport(report, KEY);
    const change = fc.record({
      at: fc.nat(text.length - 1),
      kind: fc.constantFrom('replace', 'insert', 'delete'),
      character: fc.constantFrom(...'0123456789abcdefABCDEF "{}[]:,.tz\\\n\t'),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, kind, character }) => {
        const skipped = at + (kind === 'insert' ? 0 : 1);
        const changed =
          text.slice(0, at) + (kind === 'delete' ? '' : character) + text.slice(skipped);
        fc.pre(changed !== text);
        expect((await verifyReport(changed)).outcome).toBe('refused');
      }),
      { numRuns: 1000 },
    );
  });

  test('names captions to the byte: each of 1,000 single changes makes them others', async () => {
    const captions = new TextEncoder().encode(
      '1\n00:00:00,000 --> 00:00:02,400\nWe signed in with Quilter\n\n2\n00:00:03,000 --> 00:00:05,000\nand then we uploaded the talk.\n',
    );
    const sha256 = createHash('sha256').update(captions).digest('hex');
    const named = { files: [{ format: 'srt', sha256 }] } as unknown as Report;
    expect(await namesFile(named, captions)).toBe(true);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(captions.length - 1),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        async (at, byte, isCut) => {
          const changed = isCut
            ? new Uint8Array([...captions.slice(0, at), ...captions.slice(at + 1)])
            : captions.with(at, byte);
          fc.pre(isCut || byte !== captions[at]);
          expect(await namesFile(named, changed)).toBe(false);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each([
    [
      'a name that stands twice',
      (text: string) => text.replace('"words":301', '"words":300,"words":301'),
    ],
    [
      'more in the envelope',
      (text: string) => text.replace('{"report"', '{"approved":true,"report"'),
    ],
    ['another form of the same', (text: string) => JSON.stringify(JSON.parse(text), null, 2)],
    ['no signature', (text: string) => canonicalJson({ report: JSON.parse(text).report })],
  ])('is refused with %s', async (_, forge) => {
    expect((await verifyReport(forge(await signedReport(report, KEY)))).outcome).toBe('refused');
  });

  test('by another key says so', async () => {
    const forged = await signingKey(
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    );
    const verified = await verifyReport(await signedReport(report, forged));
    expect(verified).toMatchObject({ outcome: 'signed', publicKey: forged.publicKey });
    expect(forged.publicKey).not.toBe(KEY.publicKey);
  });
});

const measured = (low: number, high: number, errors: Partial<Record<string, number>> = {}) =>
  ({
    person: 'Ann',
    seed: 's',
    figures: {
      accuracy: { value: (low + high) / 2, low, high },
      counted: 200,
      judged: 200,
      words: 1200,
      errors: { deletion: 0, sound: 0, speaker: 0, time: 0, ...errors },
    },
  }) as unknown as MeasurementSummary;

describe('the points of rules', () => {
  const words = reportWords('en');
  const statuses = (facts: Parameters<typeof rulePoints>[0]) =>
    Object.fromEntries(rulePoints(facts, words).map(({ point, status }) => [point, status]));

  test('are all unchecked as long as nobody has looked', () => {
    const points = rulePoints({ measurement: null, isCurrent: true, unheard: 0 }, words);
    expect(new Set(points.map(({ status }) => status))).toEqual(new Set(['not checked']));
    for (const { basis, source } of points) {
      expect(basis).not.toBe('');
      expect(source).toStartWith('https://');
    }
  });

  test.each([
    ['above 99 %', measured(0.991, 0.998), true, 0, ['met', 'met', 'met']],
    ['below it', measured(0.95, 0.97), true, 0, ['not met', 'not checked', 'not checked']],
    [
      'on neither side',
      measured(0.98, 0.995),
      true,
      0,
      ['not checked', 'not checked', 'not checked'],
    ],
    [
      'of an earlier version',
      measured(0.991, 0.998),
      false,
      0,
      ['not checked', 'not checked', 'not checked'],
    ],
    [
      'beside a stretch without captions',
      measured(0.991, 0.998),
      true,
      1,
      ['met', 'met', 'not checked'],
    ],
    [
      'with a sound that is missing',
      measured(0.991, 0.998, { sound: 1 }),
      true,
      0,
      ['met', 'met', 'not checked'],
    ],
  ])('follow an accuracy %s', (_, measurement, isCurrent, unheard, expected) => {
    const found = statuses({ measurement, isCurrent, unheard });
    expect([
      found['Accurate: 99 %'],
      found['(i) Accuracy'],
      found['1.2.2 Captions (Prerecorded)'],
    ]).toEqual(expected as never);
  });

  test('name who heard captions that come late', () => {
    const point = rulePoints(
      { measurement: measured(0.991, 0.998, { time: 2 }), isCurrent: true, unheard: 0 },
      words,
    ).find(({ point: name }) => name === '(ii) Synchronicity');
    expect(point?.status).toBe('not met');
    expect(point?.basis).toContain('Ann heard 200 passages');
  });
});

test('the facts of captions count what people changed, and how far starts are off', () => {
  const cue = (start: number, text: string) => ({ start, end: start + 2, lines: [text] });
  const facts = captionFacts(
    [cue(0, 'Hello their world'), cue(3, 'and good by')],
    [cue(0, 'Hello their world'), cue(3.2, '[applause] and goodbye')],
    [
      { start: 0.1, text: 'hello' },
      { start: 3, text: 'and' },
    ],
    6,
  );
  expect(facts).toMatchObject({
    captions: 2,
    words: 6,
    soundsDescribed: 1,
    changes: {
      words: 3,
      listed: [
        { at: 3, before: '', after: '[applause]' },
        { at: 3, before: 'good by', after: 'goodbye' },
      ],
    },
    synchrony: { compared: 1, median: 0.1, withinHalfSecond: 1 },
  });
});
