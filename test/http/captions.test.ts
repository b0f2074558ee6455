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
import type { RunSummary } from '../../server/runs/store/stored-run.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { speak } from '../captions/support.ts';
import { textOf } from '../support/held-text.ts';
import { type Any, until } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import { createSpool } from '../../server/storage/spool.ts';

// The captions of a run by a publisher's rules, selected with a query parameter.
{
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
  /** The captions for a query, of a run with these caption settings. */
  function captionsFor(query: CaptionsQuery, captions = {}, reviewed?: Caption[], heard = words) {
    const maker = captionsMaker({ language: 'en', captions }, query);
    const { cues, options, warnings } = maker!.make(resultOf(heard, 'en'), reviewed);
    return { made: cues, options, warnings };
  }

  const resultOf = (heard: typeof words, language: string): CaptionerCompletedResult =>
    ({
      transcript: { words: heard, metadata: { language } },
    }) as unknown as CaptionerCompletedResult;

  const run = {
    id: 'run',
    state: 'completed',
    payload: { language: 'en' },
  } as RunSummary;

  describe('the captions of a run', () => {
    test('follow the lines and frames of a profile', () => {
      const { made } = captionsFor({ profile: 'dcmp' });
      const lengths = made.flatMap(({ lines }) => lines.map(({ length }) => length));
      expect(Math.max(...lengths)).toBeLessThanOrEqual(32);
      const framed = captionsFor({ profile: 'netflix', frameRate: '25' });
      for (const { start, end } of framed.made) {
        expect([start, end].map((time) => Math.round(time * 1000) % 40)).toEqual([0, 0]);
      }
      const ttml = toTtml(framed.made, framed.options);
      expect(ttml).toContain('ttp:frameRate="25"');
    });
    test('come with a warning for each rule that the speech does not allow', () => {
      const { made, warnings } = captionsFor({ profile: 'netflix' }, {}, undefined, fast);
      const found = warnings!();
      expect(found.length).toBeGreaterThan(0);
      for (const { cue, message, rule, sentence, source } of found) {
        expect(made[cue - 1]).toBeDefined();
        expect(message).toStartWith(`Cue ${cue} reads at `);
        expect([rule, sentence]).toEqual([
          'reading_speed',
          'Programmes for adults read at up to 20 characters a second.',
        ]);
        expect(source).toContain('English-Timed-Text-Style-Guide');
      }
      expect(captionsFor({ profile: 'netflix' }).warnings!()).toEqual([]);
    });
    test('by a profile are made once for readers that follow each other', async () => {
      let made = 0;
      const texts = createRunTexts(async () => {
        made += 1;
        return JSON.stringify(resultOf(fast, 'en'));
      });
      const stored = { review: () => Promise.resolve(null) } as never;
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
    test('of a review keep their words: only safe fixes are made', () => {
      const text = 'A corrected caption that is somewhat longer than a line.';
      const review = [{ start: 0, end: 0.5, lines: [text] }];
      const { made } = captionsFor({ profile: 'netflix', frameRate: '25' }, {}, review);
      expect(made[0]?.lines).toHaveLength(2);
      expect(made[0]?.lines.join(' ')).toBe(text);
      expect((made[0]?.end ?? 0) - (made[0]?.start ?? 0)).toBeGreaterThan(0.83);
    });
  });
}

// Captions by the rules of a profile, requested over HTTP and MCP.
{
  const service = await mountedApp();
  const reader = await service.signUp('reader@example.com');
  const { runId } = await completedRun(
    service.services.database,
    reader.organizationId,
    spoken('We use it for provisioning, and every team of ours has used it for years.'),
  );
  const asked = (query: string) =>
    service.ask(`/workflows/captioner/${runId}/captions.json?${query}`, { key: reader.key });

  test('a query parameter may hold commas, but not come twice', async () => {
    const [plain, coded] = [
      await asked('profile=netflix&shots=0.4,2'),
      await asked('profile=netflix&shots=0.4%2C2'),
    ];
    expect([plain.status, coded.status]).toEqual([200, 200]);
    expect(await plain.json()).toEqual(await coded.json());
    for (const query of ['shots=1,2&shots=3,4', 'version=original&version=original']) {
      expect((await asked(query)).status).toBe(422);
    }
  });

  test('the tool returns the same captions as the file', async () => {
    const rules = { profile: 'dcmp', frameRate: '25', shots: '0.4,2' };
    const tool = async (input: object) =>
      callTool(service, reader, 'get_captions', { runId, format: 'json', ...input });
    const { captions } = (await tool(rules)).structuredContent;
    expect(captions).toBe(await (await asked(new URLSearchParams(rules).toString())).text());
    const { cues, warnings } = JSON.parse(captions);
    for (const line of cues.flatMap((cue: Any) => cue.lines)) {
      expect(line.length).toBeLessThanOrEqual(32);
    }
    expect(warnings).toBeArray();
    expect((await tool({})).structuredContent.captions).not.toBe(captions);
    const wrong = await tool({ profile: 'vhs' });
    expect([wrong.isError, wrong.words]).toEqual([true, expect.stringContaining('profile')]);
  });
}

// Reviews over HTTP and MCP: saving without overwriting, tenancy, and the captions of a reviewed run.
{
  /** The texts that wait for their readers; the spool counts them. */
  const waiting = new Set<number>();
  const spool = createSpool(null);
  const app = await mountedApp({
    parts: {
      spool: {
        async hold(bytes) {
          const held = await spool.hold(bytes);
          const name = Math.random();
          waiting.add(name);
          const drop = () => {
            waiting.delete(name);
            held.drop();
          };
          return { ...held, drop };
        },
        file: spool.file,
      },
    },
  });
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@example.org');
  const uploader = await app.signUp('up@example.org', ['captioner:audio:upload']);

  const newRun = () =>
    completedRun(
      app.services.database,
      ann.organizationId,
      spoken('We use skim for provisioning.'),
    );
  const at = (runId: string, part = 'review') => `/workflows/captioner/${runId}/${part}`;
  const save = (
    runId: string,
    body: unknown,
    headers: Record<string, string> = {},
    key = ann.key,
  ) =>
    app.ask(at(runId), {
      method: 'PUT',
      key,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const review = (text: string, more: object = {}) => ({
    cues: [{ start: 0, end: 2, lines: [text] }],
    ...more,
  });
  const told = async (answer: Response): Promise<[number, string]> => [
    answer.status,
    (await answer.json()).error?.code ?? '',
  ];
  const captions = async (runId: string, query = '') =>
    (await app.ask(`${at(runId, 'captions.srt')}${query}`, { key: ann.key })).text();

  describe('a review', () => {
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
      const read = await app.ask(at(runId), { key: ann.key });
      const found = await read.json();
      expect(read.headers.get('etag')).toBe(receipt.etag);
      expect(found).toMatchObject({ ...sent, runId, savedAt: receipt.savedAt });
      expect(found.cues[0]).toMatchObject({ index: 1, startTime: '00:00:00,000' });
      const known = await app.ask(at(runId), {
        key: ann.key,
        headers: { 'if-none-match': receipt.etag },
      });
      expect(known.status).toBe(304);
      // A review may be sent back as it was read: nothing has changed.
      const again = await save(runId, found, { 'if-match': receipt.etag });
      expect([again.status, again.headers.get('etag')]).toEqual([200, receipt.etag]);
    });

    test('is held once for readers that do not read, and dropped with the last of them', async () => {
      const { runId } = await newRun();
      const long = {
        cues: Array.from({ length: 900 }, (_, at) => ({
          start: at,
          end: at + 1,
          lines: ['x'.repeat(300)],
        })),
      };
      await save(runId, long, { 'if-none-match': '*' });
      const get = () => app.ask(at(runId), { key: ann.key });
      const [first, second] = [await get(), await get()];
      expect(waiting.size).toBe(1);
      const { length } = await first.text();
      expect([waiting.size, first.headers.get('content-length')]).toEqual([1, String(length)]);
      await second.body?.cancel();
      await until(async () => waiting.size === 0);
    });

    test('replaces the captions, and the original stays available', async () => {
      const { runId, result } = await newRun();
      const before = await captions(runId);
      await save(runId, review('We use SCIM for provisioning.'));
      expect(await captions(runId)).toContain('SCIM');
      expect(await captions(runId, '?version=reviewed')).toContain('SCIM');
      expect(await captions(runId, '?version=original')).toBe(before);
      const json = await app.ask(at(runId, 'captions.json'), { key: ann.key });
      expect((await json.json()).cues).toEqual([
        {
          index: 1,
          start: 0,
          end: 2,
          startTime: '00:00:00,000',
          endTime: '00:00:02,000',
          text: 'We use SCIM for provisioning.',
          lines: ['We use SCIM for provisioning.'],
        },
      ]);
      const run = await app.ask(`/workflows/captioner/${runId}`, { key: ann.key });
      expect((await run.json()).envelope.result).toEqual(JSON.parse(JSON.stringify(result)));
      await app.ask(at(runId), { method: 'DELETE', key: ann.key });
      expect(await captions(runId)).toBe(before);
      const gone = await app.ask(`${at(runId, 'captions.srt')}?version=reviewed`, { key: ann.key });
      expect(await told(gone)).toEqual([404, 'review_not_found']);
      const odd = await app.ask(`${at(runId, 'captions.srt')}?version=newest`, { key: ann.key });
      expect(await told(odd)).toEqual([422, 'invalid_payload']);
    });

    test('cannot be overwritten without naming the current version', async () => {
      const { runId } = await newRun();
      const one = (await save(runId, review('one'), { 'if-none-match': '*' })).headers.get('etag');
      const two = await save(runId, review('two'), { 'if-match': one ?? '' });
      const newest = two.headers.get('etag');
      for (const headers of [{ 'if-match': one ?? '' }, { 'if-none-match': '*' }]) {
        const late = await save(runId, review('three'), headers);
        expect(late.headers.get('etag')).toBe(newest);
        expect(await told(late)).toEqual([412, 'precondition_failed']);
      }
      const blind = await save(runId, review('three'));
      expect(blind.headers.get('etag')).toBe(newest);
      expect(await told(blind)).toEqual([428, 'precondition_required']);
      for (const headers of [{ 'if-match': one ?? '' }, { 'if-none-match': '*' }]) {
        const late = await app.ask(at(runId), { method: 'DELETE', key: ann.key, headers });
        expect([late.status, late.headers.get('etag')]).toEqual([412, newest]);
      }
      expect(await captions(runId)).toContain('two');
      const any = await save(runId, review('three'), { 'if-match': '*' });
      expect(any.status).toBe(200);
      const none = await newRun();
      const nothing = await save(none.runId, review('x'), { 'if-match': one ?? '' });
      expect(await told(nothing)).toEqual([412, 'precondition_failed']);
    });

    test('invalid headers are refused, and so is a body that is too large', async () => {
      const { runId } = await newRun();
      for (const headers of [
        { 'if-match': 'bare' },
        { 'if-none-match': '"tag"' },
        { 'if-match': '"a"', 'if-none-match': '*' },
      ] as Record<string, string>[]) {
        expect((await save(runId, review('x'), headers)).status).toBe(422);
      }
      const large = await app.ask(at(runId), {
        method: 'PUT',
        key: ann.key,
        headers: { 'content-type': 'application/json', 'content-length': '16777217' },
        body: '{}',
      });
      expect(await told(large)).toEqual([413, 'payload_too_large']);
    });

    test('of another workspace is not found by any method, and a key needs the scope', async () => {
      const { runId } = await newRun();
      await save(runId, review('mine'));
      for (const method of ['GET', 'DELETE'] as const) {
        const other = await app.ask(at(runId), { method, key: bob.key });
        expect(await told(other)).toEqual([404, 'run_not_found']);
        const less = await app.ask(at(runId), { method, key: uploader.key });
        expect(await told(less)).toEqual([403, 'insufficient_scope']);
      }
      expect(await told(await save(runId, review('yours'), {}, bob.key))).toEqual([
        404,
        'run_not_found',
      ]);
      expect(await captions(runId)).toContain('mine');
    });

    test('of a run without captions is refused', async () => {
      const started = await app.ask('/workflows/captioner', {
        method: 'POST',
        key: ann.key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ audio: { key: 'a.mp3' } }),
      });
      const { runId } = await started.json();
      expect(await told(await save(runId, review('x')))).toEqual([409, 'captions_not_ready']);
      const none = await app.ask(at(runId), { key: ann.key });
      expect(await told(none)).toEqual([404, 'review_not_found']);
    });
  });

  describe('tools', () => {
    test('change a caption and keep the rest, and notice a newer review', async () => {
      const { runId, cues } = await newRun();
      const text = `${(cues[0]?.text ?? '').replace('skim', 'SCIM')}\nonce more`;
      const saved: Any = await callTool(app, ann, 'review_captions', {
        runId,
        captions: [{ index: 1, text }],
      });
      expect(saved.structuredContent).toMatchObject({ runId, cueCount: cues.length });
      const shown = await callTool(app, ann, 'get_captions', { runId });
      expect(shown.structuredContent.captions).toContain('SCIM');
      const first = await callTool(app, ann, 'get_captions', { runId, version: 'original' });
      expect(first.structuredContent.captions).toContain('skim');
      const { etag, review: found } = (await callTool(app, ann, 'get_review', { runId }))
        .structuredContent;
      expect([etag, found.cues[0].text]).toEqual([saved.structuredContent.etag, text]);
      expect(found.cues[0].lines).toEqual(text.split('\n'));
      await save(runId, review('newer'), { 'if-match': etag });
      const late = await callTool(app, ann, 'review_captions', { runId, etag, finished: true });
      expect([late.isError, late.words]).toEqual([
        true,
        expect.stringContaining('precondition_failed'),
      ]);
      const wrong = await callTool(app, ann, 'review_captions', {
        runId,
        captions: [{ index: 99, text: 'x' }],
      });
      expect(wrong.words).toContain('captions.0.index');
      for (const name of ['get_review', 'review_captions', 'delete_review']) {
        const other = await callTool(app, bob, name, { runId });
        expect(other.words).toBe('run_not_found: There is no run with this id.');
      }
      await callTool(app, ann, 'delete_review', { runId });
      expect((await callTool(app, ann, 'get_review', { runId })).words).toContain(
        'review_not_found',
      );
    });

    test('decide terms one by one, and keep earlier decisions', async () => {
      const { runId } = await newRun();
      const settled = async (decision: string) => {
        await callTool(app, ann, 'review_captions', {
          runId,
          corrections: [{ id: 'c1', decision }],
        });
        await callTool(app, ann, 'review_captions', { runId, finished: true });
        return (await callTool(app, ann, 'get_review', { runId })).structuredContent.review
          .corrections;
      };
      const others = (await settled('accepted')).filter(({ id }: Any) => id !== 'c1');
      expect(await settled('rejected')).toEqual([...others, { id: 'c1', decision: 'rejected' }]);
      expect(await settled('accepted')).toEqual([...others, { id: 'c1', decision: 'accepted' }]);
    });
  });
}
