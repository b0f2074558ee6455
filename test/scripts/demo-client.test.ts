/** The demo's client: its requests in order, and what it prints at the end. */
import { afterAll, afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailure } from '../../scripts/command-line.ts';
import { captionSample, report } from '../../scripts/demo-client.ts';
import {
  blockedResult,
  completedResult,
  failedResult,
} from '../../server/http/openapi/example-results.ts';
import { startHttpDouble, type Seen } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
const outbox = join(folder, 'outbox');
const service = await startHttpDouble(() => new Response('', { status: 404 }));
let stderr: Mock<typeof process.stderr.write>;
beforeEach(async () => {
  await mkdir(outbox);
  service.requests.length = 0;
  stderr = spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  await rm(outbox, { recursive: true });
  service.behave(null);
  stderr.mockRestore();
});
afterAll(async () => {
  await service.close();
  await removeFolder(folder);
});
const said = () => stderr.mock.calls.map(([text]) => String(text)).join('');
const caption = (waiting = noWaiting()) => captionSample(service.origin, folder, waiting);
const bodyOf = ({ body }: Seen): unknown => JSON.parse(String(body));

/** A service that mails a code, and whose run is over at the fourth look. */
function runsThrough() {
  const states: object[] = [
    { stage: null, progress: 0 },
    { stage: 'transcription', progress: 0.5 },
    { stage: 'workflow', progress: 1 },
    { stage: 'workflow', progress: 1, envelope: { result: completedResult } },
  ];
  const heard = [
    { position: 0, parts: [] },
    { position: 1.5, parts: [{ text: 'They' }] },
    { position: 2.5, parts: [{ text: 'signed in' }] },
  ];
  service.behave(async ({ method, url: { pathname } }) => {
    if (pathname === '/agent/auth') {
      await writeFile(join(outbox, '1.eml'), 'Hello 123456\n\n  654321 \n\nBye');
      return Response.json({ claim_token: 'claim_1' });
    }
    if (pathname === '/agent/auth/claim/complete') return Response.json({ credential: 'key_1' });
    if (method === 'PUT') return Response.json({ size: 12_345 }, { status: 201 });
    if (method === 'POST') return Response.json({ runId: 'run_1' }, { status: 202 });
    return Response.json(pathname.endsWith('/partial-transcript') ? heard.shift() : states.shift());
  });
}

test('the sample is captioned with a key claimed by the emailed code', async () => {
  runsThrough();
  const waiting = noWaiting();
  expect(await caption(waiting)).toEqual(completedResult);
  const run = '/workflows/captioner/run_1';
  expect(
    service.requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`),
  ).toEqual([
    'POST /agent/auth',
    'POST /agent/auth/claim/complete',
    'PUT /audio/demo/agent-registration.mp3',
    'POST /workflows/captioner',
    `GET ${run}`,
    `GET ${run}/partial-transcript?after=0`,
    `GET ${run}`,
    `GET ${run}/partial-transcript?after=0`,
    `GET ${run}`,
    `GET ${run}/partial-transcript?after=1.5`,
    `GET ${run}`,
  ]);
  const [registration, claim, upload, start, ...looks] = service.requests;
  expect(bodyOf(registration!)).toEqual({
    type: 'identity_assertion',
    assertion_type: 'verified_email',
    assertion: 'demo@example.com',
    requested_credential_type: 'api_key',
  });
  expect(bodyOf(claim!)).toEqual({ claim_token: 'claim_1', otp: '654321' });
  expect(claim!.header('authorization')).toBeNull();
  expect(upload!.header('content-type')).toBe('audio/mpeg');
  expect(upload!.body.length).toBeGreaterThan(10_000);
  expect(bodyOf(start!)).toMatchObject({ audio: { key: 'demo/agent-registration.mp3' } });
  for (const request of [upload!, start!, ...looks])
    expect(request.header('authorization')).toBe('Bearer key_1');
  expect(waiting.pauses).toEqual([150, 150, 150]);
  expect(said()).toBe(
    [
      'Registered demo@example.com and claimed a key with the code from the email',
      'Uploaded the sample, 12345 bytes',
      'Queued',
      'Transcribing',
      'Finishing',
      '',
    ].join('\n'),
  );
});

test('a refusal, and an email that is missing, end the demo', async () => {
  service.behave(() => new Response('too many', { status: 429 }));
  await expect(caption()).rejects.toThrow(CommandFailure);
  await expect(caption()).rejects.toThrow(`429 from ${service.origin}/agent/auth: too many`);
  service.behave(() => Response.json({ claim_token: 'claim_1' }));
  await expect(caption()).rejects.toThrow(`No email was written to ${outbox}.`);
});

test('captions are printed, with their score, corrections and model', () => {
  const printed: string[] = [];
  const result = {
    ...completedResult,
    transcript: {
      ...completedResult.transcript,
      metadata: { ...completedResult.transcript.metadata, model: 'tiny', engine: 'sherpa-onnx' },
    },
  };
  const [seen] = result.metadata.terminology.observations;
  const { terminology } = result.metadata;
  const observations = [seen!, { ...seen!, surface: 'of kit', source: 'recognised' as const }];
  report(
    {
      ...result,
      metadata: { ...result.metadata, terminology: { ...terminology, observations } },
    } as typeof completedResult,
    (text) => printed.push(text),
  );
  expect(printed).toEqual([`\n${completedResult.captions.srt}\n`]);
  expect(said().split('\n').slice(1)).toEqual([
    '1 cues, 0 warnings, longest line 28 characters, fastest 17.5 characters a second',
    'Corrected: off kit → AuthKit',
    'Transcribed by tiny (sherpa-onnx)',
    '',
  ]);
});

test('for a run without captions, the reason is printed', () => {
  const printed: string[] = [];
  report(failedResult, (text) => printed.push(text));
  expect(said()).toContain(JSON.stringify(failedResult.error.message));
  report(blockedResult, (text) => printed.push(text));
  expect(said()).toContain('"decision": "block"');
  expect(printed).toEqual([]);
});
