/** Captions and reviews of a run. */
import { describe, expect, test } from 'bun:test';
import type { Caption } from '../../server/captions/cue.ts';
import { toTtml } from '../../server/captions/files/ttml.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import {
  captionsMaker,
  CaptionsQuery,
  holdCaptions,
} from '../../server/http/runs/profiled-captions.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import type { RunSummary } from '../../server/runs/store/run-store.ts';
import { countedSpool } from '../support/doubles/counted-spool.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { speak } from '../captions/support.ts';
import { textOf } from '../support/held-text.ts';
import { type Any, told, until } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

describe('the captions of a run by the rules of a publisher', () => {
  const words = speak(
    'Good evening. I am very glad indeed that so many of you have come here tonight, whatever the weather says.'.split(
      ' ',
    ),
  );
  /** The same words four times, too fast to be read. */
  const fast = speak(
    [1, 2, 3, 4].flatMap(() => words.map(({ text }) => text)),
    0.03,
  );
  const resultOf = (heard: typeof words) =>
    ({
      transcript: { words: heard, metadata: { language: 'en' } },
    }) as never as CaptionerCompletedResult;
  /** The captions for a query. */
  function captionsFor(query: CaptionsQuery, heard = words, reviewed?: Caption[]) {
    const maker = captionsMaker({ language: 'en', captions: {} }, query);
    return maker!.make(resultOf(heard), reviewed);
  }

  test('follow its lines and frames', () => {
    const { cues } = captionsFor({ profile: 'dcmp' });
    const lengths = cues.flatMap(({ lines }) => lines.map(({ length }) => length));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(32);
    const framed = captionsFor({ profile: 'netflix', frameRate: '25' });
    for (const { start, end } of framed.cues) {
      expect([start, end].map((time) => Math.round(time * 1000) % 40)).toEqual([0, 0]);
    }
    expect(toTtml(framed.cues, framed.options)).toContain('ttp:frameRate="25"');
  });

  test('come with a warning for each rule that the speech does not allow', () => {
    const { cues, warnings } = captionsFor({ profile: 'netflix' }, fast);
    const found = warnings!();
    expect(found.length).toBeGreaterThan(0);
    for (const { cue, message, rule, sentence, source } of found) {
      expect(cues[cue - 1]).toBeDefined();
      expect(message).toStartWith(`Caption ${cue} reads at `);
      expect(rule).toBe('reading_speed');
      expect(sentence).toBe('Programmes for adults read at up to 20 characters a second.');
      expect(source).toContain('English-Timed-Text-Style-Guide');
    }
    expect(captionsFor({ profile: 'netflix' }).warnings!()).toEqual([]);
  });

  test('are made once for readers that follow each other', async () => {
    let made = 0;
    const texts = createRunTexts(async () => {
      made += 1;
      return JSON.stringify(resultOf(fast));
    });
    const stored = { review: () => Promise.resolve(null) } as never;
    const run = { id: 'run', state: 'completed', payload: { language: 'en' } } as RunSummary;
    const read = async (profile: 'netflix' | 'bbc') => {
      const services = { texts, stored, translations: null as never, pool: poolHere };
      const held = await holdCaptions(services, run, 'srt', { profile });
      const text = await textOf(held);
      held.release();
      return text;
    };
    expect(await read('netflix')).toBe(await read('netflix'));
    expect(made).toBe(1);
    await read('bbc');
    expect(made).toBe(2);
  });

  test('keep the words of a review: only safe fixes are made', () => {
    const text = 'A corrected caption that is somewhat longer than a line.';
    const review = [{ start: 0, end: 0.5, lines: [text] }];
    const [first] = captionsFor({ profile: 'netflix', frameRate: '25' }, words, review).cues;
    expect(first?.lines).toHaveLength(2);
    expect(first?.lines.join(' ')).toBe(text);
    expect((first?.end ?? 0) - (first?.start ?? 0)).toBeGreaterThan(0.83);
  });
});

const { spool, held } = countedSpool();
const app = await mountedApp({ parts: { spool } });
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.org');
const uploader = await app.signUp('up@example.org', ['captioner:audio:upload']);
const tool = callTool.bind(null, app, ann);

const newRun = (text = 'We use skim for provisioning.') =>
  completedRun(app.services.database, ann.organizationId, spoken(text));
const at = (runId: string, part = 'review') => `/workflows/captioner/${runId}/${part}`;
const get = (path: string, headers = {}) => app.ask(path, { key: ann.key, headers });

