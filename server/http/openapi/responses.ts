/** The responses that many operations share, and helpers to describe operations. */
import type { COMPONENTS } from '../../contract/components.ts';
import * as examples from './examples.ts';
import { schemaRef } from './detail.ts';

type ComponentName = keyof typeof COMPONENTS;

/** Content of one media type. */
export const content = (type: string, name: ComponentName, example?: unknown) => ({
  [type]: { schema: schemaRef(name), ...(example === undefined ? {} : { example }) },
});

/** JSON content, described by a component. */
export const json = (name: ComponentName, example?: unknown) =>
  content('application/json', name, example);

/** Text of a media type. */
export const text = (type: string) => ({ [type]: { schema: { type: 'string' } } });

/** A reference to one of the shared responses below. */
export const response = (name: keyof typeof RESPONSES) => ({
  $ref: `#/components/responses/${name}`,
});

const header = (description: string, schema: object = { type: 'string' }) => ({
  description,
  schema,
});

/** The shared response headers, by the name that `headerRef` takes. */
export const HEADERS = {
  WWWAuthenticate: header(
    'A bearer challenge whose `resource_metadata` explains how to get a key.',
  ),
  RetryAfter: header('Seconds to wait before the next attempt.', { type: 'integer', minimum: 0 }),
  RateLimit: header(
    'A limit: how much of it remains (`r`), and the seconds until there is more (`t`).',
  ),
  RateLimitPolicy: header(
    'The limit: its quota (`q`) per window in seconds (`w`), or per unit (`qu`), such as simultaneous requests.',
  ),
  Link: header(
    'Links (RFC 8288) to the API catalog, the OpenAPI document, the auth document and more.',
  ),
  MarkdownTokens: header(
    'The approximate number of tokens of the Markdown; on Markdown responses only.',
    {
      type: 'integer',
      minimum: 1,
    },
  ),
  Location: header('The address of the run.'),
  AcceptRanges: header('`bytes`: the file may be fetched in parts.'),
  ContentDisposition: header('A file name for the captions, based on that of the recording.'),
  RunId: header('The id of the run.'),
  RecogniserUsed: header('The recogniser that heard the recording; only if it is known in time.'),
  HearingWarning: header(
    'What to know about how the recording was heard, such as parts in another language; only if there is something and it is known in time. ASCII, at most 1,000 characters.',
  ),
  ETag: header('Tag of this representation, for If-None-Match.'),
};

/** A reference to a shared header. */
export const headerRef = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** An example of an error of the contract. */
export const failing = (description: string, code: string, message: string) => ({
  description,
  content: json('ErrorResponse', { error: { code, message } }),
});

