/** The texts of tools about runs: in progress, completed, blocked and failed; and requests about runs. */
import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import type { Authorized, Routed } from '../../server/http/identity/authorize.ts';
import { createGuard } from '../../server/http/guard.ts';
import { runOutcome } from '../../server/http/mcp/run-outcome.ts';
import { completedResult } from '../../server/http/openapi/example-results.ts';
import {
  cancelRun,
  checkPayload,
  findRun,
  findSummary,
} from '../../server/http/runs/run-requests.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import type { Runs } from '../../server/runs/service.ts';
import type { Any } from '../support/servers/client.ts';
import { poolHere } from '../support/doubles/pool-here.ts';

const run = (state: string, more: object = {}) =>
  ({
    id: 'run_1',
    organizationId: 'org_1',
    state,
    stage: 'transcription',
    progress: 0.426,
    payload: { audio: { key: 'a' } },
    createdAt: 1,
    startedAt: 1,
    finishedAt: 2,
    ...more,
  }) as never;

async function told(result: Any, more: object = {}) {
  const texts = createRunTexts(async () => JSON.stringify(result));
  const { text, value, failed } = await runOutcome(
    { texts, pool: poolHere },
    run(result.status, more),
    {
      holdAnswer: () => {},
    },
  );
  return { text: text.join('\n---\n'), value: value as Any, failed };
}

describe('the text of a tool about a run', () => {
  test('in progress: its state, stage and percentage', async () => {
    const texts = createRunTexts(() => Promise.reject(new Error('not read')));
    const tell = async (more: object) =>
      runOutcome({ texts, pool: poolHere }, run('running', { finishedAt: null, ...more }), {
        holdAnswer: () => {},
      });
    const { text, value, failed } = await tell({});
    expect(text).toEqual([
      'Run run_1 is running at transcription, 43% done. Check again with get_run.',
    ]);
    expect(value).toMatchObject({ runId: 'run_1', state: 'running', stage: 'transcription' });
    expect(failed).toBeFalsy();
    expect((await tell({ stage: null, progress: 0 })).text[0]).toContain('is running, 0% done.');
  });

  const { captions, metadata, transcript, quality } = completedResult as Any;
  const completed = (more: { warnings?: number; srt?: string; observations?: object[] }) => ({
    ...completedResult,
    captions: { ...captions, ...(more.srt !== undefined && { srt: more.srt }) },
    quality: {
      captions: {
        ...quality.captions,
        warnings: Array.from({ length: more.warnings ?? 0 }, (_, at) => ({
          cue: at + 1,
          code: 'x',
          message: `wrong ${at + 1}`,
        })),
      },
    },
    metadata: {
      ...metadata,
      terminology: { ...metadata.terminology, observations: more.observations ?? [] },
    },
  });

  test('completed: its captions, its score and its words', async () => {
    const { text, value, failed } = await told(completed({}));
    expect(text).toStartWith(`${captions.srt}\n---\n`);
    expect(text).toContain(`${quality.captions.summary.cueCount} captions, 0 warnings.`);
    expect(value).toMatchObject({
      srt: captions.srt,
      quality: { score: quality.captions.score, warnings: [] },
      words: { count: transcript.words.length },
      termsToReview: [],
    });
    expect(value.quality).not.toHaveProperty('cues');
    expect(failed).toBe(false);
  });

  test.each([
    [20, 20, false],
    [21, 20, true],
    [25, 20, true],
  ])('completed with %d warnings: %d of them, and how many more: %p', async (all, shown, more) => {
    const { text, value } = await told(completed({ warnings: all }));
    expect(text.match(/- caption \d+: wrong/g)).toHaveLength(shown);
    expect(text.includes(`- and ${all - 20} more`)).toBe(more);
    expect(value.quality.warnings).toHaveLength(all);
  });

  test('completed without speech: a note that there was none', async () => {
    expect((await told(completed({ srt: '' }))).text).toStartWith('No speech was recognised.');
  });

  test('completed with terms to review: the recognised words, the possible term, and the reason', async () => {
    const observations = [
      { surface: 'skim', suggested: 'SCIM', action: 'review', reason: 'is a word' },
      { surface: 'off', action: 'review' },
      { surface: 'seen', action: 'ignore' },
    ];
    const { text, value } = await told(completed({ observations }));
    expect(text).toEndWith('- review “skim” (perhaps SCIM): is a word\n- review “off”');
    expect(value.termsToReview.map(({ surface }: Any) => surface)).toEqual(['skim', 'off']);
  });

  test.each([
    [{ start: 3.4, end: 8.6 }, 'violence, from second 3 to 9'],
    [{ start: 0.2 }, 'violence, from second 0 to 0'],
    [{}, 'violence'],
    [undefined, 'violence'],
  ])('blocked at %j: where, and that nothing else is to be sent', async (flaggedChunk, where) => {
    const moderation = { reason: 'violence', ...(flaggedChunk && { flaggedChunk }) };
    const { text, value, failed } = await told({ status: 'blocked', metadata: { moderation } });
    expect(text).toBe(
      `Moderation blocked the transcript (${where}). Do not send it again; tell the user.`,
    );
    expect([value.moderation, failed]).toEqual([moderation, false]);
  });

  test('failed: the suggestions, with the changes to the arguments', async () => {
    const error = {
      code: 'x',
      stage: 'y',
      message: 'No.',
      retryable: false,
      suggestions: [
        { label: 'Wait' },
        { label: 'Other', description: 'Use it.', payloadPatch: { language: 'de' } },
      ],
    };
    const { text, value, failed } = await told({ status: 'failed', error });
    expect(text.split('\n').slice(1)).toEqual([
      '- Wait',
      '- Other: Use it. Merge into the arguments: {"language":"de"}',
    ]);
    expect([value.error, failed]).toEqual([error, true]);
  });
});

