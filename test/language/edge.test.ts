import { expect, setDefaultTimeout, test } from 'bun:test';
import { validator } from '../../server/contract/schema.ts';
import { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import { createEdgeAuditor } from '../../server/language/registry.ts';
import { audit, everyTerm, wordsOf } from '../terminology/support.ts';

setDefaultTimeout(300_000);

const heard = wordsOf('off kit checks the pixie flow of directorysync for audit logs at anthropik');

test('an outcome contains every decision, numbered, with its observation', async () => {
  const { corrections, observations, ...rest } = await audit(heard);
  expect(rest).toEqual({
    provider: 'edge',
    model: 'edge-matcher-3',
    usage: { calls: 0, tokens: 0, cached: 0 },
  });
  expect(corrections.map(({ id, before, decision }) => [id, before, decision])).toEqual([
    ['c1', 'off kit', 'accepted'],
    ['c2', 'pixie', 'needs_review'],
    ['c3', 'directorysync', 'accepted'],
    ['c4', 'audit logs', 'accepted'],
    ['c5', 'anthropik', 'accepted'],
  ]);
  expect(
    observations.map(({ correctionId, source, action }) => [correctionId, source, action]),
  ).toEqual([
    ['c1', 'audit_accepted', 'ignore'],
    ['c2', 'audit_needs_review', 'review'],
    ['c3', 'audit_accepted', 'add_mishear'],
    ['c4', 'audit_accepted', 'ignore'],
    ['c5', 'audit_accepted', 'add_mishear'],
  ]);
  for (const correction of corrections) {
    expect(validator(TermCorrection).issues(correction)).toEqual([]);
  }
  for (const observation of observations) {
    expect(validator(TermObservation).issues(observation)).toEqual([]);
  }
});

test('an unavailable model is reported', async () => {
  const ask = (model: string) =>
    createEdgeAuditor().audit(
      { words: heard, language: 'en', terms: everyTerm(), minConfidence: 0.85, model },
      { signal: new AbortController().signal, progress: () => {} },
    );
  expect((await ask('gpt-5.1')).note).toContain('gpt-5.1 was not used');
  expect((await ask('auto')).note).toBeUndefined();
});