/** The shared responses, by the name that `response` takes; `Problem` is for all other statuses. */
export const RESPONSES = {
  Unauthorized: {
    ...failing('The key is missing or not valid.', 'invalid_credential', 'The key is not valid.'),
    headers: { 'WWW-Authenticate': headerRef('WWWAuthenticate') },
  },
  Forbidden: {
    ...failing(
      'The key lacks the required scope, or its person the role: `insufficient_role`.',
      'insufficient_scope',
      'The key lacks the scope captioner:caption:run.',
    ),
    headers: { 'WWW-Authenticate': headerRef('WWWAuthenticate') },
  },
  RunNotEnded: {
    ...failing(
      'The run has not ended.',
      'run_not_ended',
      'The run is running. Cancel it, or wait until it has ended, then erase it.',
    ),
    headers: { 'Retry-After': headerRef('RetryAfter') },
  },
  RunNotFound: failing(
    'The workspace of the key has no such run.',
    'run_not_found',
    'There is no run with this id.',
  ),
  ReviewNotFound: failing(
    'There is no such run for this key, or no review of it.',
    'review_not_found',
    'Nobody has saved a review of this run.',
  ),
  TranslationNotFound: failing(
    'There is no such run or translation for this key.',
    'translation_not_found',
    'There is no translation with this id.',
  ),
  TermNotFound: failing(
    'The workspace has no such term.',
    'term_not_found',
    'The workspace has no such term.',
  ),
  RuleNotFound: failing(
    'There is no such rule for this key.',
    'rule_not_found',
    'There is no rule with this id, or it has no evidence any more.',
  ),
  RuleNotApplicable: failing(
    'The rule conflicts with the terms.',
    'rule_not_applicable',
    'The rule conflicts with the terms: its mishear belongs to another term, or the workspace has the maximum number of terms.',
  ),
  PreconditionFailed: {
    ...failing(
      'The stored version is not the one named in the request. The ETag is that of the stored version.',
      'precondition_failed',
      'Somebody has saved another review of this run. Read it, merge the two, and save again.',
    ),
    headers: { ETag: headerRef('ETag') },
  },
  PreconditionRequired: {
    ...failing(
      'There is a stored version, and the request does not name it.',
      'precondition_required',
      'This already exists. Read it, then write with If-Match and its ETag, so that nobody’s work is lost.',
    ),
    headers: { ETag: headerRef('ETag') },
  },
  BrokenBody: failing('The body is not JSON.', 'invalid_payload', 'The body is not JSON.'),
  BrokenMessage: {
    description: 'The body is not JSON, or not a message of the protocol.',
    content: {
      'application/json': {
        schema: {
          anyOf: [
            schemaRef('ErrorResponse'),
            {
              type: 'object',
              description: 'a JSON-RPC 2.0 error',
              required: ['jsonrpc', 'error'],
              properties: { jsonrpc: { const: '2.0' }, error: { type: 'object' } },
            },
          ],
        },
      },
    },
  },
  InvalidPayload: {
    description: 'The payload or the query is invalid; `error.details` lists each error.',
    content: json('ErrorResponse', examples.invalidPayload),
  },
  BadUpload: failing(
    '`invalid_key` or `incomplete_upload`.',
    'invalid_key',
    'The key has an empty segment.',
  ),
  BadUploadLink: failing(
    'The link is not from this service, was changed, or has expired.',
    'invalid_upload_link',
    'This upload link has expired. Request another.',
  ),
  NotSupported: failing(
    'The request is malformed, for example by two Host headers.',
    'invalid_host',
    'The Host header is invalid.',
  ),
  IdempotencyConflict: failing(
    'The Idempotency-Key was already used with another payload.',
    'idempotency_conflict',
    'This Idempotency-Key was used with another payload.',
  ),
  BodyTooLarge: failing('The body is too long.', 'payload_too_large', 'The body is too long.'),
  NotJson: failing(
    'The body has an unsupported media type.',
    'unsupported_media_type',
    'Send the body as application/json.',
  ),
  FileNotRead: failing(
    'The body is not a file that can be read.',
    'unsupported_media_type',
    'Of zipped files, only Word documents (.docx) and PowerPoint slides (.pptx) can be read.',
  ),
  Unchanged: {
    description: 'Not modified: the client already has the version that If-None-Match names.',
    headers: { ETag: headerRef('ETag') },
  },
  NoSuchRange: failing(
    'The requested range is beyond the end of the file.',
    'range_not_satisfiable',
    'The file has 5045 bytes.',
  ),
  CaptionsNotReady: failing(
    'The run has no captions: it is still in progress, or did not complete.',
    'captions_not_ready',
    'The run is running: it has no captions.',
  ),
  Mp3TooLarge: {
    description: 'The upload is larger than the limit.',
    content: json('Mp3TooLargeError', examples.mp3TooLarge),
  },
  Mp3Required: {
    description: 'The upload is not an MP3, or its key does not end in `.mp3`.',
    content: json('Mp3RequiredError', examples.mp3Required),
  },
  UploadTooSlow: failing(
    'The upload was too slow: see the limits.',
    'upload_too_slow',
    'The upload was too slow and timed out.',
  ),
  TooManyUploads: {
    ...failing(
      'The workspace has reached its quota of recordings (`quota_exceeded`) or its number of simultaneous uploads, or its network has (`rate_limited`).',
      'quota_exceeded',
      'This workspace has reached its quota of recordings. Start runs for the waiting ones, which deletes them, or wait until they expire.',
    ),
    headers: { 'Retry-After': headerRef('RetryAfter') },
  },
  TooManyResults: {
    ...failing(
      'The workspace has reached its quota of results.',
      'quota_exceeded',
      'This workspace has reached its quota of results. Erase runs that are no longer needed, or wait until older ones expire.',
    ),
    headers: { 'Retry-After': headerRef('RetryAfter') },
  },
  TooManyRequests: {
    ...failing(
      'Too many registrations or attempts.',
      'rate_limited',
      'Too many registrations. Wait, then try again.',
    ),
    headers: {
      'Retry-After': headerRef('RetryAfter'),
      RateLimit: headerRef('RateLimit'),
      'RateLimit-Policy': headerRef('RateLimitPolicy'),
    },
  },
  IdentityProviderFailed: {
    description: 'The identity provider failed; `error.idp` says how.',
    content: json('ErrorResponse', examples.idpFailure),
  },
  Unavailable: {
    ...failing(
      'A store is unavailable or full, only the disk reserve is left, too many uploads are in progress, or the identity provider does not respond (then with `error.idp`). Try again after Retry-After.',
      'unavailable',
      'The service cannot read or store anything at the moment. Try again soon.',
    ),
    headers: { 'Retry-After': headerRef('RetryAfter') },
  },
  Problem: failing('Any other error.', 'internal', 'Something went wrong.'),
};