describe('captions by the rules of a profile, over HTTP and MCP', async () => {
  const { runId } = await newRun(
    'We use it for provisioning, and every team of ours has used it for years.',
  );
  const asked = (query: string) => get(`${at(runId, 'captions.json')}?${query}`);

  test('a query parameter may hold commas, but not come twice', async () => {
    const plain = await asked('profile=netflix&shots=0.4,2');
    const coded = await asked('profile=netflix&shots=0.4%2C2');
    expect([plain.status, coded.status]).toEqual([200, 200]);
    expect(await plain.json()).toEqual(await coded.json());
    for (const query of ['shots=1,2&shots=3,4', 'version=original&version=original']) {
      expect((await asked(query)).status).toBe(422);
    }
  });

  test('the tool returns the same captions as the file', async () => {
    const rules = { profile: 'dcmp', frameRate: '25', shots: '0.4,2' };
    const made = async (input: object) => tool('get_captions', { runId, format: 'json', ...input });
    const { captions } = (await made(rules)).structuredContent;
    expect(captions).toBe(await (await asked(new URLSearchParams(rules).toString())).text());
    const { cues, warnings } = JSON.parse(captions);
    for (const line of cues.flatMap((cue: Any) => cue.lines)) {
      expect(line.length).toBeLessThanOrEqual(32);
    }
    expect(warnings).toBeArray();
    expect((await made({})).structuredContent.captions).not.toBe(captions);
    const wrong = await made({ profile: 'vhs' });
    expect([wrong.isError, wrong.words]).toEqual([true, expect.stringContaining('profile')]);
  });
});

