/** What every operation behind a key has in common. */
import type { CaptionerScope } from '../scopes.ts';
import { response } from './responses.ts';

/** The security of an operation that needs a scope. */
export const needs = (scope: CaptionerScope) => [{ bearer: [scope] }];

/** The answers of an operation that needs a key. */
export const guarded = {
  401: response('Unauthorized'),
  403: response('Forbidden'),
  502: response('IdentityProviderFailed'),
  503: response('Unavailable'),
};

/** The run that a path names. */
export const runId = { name: 'runId', in: 'path', required: true, schema: { type: 'string' } };
