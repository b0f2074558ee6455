/** OpenAI's own package for Python, unchanged, newest and one a year old. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '../../support/python.ts';
import { needs } from '../../support/requirements.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { sample } from '../../support/sample.ts';
import { signUp } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { tool } from '../../support/tool.ts';

setDefaultTimeout(400_000);

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const environments = await Promise.all(
  ['newest', 'last_year'].map(async (name) => ({
    name,
    ...(await pythonWith(here(`${name}.txt`), here(`generated/${name}`))),
  })),
);
const reason = environments.map(({ reason: why }) => why).join('');
const needsPython = needs(reason === '', reason);

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
afterAll(() => deepgram.close());
const env = { DEEPGRAM_BASE_URL: deepgram.origin, DEEPGRAM_API_KEY: DEEPGRAM_KEY };
const server = await testServer({ env });
const ann = await signUp(server, 'ann@example.com');
const TEXT = 'Welcome to off kit. Thank you.';

needsPython.each(environments)('the $name package', async ({ bin }) => {
  const printed = await tool([`${bin}/python`, '-B', here('job.py'), sample], here('.'), {
    OPENAI_URL: `${server.url}/v1`,
    OPENAI_KEY: ann.key,
  });
  expect(JSON.parse(printed)).toMatchObject({
    json: TEXT,
    text: `${TEXT}\n`,
    srt: expect.stringMatching(/^1\n00:00:00,400 --> /),
    vtt: expect.stringMatching(/^WEBVTT\n\n1\n00:00:00\.400 --> /),
    language: 'english',
    words: ['Welcome', 'to', 'off', 'kit.', 'Thank', 'you.'],
    segments: [
      [0, ' Welcome to off kit.'],
      [1, ' Thank you.'],
    ],
    model: 'model',
    models: true,
    refusal: ['BadRequestError', 400, 'invalid_language_format', 'language'],
    events: expect.arrayContaining(['transcript.text.done']),
  });
});
