/** A disk that is nearly full, and one tenant that tries to use all of it through several processes. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { ErrorResponse } from '../../../server/contract/failure.ts';
import { validator } from '../../../server/contract/schema.ts';
import { client, signUp, type Any, type Client } from '../../support/servers/client.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { clip } from './support/mp3-parts.ts';

setDefaultTimeout(300_000);

const talk = new Uint8Array(clip(6));
const faults = validator(ErrorResponse);
/** Enough for three of the talks. */
const AUDIO_QUOTA = String(Math.floor(talk.length * 3.5));
const { env: hearing } = await tinyModelEnvironment();

/** The main fields of a refusal, after validating it against the contract. */
async function refusal(response: Response): Promise<[number, string, string | null]> {
  const body: Any = await response.json();
  expect(faults.issues(body)).toEqual([]);
  return [response.status, body.error.code, response.headers.get('retry-after')];
}

test('at the disk reserve uploads and documents wait; registrations and runs continue', async () => {
  const tight = await testServer({ env: { DISK_RESERVE: '1000T' } });
  const bob = await signUp(tight, 'bob@example.com');
  expect(await refusal(await bob.put('talk.mp3', talk))).toEqual([503, 'unavailable', '60']);
  const send = (method: string, path: string, body: object, headers = {}) =>
    fetch(`${tight.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bob.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const noted = (count: number) => ({
    terms: Array.from({ length: count }, (_, at) => ({
      canonical: `Term ${at}`,
      note: 'n'.repeat(400),
    })),
  });
  const first = { 'if-none-match': '*' };
  for (const refused of [
    await send('PUT', '/terminology/terms', noted(50), first),
    await send('PUT', '/terminology/terms', noted(1), first),
    await send('PATCH', '/terminology/terms', noted(1)),
    await send('POST', '/webhooks', { url: 'https://example.com/', events: ['run.completed'] }),
  ]) {
    expect(await refusal(refused)).toEqual([503, 'unavailable', '60']);
  }
  const { result } = await bob.caption({ audio: { key: 'talk.mp3' } });
  expect(result.error.code).toBe('audio_not_found');
  expect(await (await fetch(`${tight.url}/health`)).json()).toEqual({ ok: true });
});

needsPostgres('on PostgreSQL and S3 a quota is one for all processes', async () => {
  const fleet = await startFleet({ ...hearing, AUDIO_QUOTA });
  try {
    const [web, other, worker] = await Promise.all([
      fleet.start('web'),
      fleet.start('web'),
      fleet.start('worker'),
    ]);
    const eve = await signUp(web, 'eve@example.com');
    const both: Client[] = [eve, client(other.url, eve.key)];
    const codes = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const response = await both[at % 2]?.put(`many${at}.mp3`, talk);
        return response?.status;
      }),
    );
    expect(codes.filter((status) => status === 200).length).toBe(3);
    expect(codes.filter((status) => status === 429).length).toBe(7);
    expect((await fleet.s3.objects(fleet.bucket)).length).toBe(3);
    // A worker in a third process deletes a recording, which frees space in the first two.
    const kept = `many${codes.indexOf(200)}.mp3`;
    await eve.caption({ audio: { key: kept } });
    expect((await both[1]?.put('new.mp3', talk))?.status).toBe(200);
    expect(worker.log()).not.toContain('"level":"error"');
  } finally {
    await fleet.close();
  }
});
