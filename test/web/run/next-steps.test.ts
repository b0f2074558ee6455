/** The steps after a failed run: for every code that the service can give, one that can help. */
import { describe, expect, test } from 'bun:test';
import { FAILURE_CODES } from '../../../server/contract/failure.ts';
import { REPEAT } from '../../../server/contract/suggestions.ts';
import { nextSteps } from '../../../web/run/next-steps.ts';
import { runEndText as says } from '../../../web/texts/run-ends.ts';

const AGAIN = 'Run it again';
const other = (section: string, provider: string) => ({
  label: `Transcribe with ${provider}`,
  description: `${provider} is configured on this server.`,
  payloadPatch: { [section]: { provider } },
});
/** The labels of the steps, or their kinds. */
const steps = (code: string, suggestions: Parameters<typeof nextSteps>[0]['suggestions'] = []) =>
  nextSteps({ code, suggestions }, AGAIN).map((step) =>
    step.kind === 'again' ? step.label : step.kind,
  );

test.each([...FAILURE_CODES, 'a_code_of_a_later_service'])('%s has a first step', (code) => {
  expect(steps(code).length).toBeGreaterThan(0);
  const [first] = nextSteps({ code, suggestions: [other('transcription', 'edge')] }, AGAIN);
  expect(first).toBeDefined();
});

describe('the first step', () => {
  test.each([
    ['audio_unreadable', 'other-file'],
    ['audio_too_long', 'other-file'],
    ['audio_not_found', says.uploadAgain],
    ['cancelled', AGAIN],
    ['internal', AGAIN],
    ['language_unsupported', 'settings'],
    ['provider_rate_limited', says.transcribeWith('Deepgram')],
  ])('after %s is %s', (code, first) => {
    expect(steps(code, [other('transcription', 'deepgram')])[0]).toBe(first);
  });

  test('is to run it again if there is no other provider', () => {
    expect(steps('provider_timeout', [REPEAT])).toEqual([AGAIN, 'settings']);
  });
});

test('providers have the same names as on the start page', () => {
  const suggestions = [
    other('transcription', 'edge'),
    other('transcription', 'assemblyai'),
    other('audit', 'groq'),
    other('audit', 'none'),
    { label: 'x', payloadPatch: { transcription: { model: 'auto' } } },
    { label: 'Ask the operator' },
  ];
  expect(steps('provider_unauthorized', suggestions)).toEqual([
    says.transcribeHere,
    says.transcribeWith('AssemblyAI'),
    says.auditWith('Groq'),
    says.auditNone,
    says.anyModel,
    AGAIN,
    'settings',
  ]);
});

test('steps have the hint and the patch of their suggestion', () => {
  const of = (payloadPatch: Record<string, unknown>, description?: string) =>
    nextSteps(
      {
        code: 'provider_unavailable',
        suggestions: [{ label: 'Label', payloadPatch, ...(description ? { description } : {}) }],
      },
      AGAIN,
    ).slice(0, -2);
  const again = (label: string, patch: object, hint?: string) => [
    { kind: 'again', label, ...(hint === undefined ? {} : { hint }), patch },
  ];
  const table: [Record<string, unknown>, unknown][] = [
    [{ captions: { maxLines: 1 } }, again('Label', { captions: { maxLines: 1 } }, 'Why')],
    [
      { audit: { provider: 'none' } },
      again(says.auditNone, { audit: { provider: 'none' } }, says.auditNoneHint),
    ],
    [{ audit: { provider: 'edge' } }, again(says.auditHere, { audit: { provider: 'edge' } })],
    [{ audit: { model: 'auto' } }, again(says.anyModel, { audit: { model: 'auto' } })],
    [{ storage: { keep: true } }, []],
    [
      { storage: { keep: true }, captions: {} },
      again('Label', { storage: { keep: true }, captions: {} }, 'Why'),
    ],
    [{ transcription: { provider: 7 } }, again(says.anyModel, { transcription: { provider: 7 } })],
    [
      { transcription: { provider: 'other' } },
      again(says.transcribeWith('other'), { transcription: { provider: 'other' } }),
    ],
  ];
  for (const [patch, steps] of table) expect(of(patch, 'Why')).toEqual(steps as never);
});

test('an unknown suggestion keeps its text and its patch', () => {
  const patch = { captions: { maxLines: 1 } };
  const suggestions = [{ label: 'One line only', payloadPatch: patch }];
  expect(nextSteps({ code: 'provider_bad_response', suggestions }, AGAIN)[0]).toEqual({
    kind: 'again',
    label: 'One line only',
    patch,
  });
});
