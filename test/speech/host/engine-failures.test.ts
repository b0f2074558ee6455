/** The failures of choosing an engine on this host, in full. */
import { expect, test } from 'bun:test';
import {
  INSTALL_POCKETSPHINX,
  installModel,
  noEngine,
  unknownModel,
  unsupported,
} from '../../../server/speech/host/engine-failures.ts';

test('failures name the provider, and only as much of a model as is needed', () => {
  expect(unsupported('xx').failure).toMatchObject({
    code: 'language_unsupported',
    retryable: false,
    provider: 'edge',
    message: 'No speech engine on this server supports the language "xx".',
    suggestions: [{ label: 'Use a provider that supports it' }],
  });
  expect(unknownModel('m'.repeat(101)).failure).toMatchObject({
    code: 'model_unavailable',
    retryable: false,
    provider: 'edge',
    model: 'm'.repeat(100),
    suggestions: [],
  });
  expect(noEngine('Why.', [INSTALL_POCKETSPHINX]).failure).toEqual({
    code: 'model_unavailable',
    message: 'This server has no speech engine that can be used now. Why.',
    retryable: true,
    provider: 'edge',
    suggestions: [INSTALL_POCKETSPHINX],
  });
  expect(installModel('parakeet-v3')).toMatchObject({
    label: 'Install the model',
    description: expect.stringContaining('fetch parakeet-v3'),
  });
  expect(installModel('/mine').label).toBe('Correct SPEECH_MODEL');
  expect(INSTALL_POCKETSPHINX.label).toBe('Install pocketsphinx');
});
