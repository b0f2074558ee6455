/** Sends more than a thousand hostile requests to every operation of the served OpenAPI document. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import * as fc from 'fast-check';
import { ended, signUp, type Any } from '../../support/servers/client.ts';
import { rounds } from '../../support/fuzz.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { answerJudge, expectUnharmed, send } from './support/answers.ts';
import { operationsOf, toolCalls, type Operation } from './support/operations.ts';
import { requestsTo, type Known } from './support/requests.ts';

setDefaultTimeout(300_000);

/**
 * The total number of requests. fast-check prints the seed of a failure: pass it as HOSTILE_SEED.
 */
const RUNS = rounds(1_200);
const SEED = process.env['HOSTILE_SEED'];

// Otherwise registrations beyond the limit would all be refused.
const server = await testServer({ env: { REGISTRATIONS_PER_IP: '1000000' } });
const ann = await signUp(server, 'ann@example.com');
// Another workspace, so that ann's runs do not transcribe what is uploaded there.
const bob = await signUp(server, 'bob@example.com');
const reader = await signUp(server, 'reader@example.com', ['captioner:terminology:read']);
const failedRun = async (): Promise<string> => {
  const { runId } = await (await ann.start({ audio: { key: 'none.mp3' } })).json();
  await ended(ann, runId);
  return runId;
};
const runId = await failedRun();
/** Operations that erase get a run of their own, so that the others still find theirs. */
const erased = await failedRun();

const document: Any = await (await fetch(`${server.url}/openapi.json`)).json();
const judge = await answerJudge(document, server.dataDir);
const described = operationsOf(document);
const operations: [string, Operation][] = [
  ...described.map((one): [string, Operation] => [`${one.method} ${one.path}`, one]),
  ...(await toolCalls(server.url, ann.key, described)),
];

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const known = ({ bodies, method, path }: Operation): Known => ({
  keys: [
    ...Array<string>(6).fill(`Bearer ${(bodies['audio/mpeg'] ? bob : ann).key}`),
    `bearer  ${reader.key}`,
  ],
  paths: {
    runId: [method === 'DELETE' && path.endsWith('/data') ? erased : runId],
    key: ['a.mp3', 'talks/b.mp3'],
  },
  bodies: [
    bytes(''),
    bytes('ID3'),
    bytes('ID3\x04\x00\x00\x7f\x7f\x7f\x7f'),
    bytes('\xff\xfb\x90\x00'.repeat(500)),
    bytes('RIFF\x00\x00\x00\x00WAVE'),
  ],
});

/**
 * Documents share the same few lines of code; operations with a body or an id get most requests.
 */
const weight = ({ parameters, bodies }: Operation): number =>
  1 + 4 * parameters.length + (Object.keys(bodies).length > 0 ? 8 : 0);
const weights = operations.reduce((sum, [, operation]) => sum + weight(operation), 0);
let sent = 0;

test('the document has operations', () => expect(described.length).toBeGreaterThan(20));

test.each(operations)('%s', async (_name, operation) => {
  await fc.assert(
    fc.asyncProperty(requestsTo(operation, known(operation), document), async (request) => {
      sent += 1;
      await judge(operation, await send(server.url, request));
    }),
    {
      numRuns: Math.ceil((RUNS * weight(operation)) / weights),
      endOnFailure: true,
      ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    },
  );
});

test('enough requests were sent, and the service is unharmed', async () => {
  expect(sent).toBeGreaterThanOrEqual(RUNS);
  expect((await ann.run(runId)).state).toBe('failed');
  await expectUnharmed(server);
});
