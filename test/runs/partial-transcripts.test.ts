/**
 * The stored previews of runs: in order, continued after a crash, deleted at the end of their run.
 */
import { describe, expect, test } from 'bun:test';
import {
  createPartialTranscripts,
  createPartialWriter,
} from '../../server/runs/partial-transcripts.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { failedResult } from '../../server/pipeline/result.ts';
import { resolvePayload } from '../../server/contract/payload.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

const part = (start: number, text: string) => ({ start, end: start + 5, text });

await onEachDatabase((title, database) => {
  describe(title, () => {
    const store = createPartialTranscripts(database);
    const runs = createRunStore(database);
    const newRun = async () => {
      const id = `run_${crypto.randomUUID()}`;
      const payload = { audio: { key: 'talk.mp3' } };
      await runs.insert({ id, organizationId: 'org', keyId: 'k', payload, idempotencyKey: null });
      await runs.markRunning(id);
      return id;
    };
    const end = (id: string) =>
      runs.finish(
        id,
        'failed',
        failedResult({
          runId: id,
          request: resolvePayload({ audio: { key: 'talk.mp3' } }),
          timingsMs: {},
          models: {},
          stage: 'transcription',
          failure: { code: 'internal', message: '', retryable: false, suggestions: [] },
          terminology: {},
        }),
        { stage: 'transcription', progress: 0.5 },
      );

    test('the preview of one execution is continued by the next, in order', async () => {
      const id = await newRun();
      let news = 0;
      const first = await createPartialWriter(id, store, () => (news += 1));
      expect(first.listener.after).toBe(0);
      first.listener.report([part(0, 'one'), part(5, 'two')]);
      first.listener.report([part(10, 'three \0 \ud800')]);
      await first.finish();
      expect(news).toBe(2);
      first.listener.report([part(15, 'too late')]);

      const second = await createPartialWriter(id, store, () => {});
      expect(second.listener.after).toBe(15);
      second.listener.report([part(15, 'four')]);
      await second.finish();
      const read = await store.read(id, 0, 100);
      expect(read.map(({ position, text }) => [position, text])).toEqual([
        [1, 'one'],
        [2, 'two'],
        [3, 'three  \ufffd'],
        [4, 'four'],
      ]);
      expect((await store.read(id, 2, 1)).map(({ text }) => text)).toEqual(['three  \ufffd']);
      expect(await store.read(await newRun(), 0, 100)).toEqual([]);
    });

    test('a long transcript reported at once is stored completely', async () => {
      const id = await newRun();
      const writer = await createPartialWriter(id, store, () => {});
      writer.listener.report(Array.from({ length: 1250 }, (_, at) => part(at * 5, `part ${at}`)));
      await writer.finish();
      const read = await store.read(id, 1200, 100);
      expect([read.length, read.at(-1)?.text]).toEqual([50, 'part 1249']);
    });

    test('parts that are stored already stay, and those after them are added', async () => {
      const id = await newRun();
      await store.add(id, 0, [part(0, 'one')]);
      await store.add(id, 0, [part(0, 'won'), part(5, 'two')]);
      expect((await store.read(id, 0, 100)).map(({ text }) => text)).toEqual(['one', 'two']);
    });

    test('it is deleted when the run ends', async () => {
      const [one, other] = [await newRun(), await newRun()];
      await store.add(one, 0, [part(0, 'gone')]);
      await store.add(other, 0, [part(0, 'stays')]);
      await end(one);
      expect(await store.read(one, 0, 100)).toEqual([]);
      expect(await store.read(other, 0, 100)).toHaveLength(1);
    });

    test('a failing database affects only the preview', async () => {
      const refusing = { ...store, add: () => Promise.reject(new Error('away')) };
      const writer = await createPartialWriter(await newRun(), refusing, () => {});
      writer.listener.report([part(0, 'lost')]);
      await writer.finish();
    });
  });
});