describe('a request about a run', () => {
  const runs = (given: Partial<Runs>) => given as Runs;

  test('gets 404 if the organisation has no such run', async () => {
    const none = runs({ get: async () => null, summary: async () => null });
    const missing = {
      status: 404,
      code: 'run_not_found',
      message: 'There is no run with this id.',
    };
    await expect(findRun(none, 'org_1', 'run_1')).rejects.toMatchObject(missing);
    await expect(findSummary(none, 'org_1', 'run_1')).rejects.toMatchObject(missing);
  });

  test('asks for the run of the organisation', async () => {
    const asked: string[][] = [];
    const noting = async (...given: string[]) => (asked.push(given), run('queued'));
    const both = runs({ get: noting, summary: noting });
    await findRun(both, 'org_1', 'run_1');
    await findSummary(both, 'org_2', 'run_2');
    expect(asked).toEqual([
      ['org_1', 'run_1'],
      ['org_2', 'run_2'],
    ]);
  });

  test('to cancel it returns whether that was in time, with its latest state', async () => {
    const before: Any = run('running');
    const latest = (state: string | null, inTime: boolean) =>
      cancelRun(
        runs({
          cancel: async () => inTime,
          summary: async (...given) => {
            expect(given).toEqual(['org_1', 'run_1']);
            return state === null ? null : run(state);
          },
        }),
        before,
      );
    expect(await latest('cancelled', true)).toMatchObject({
      asked: true,
      run: { state: 'cancelled' },
    });
    // It was erased meanwhile.
    expect(await latest(null, false)).toEqual({ asked: false, run: before });
  });

  test('with an invalid payload gets 422 and every error', async () => {
    const payload = { audio: { key: 'talk.mp3' } };
    expect(checkPayload(payload)).toBe(payload as never);
    const check = async () => checkPayload({ audio: {}, language: 7 });
    const refused = (await check().catch((error: unknown) => error)) as Any;
    expect([refused.status, refused.code]).toEqual([422, 'invalid_payload']);
    expect(JSON.stringify(refused)).toMatch(/audio.*language|language.*audio/);
  });
});

describe('a guarded request', () => {
  const asked: [string, string | null][] = [];
  const accounts: [Request, string][] = [];
  const guard = createGuard(
    async ({ route }: Routed, scope) => {
      asked.push([route, scope]);
      return { organizationId: 'org_1' } as Authorized;
    },
    (request, organizationId) => void accounts.push([request, organizationId]),
  );
  const app = new Elysia()
    .use(guard)
    .get('/mine/:id', ({ sender }) => sender.organizationId, { scope: 'captioner:caption:run' })
    .post('/mine/:id', ({ sender, body }) => `${sender.organizationId} ${typeof body}`, {
      scope: null,
    });

  test.each([
    ['GET', 'captioner:caption:run', 'org_1'],
    ['POST', null, 'org_1 object'],
  ])(
    'by %s is checked once, by its route and scope, and has one account',
    async (method, scope, text) => {
      asked.length = 0;
      accounts.length = 0;
      const request = new Request('http://captions.test/mine/7', {
        method,
        ...(method === 'POST' && { body: 'a=1', headers: { 'content-type': 'text/plain' } }),
      });
      expect(await (await app.handle(request)).text()).toBe(text);
      expect(asked).toEqual([['/mine/:id', scope]]);
      expect(accounts.map(([of, organization]) => [of === request, organization])).toEqual([
        [true, 'org_1'],
      ]);
    },
  );

  test('is checked separately: another one with the same content is checked again', async () => {
    asked.length = 0;
    for (let at = 0; at < 2; at += 1) await app.handle(new Request('http://captions.test/mine/7'));
    expect(asked).toHaveLength(2);
  });
});