describe('a review', () => {
  const save = (
    runId: string,
    json: unknown,
    headers: Record<string, string> = {},
    key = ann.key,
  ) => app.ask(at(runId), { method: 'PUT', key, headers, json });
  const review = (text: string, more: object = {}) => ({
    cues: [{ start: 0, end: 2, lines: [text] }],
    ...more,
  });
  const captions = async (runId: string, query = '') =>
    (await get(`${at(runId, 'captions.srt')}${query}`)).text();

  test('is stored as a whole and returned as sent, to any key of the workspace', async () => {
    const { runId } = await newRun();
    const sent = review('We use SCIM for provisioning.', {
      corrections: [{ id: 'c1', decision: 'accepted' }],
      speakers: [{ id: 'A', name: 'Ada' }],
      finished: true,
    });
    const first = await save(runId, sent, { 'if-none-match': '*' });
    const receipt = await first.json();
    expect([first.status, receipt.cueCount, receipt.finished]).toEqual([201, 1, true]);
    expect(first.headers.get('etag')).toBe(receipt.etag);
    const read = await get(at(runId));
    const found = await read.json();
    expect(read.headers.get('etag')).toBe(receipt.etag);
    expect(found).toMatchObject({ ...sent, runId, savedAt: receipt.savedAt });
    expect(found.cues[0]).toMatchObject({ index: 1, startTime: '00:00:00,000' });
    expect((await get(at(runId), { 'if-none-match': receipt.etag })).status).toBe(304);
    // A review may be sent back as it was read: nothing has changed.
    const again = await save(runId, found, { 'if-match': receipt.etag });
    expect([again.status, again.headers.get('etag')]).toEqual([200, receipt.etag]);
  });

  test('is held once for readers that do not read, and dropped with the last of them', async () => {
    const { runId } = await newRun();
    const lines = ['x'.repeat(300)];
    const cues = Array.from({ length: 900 }, (_, at) => ({ start: at, end: at + 1, lines }));
    await save(runId, { cues }, { 'if-none-match': '*' });
    const before = held();
    const [first, second] = [await get(at(runId)), await get(at(runId))];
    expect(held()).toBe(before + 1);
    const { length } = await first.text();
    expect([held(), first.headers.get('content-length')]).toEqual([before + 1, String(length)]);
    await second.body?.cancel();
    await until(async () => held() === before);
  });

  test('replaces the captions, and the original stays available', async () => {
    const { runId, result } = await newRun();
    const before = await captions(runId);
    const text = 'We use SCIM for provisioning.';
    await save(runId, review(text));
    expect(await captions(runId)).toContain('SCIM');
    expect(await captions(runId, '?version=reviewed')).toContain('SCIM');
    expect(await captions(runId, '?version=original')).toBe(before);
    const times = { start: 0, end: 2, startTime: '00:00:00,000', endTime: '00:00:02,000' };
    expect((await (await get(at(runId, 'captions.json'))).json()).cues).toEqual([
      { index: 1, ...times, text, lines: [text] },
    ]);
    const run = await get(`/workflows/captioner/${runId}`);
    expect((await run.json()).envelope.result).toEqual(JSON.parse(JSON.stringify(result)));
    await app.ask(at(runId), { method: 'DELETE', key: ann.key });
    expect(await captions(runId)).toBe(before);
    const gone = get(`${at(runId, 'captions.srt')}?version=reviewed`);
    expect(await told(gone)).toBe('404 review_not_found');
    const odd = get(`${at(runId, 'captions.srt')}?version=newest`);
    expect(await told(odd)).toBe('422 invalid_payload');
  });

  test('has the times of its words in formats that hold them, and nowhere else', async () => {
    const { runId } = await newRun();
    await save(runId, review('We use SCIM.'), { 'if-none-match': '*' });
    const file = (query: string, format = 'vtt') => get(at(runId, `captions.${format}`) + query);
    expect(await (await file('')).text()).not.toContain('<00:');
    const vtt = await (await file('?karaoke=true')).text();
    expect(vtt.replaceAll(/<00:00:0[01]\.\d{3}>/g, '|')).toContain('We |use |SCIM.');
    expect(await (await file('?karaoke=true', 'ass')).text()).toMatch(/\\k\d+\}We /);
    expect(await told(file('?karaoke=true', 'srt'))).toBe('422 invalid_payload');
    expect(await told(file('?karaoke=true&language=de'))).toBe('422 invalid_payload');
  });

  test('cannot be overwritten without naming the current version', async () => {
    const { runId } = await newRun();
    const one = (await save(runId, review('one'), { 'if-none-match': '*' })).headers.get('etag')!;
    const two = await save(runId, review('two'), { 'if-match': one });
    const newest = two.headers.get('etag');
    for (const headers of [{ 'if-match': one }, { 'if-none-match': '*' }]) {
      for (const late of [
        await save(runId, review('three'), headers),
        await app.ask(at(runId), { method: 'DELETE', key: ann.key, headers }),
      ]) {
        expect(late.headers.get('etag')).toBe(newest);
        expect(await told(late)).toBe('412 precondition_failed');
      }
    }
    const blind = await save(runId, review('three'));
    expect(blind.headers.get('etag')).toBe(newest);
    expect(await told(blind)).toBe('428 precondition_required');
    expect(await captions(runId)).toContain('two');
    expect((await save(runId, review('three'), { 'if-match': '*' })).status).toBe(200);
    const none = await newRun();
    const nothing = save(none.runId, review('x'), { 'if-match': one });
    expect(await told(nothing)).toBe('412 precondition_failed');
  });

  test('invalid headers are refused, and so is a body that is too large', async () => {
    const { runId } = await newRun();
    const odd: Record<string, string>[] = [
      { 'if-match': 'bare' },
      { 'if-none-match': '"tag"' },
      { 'if-match': '"a"', 'if-none-match': '*' },
    ];
    for (const headers of odd) expect((await save(runId, review('x'), headers)).status).toBe(422);
    const large = save(runId, {}, { 'content-length': '16777217' });
    expect(await told(large)).toBe('413 payload_too_large');
  });

  test('of another workspace is not found by any method, and a key needs the scope', async () => {
    const { runId } = await newRun();
    await save(runId, review('mine'));
    for (const method of ['GET', 'DELETE'] as const) {
      expect(await told(app.ask(at(runId), { method, key: bob.key }))).toBe('404 run_not_found');
      const less = app.ask(at(runId), { method, key: uploader.key });
      expect(await told(less)).toBe('403 insufficient_scope');
    }
    expect(await told(save(runId, review('yours'), {}, bob.key))).toBe('404 run_not_found');
    expect(await captions(runId)).toContain('mine');
  });

  test('of a run without captions is refused', async () => {
    const payload = { audio: { key: 'a.mp3' } };
    const started = await app.ask('/workflows/captioner', { key: ann.key, json: payload });
    const { runId } = await started.json();
    expect(await told(save(runId, review('x')))).toBe('409 captions_not_ready');
    expect(await told(get(at(runId)))).toBe('404 review_not_found');
  });

  test('by tools changes a caption and keeps the rest, and notices a newer review', async () => {
    const { runId, cues } = await newRun();
    const text = `${(cues[0]?.text ?? '').replace('skim', 'SCIM')}\nonce more`;
    const saved = await tool('review_captions', { runId, captions: [{ index: 1, text }] });
    expect(saved.structuredContent).toMatchObject({ runId, cueCount: cues.length });
    const shown = async (more = {}) =>
      (await tool('get_captions', { runId, ...more })).structuredContent.captions;
    expect(await shown()).toContain('SCIM');
    expect(await shown({ version: 'original' })).toContain('skim');
    const { etag, review: found } = (await tool('get_review', { runId })).structuredContent;
    expect([etag, found.cues[0].text]).toEqual([saved.structuredContent.etag, text]);
    expect(found.cues[0].lines).toEqual(text.split('\n'));
    await save(runId, review('newer'), { 'if-match': etag });
    const late = await tool('review_captions', { runId, etag, finished: true });
    expect(late).toMatchObject({ isError: true });
    expect(late.words).toContain('precondition_failed');
    const wrong = await tool('review_captions', { runId, captions: [{ index: 99, text: 'x' }] });
    expect(wrong.words).toContain('captions.0.index');
    for (const name of ['get_review', 'review_captions', 'delete_review']) {
      const other = await callTool(app, bob, name, { runId });
      expect(other.words).toBe('run_not_found: There is no run with this id.');
    }
    await tool('delete_review', { runId });
    expect((await tool('get_review', { runId })).words).toContain('review_not_found');
  });

  test('by tools decides terms one by one, and keeps earlier decisions', async () => {
    const { runId } = await newRun();
    const settled = async (decision: string) => {
      await tool('review_captions', { runId, corrections: [{ id: 'c1', decision }] });
      await tool('review_captions', { runId, finished: true });
      return (await tool('get_review', { runId })).structuredContent.review.corrections;
    };
    const others = (await settled('accepted')).filter(({ id }: Any) => id !== 'c1');
    expect(await settled('rejected')).toEqual([...others, { id: 'c1', decision: 'rejected' }]);
    expect(await settled('accepted')).toEqual([...others, { id: 'c1', decision: 'accepted' }]);
  });
});
