/** A recogniser can return any text; none of it may have an effect in a caption file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { buildCues } from '../../../server/captions/build/build.ts';
import { makeCue } from '../../../server/captions/cue.ts';
import { readSrt, toSrt } from '../../../server/captions/files/srt.ts';
import { toPlainText } from '../../../server/captions/files/plain-text.ts';
import { readVtt, toVtt } from '../../../server/captions/files/vtt.ts';
import { signUp, type Any, type Client } from '../../support/servers/client.ts';
import { rounds } from '../../support/fuzz.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { sample } from '../../support/sample.ts';
import { deepgramAnswer, deepgramWire } from '../../support/doubles/speech-doubles.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { signs, strictSrt, strictVtt } from './support/strict-captions.ts';
import { HOSTILE_WORDS, UGLY_PARTS } from './support/hostile-text.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import { withoutItalics } from '../../../server/captions/italics.ts';

setDefaultTimeout(300_000);

const deepgram = await startHttpDouble(
  deepgramWire(
    deepgramAnswer(
      HOSTILE_WORDS.map(([text], at) => ({ text, start: at, end: at + 0.8, confidence: 0.9 })),
    ),
  ),
);
afterAll(() => deepgram.close());
const server = await testServer({
  env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: deepgram.origin },
});

/** The text without spaces, because line breaks are not tested here. */
const letters = (text: string): string => text.replaceAll(/\s/g, '');
const heard = letters(HOSTILE_WORDS.map(([, shown]) => shown).join(''));

describe('captions of a hostile transcript', () => {
  let ann: Client;
  let runId: string;
  let result: Any;
  const file = (format: string) => ann.get(`/workflows/captioner/${runId}/captions.${format}`);
  beforeAll(async () => {
    ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', Bun.file(sample));
    const answer = await ann.caption({
      audio: { key: 'talk.mp3' },
      transcription: { provider: 'deepgram' },
      // The words must arrive unchanged for this test.
      audit: { enabled: false },
    });
    ({ result } = answer);
    ({ runId } = answer._meta);
  });

  test('contain all words, as text', () => {
    expect(result.status).toBe('completed');
    const { cues } = result.captions;
    expect(cues.length).toBeGreaterThan(5);
    expect(letters(cues.map(({ text }: Any) => text).join(''))).toBe(heard);
    for (const { text, lines } of cues) {
      expect(text).not.toMatch(/-->|[\0\r\v\f\u0085\u2028\u2029\ufeff]|\n\n/);
      expect(text.isWellFormed()).toBe(true);
      expect(lines.join('\n')).toBe(text);
    }
  });

  test('as SRT contain exactly the cues of the result', async () => {
    const response = await file('srt');
    const srt = await response.text();
    expect(srt).toBe(result.captions.srt);
    expect(signs(strictSrt(srt))).toEqual(result.captions.cues.map(({ lines }: Any) => lines));
    expect(readSrt(srt)).toHaveLength(result.captions.cues.length);
  });

  test('as WebVTT contain no tag, entity, note, style or region', async () => {
    const vtt = await (await file('vtt')).text();
    expect(strictVtt(vtt)).toEqual(result.captions.cues.map(({ lines }: Any) => lines));
    expect(vtt.match(/-->/g)).toHaveLength(result.captions.cues.length);
  });

  test('as text and JSON have the same words', async () => {
    expect(letters(await (await file('txt')).text())).toBe(heard);
    expect(await (await file('json')).json()).toEqual({ cues: result.captions.cues });
  });

  test.each([
    ['srt', 'application/x-subrip; charset=utf-8'],
    ['vtt', 'text/vtt; charset=utf-8'],
    ['txt', 'text/plain; charset=utf-8'],
    ['json', 'application/json; charset=utf-8'],
  ])('%s is sent so that no browser takes it for a page', async (format, type) => {
    const { headers, status } = await file(format);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    // File names contain only letters, digits and plain punctuation of the key.
    expect(headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="[\\w. -]+\\.${format}"; filename\\*=UTF-8''[\\w.%-]+$`),
    );
  });
});

describe('with any lines', () => {
  const line = fc
    .array(fc.oneof(fc.constantFrom(...UGLY_PARTS), fc.string({ unit: 'binary', maxLength: 4 })), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));
  const cues = fc.array(
    fc
      .tuple(fc.nat(359_990_000), fc.nat(9000), fc.array(line, { minLength: 1, maxLength: 3 }))
      .map(([start, length, lines]) => makeCue(1, start / 1000, (start + length) / 1000, lines)),
    { maxLength: 4 },
  );

  test('SRT and WebVTT have one cue for each, with the same number of lines', () => {
    fc.assert(
      fc.property(cues, (made) => {
        const shape = made.map(({ lines }) => lines.length);
        const srt = toSrt(made);
        const vtt = toVtt(made);
        const [ofSrt, ofVtt] = [strictSrt(srt), strictVtt(vtt)];
        expect(ofSrt.map((lines) => lines.length)).toEqual(shape);
        expect(signs(ofVtt)).toEqual(signs(ofSrt));
        expect([readSrt(srt).length, readVtt(vtt).length]).toEqual([made.length, made.length]);
        expect(typeof toPlainText(made)).toBe('string');
      }),
      { numRuns: rounds(1_500) },
    );
  });

  // Times as providers may return them, including absurd ones.
  const time = fc.oneof(fc.double({ min: 0, max: 60 }), fc.double(), fc.constant(Number.NaN));
  const words = fc.array(fc.record({ text: line, start: time, end: time }), { maxLength: 6 });

  test('words become cues that both formats can represent, however late', () => {
    fc.assert(
      fc.property(words, (made) => {
        const built = buildCues(made, DEFAULT_CAPTION_SETTINGS);
        // An empty pair of tags shows nothing; a line that would be blank is an ellipsis.
        const lines = built.map((cue) =>
          withoutItalics(cue.lines).map((line) => line.trim() || '…'),
        );
        expect(signs(strictSrt(toSrt(built)))).toEqual(signs(lines));
        expect(strictVtt(toVtt(built))).toEqual(lines);
      }),
      { numRuns: rounds(1_500) },
    );
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a cue at %d s is refused', (at) =>
    expect(() => toSrt([{ start: at, end: at, lines: ['x'] }])).toThrow(RangeError),
  );
});
