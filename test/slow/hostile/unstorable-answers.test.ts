/** Responses of providers that a database cannot store unchanged: the run ends, and the provider is paid once. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { validator } from '../../../server/contract/schema.ts';
import { ended, signUp, type Client } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../../support/servers/postgres.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { deepgramAnswer, TALK } from '../../support/doubles/speech-doubles.ts';

setDefaultTimeout(300_000);

const PATIENCE_MS = 120_000;

/** A valid response with an additional member that has this text. */
const answerWith = (text: string): string =>
  `${JSON.stringify(deepgramAnswer(TALK)).slice(0, -1)},"more":${text}}`;

/** The text of a member, and whether less is stored than was received. */
const ANSWERS: Record<string, { text: string; cut: boolean }> = {
  'nested 40,000 deep': { text: '['.repeat(40_000) + ']'.repeat(40_000), cut: true },
  // Five bytes each in the response, 21 when stored.
  'numbers that grow': { text: `[${'1e20,'.repeat(1_000_000)}1]`, cut: true },
  'a zero character, and half of a pair': { text: String.raw`["a\u0000b","\ud800"]`, cut: false },
};

const suite = (name: string, database: () => Promise<Record<string, string>>): void =>
  describe(name, () => {
    let ann: Client;
    let answer = '';
    const closing: (() => Promise<unknown>)[] = [];
    const called = { count: 0 };
    beforeAll(async () => {
      const double = await startHttpDouble(() => {
        called.count += 1;
        return new Response(answer, { headers: { 'content-type': 'application/json' } });
      });
      const dataDir = await temporaryFolder();
      const server = await startServerProcess({
        dataDir,
        env: {
          ...(await database()),
          DEEPGRAM_API_KEY: DEEPGRAM_KEY,
          DEEPGRAM_BASE_URL: double.origin,
        },
      });
      closing.push(
        () => server.stop(),
        () => double.close(),
        () => removeFolder(dataDir),
      );
      ann = await signUp(server, 'ann@example.com');
    });
    afterAll(async () => {
      for (const close of closing) await close();
    });

    test.each(Object.entries(ANSWERS))('%s', async (_what, { text, cut }) => {
      answer = answerWith(text);
      called.count = 0;
      await ann.put('talk.mp3', chirp);
      const transcription = { provider: 'deepgram', includeRawResponse: true };
      const started = await ann.start({ audio: { key: 'talk.mp3' }, transcription });
      const { runId } = await started.json();
      const { state, envelope } = await ended(ann, runId, PATIENCE_MS);
      expect([state, envelope.result.error]).toEqual(['completed', undefined]);
      expect(validator(CaptionerCompletedResult).issues(envelope.result)).toEqual([]);
      expect(called.count).toBe(1);
      const { payloads, note } = envelope.result.raw.transcription;
      expect(payloads[0].results).toBeDefined();
      expect(note !== undefined).toBe(cut);
      expect(envelope.result.metadata.storage.sourceAudio.status).toBe('deleted');
    });
  });

suite('SQLite', async () => ({}));
if (hasPostgres) {
  const postgres = await startPostgres();
  suite('PostgreSQL', async () => ({ DATABASE_URL: await postgres.database() }));
  afterAll(() => postgres.close());
} else needsPostgres('PostgreSQL', () => {});
