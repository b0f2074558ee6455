/** The OpenAPI descriptions of the operations for clients of OpenAI's API. */
import { ASR_OUTPUTS } from '../../contract/openai.ts';
import { detail, schemaRef } from '../openapi/detail.ts';
import { content, headerRef, json, text } from '../openapi/responses.ts';

const error = (description: string, type: string, code: string | null, message: string) => ({
  description,
  content: json('OpenAiError', { error: { message, type, param: null, code } }),
});

const invalid = (description: string, code: string | null, message: string) =>
  error(description, 'invalid_request_error', code, message);

/** The errors of every operation, in OpenAI's form. */
const ERRORS = {
  401: invalid('The key is missing or not valid.', 'invalid_api_key', 'The API key is not valid.'),
  403: invalid(
    'The key lacks a scope.',
    'insufficient_scope',
    'The API key lacks the scope captioner:audio:upload.',
  ),
  502: error('The identity provider failed.', 'server_error', 'idp_error', 'It failed.'),
  503: error('Try again after Retry-After.', 'server_error', 'unavailable', 'Try again soon.'),
};

const form = (name: 'OpenAiTranscriptionForm' | 'OpenAiTranslationForm' | 'AsrForm') => ({
  required: true,
  content: { 'multipart/form-data': { schema: schemaRef(name) } },
});

/** The errors of the operations that take a recording. */
const UPLOAD_ERRORS = {
  ...ERRORS,
  400: invalid(
    'The form, a field or the recording is invalid, or moderation blocked it (`content_filter`).',
    'invalid_value',
    "Invalid value: 'xml'. Supported values are: 'json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'.",
  ),
  404: invalid('There is no such model.', 'model_not_found', "The model 'x' does not exist."),
  408: invalid('The upload was too slow.', 'upload_too_slow', 'The upload was too slow.'),
  413: invalid(
    'The recording is larger than 100 MiB.',
    null,
    'Maximum content size limit (104857600) exceeded.',
  ),
  429: {
    ...error(
      'The workspace has reached a quota or its number of simultaneous uploads.',
      'insufficient_quota',
      'insufficient_quota',
      'This workspace has reached its quota of recordings.',
    ),
    headers: { 'Retry-After': headerRef('RetryAfter') },
  },
};

/** The errors of the operations that start a run. */
const RUN_ERRORS = {
  ...UPLOAD_ERRORS,
  409: invalid('Somebody cancelled the run.', 'cancelled', 'The run was cancelled.'),
  500: error('The run failed.', 'server_error', 'internal', 'Something went wrong.'),
};

const RUN_HEADERS = {
  'Captioner-Run-Id': headerRef('RunId'),
  'Captioner-Model': headerRef('RecogniserUsed'),
  'Captioner-Warning': headerRef('HearingWarning'),
};

/** POST /v1/audio/transcriptions. */
export const TRANSCRIPTION_DETAIL = detail({
  operationId: 'openAiTranscription',
  summary: 'Transcribe a recording, as OpenAI’s API does',
  description:
    'Takes the recording, starts a run and waits for it. The run is one like any other: `Captioner-Run-Id` names it, and it goes on if the connection breaks. After 45 seconds the response begins, with spaces or line breaks that its format allows, so that no proxy on the way gives up.',
  tags: ['OpenAI'],
  requestBody: form('OpenAiTranscriptionForm'),
  responses: {
    200: {
      description: 'The transcription in the requested format, or a stream of events.',
      headers: RUN_HEADERS,
      content: {
        'application/json': {
          schema: {
            anyOf: [
              schemaRef('OpenAiTranscription'),
              schemaRef('OpenAiVerboseTranscription'),
              schemaRef('OpenAiDiarizedTranscription'),
            ],
          },
        },
        ...text('text/plain'),
        ...text('text/event-stream'),
      },
    },
    ...RUN_ERRORS,
  },
});

/** POST /v1/audio/translations. */
export const TRANSLATION_DETAIL = detail({
  operationId: 'openAiTranslation',
  summary: 'Translate a recording into English, as OpenAI’s API does',
  description:
    'Transcribes the recording with a run, as POST /v1/audio/transcriptions does, and then translates its captions with the language model of this service; both go on if the connection breaks. English speech is only transcribed. Without a language model, this host’s own models translate; for a language that they do not support the answer is 400 `unsupported_model`.',
  tags: ['OpenAI'],
  requestBody: form('OpenAiTranslationForm'),
  responses: {
    200: {
      description: 'The translation in the requested format.',
      headers: RUN_HEADERS,
      content: {
        'application/json': {
          schema: {
            anyOf: [schemaRef('OpenAiTranscription'), schemaRef('OpenAiVerboseTranscription')],
          },
        },
        ...text('text/plain'),
      },
    },
    ...RUN_ERRORS,
  },
});

const query = (name: string, schema: object, description: string) => ({
  name,
  in: 'query',
  required: false,
  schema,
  description,
});

const ENCODE = query(
  'encode',
  { type: 'boolean', default: true },
  'false: the recording is raw sound, mono samples of 16 bits at 16 kHz, least significant byte first; it may then be as long as an MP3 of the largest size',
);

/** POST /asr. */
export const ASR_DETAIL = detail({
  operationId: 'asr',
  summary: 'Transcribe a recording, as whisper-asr-webservice does',
  description:
    'For programs made for whisper-asr-webservice, such as Bazarr. The run is one like any other, and goes on if the connection breaks. The key may also be the password of Basic, or an address from POST /workspace/addresses.',
  tags: ['OpenAI'],
  parameters: [
    ENCODE,
    query(
      'task',
      { type: 'string', enum: ['transcribe', 'translate'], default: 'transcribe' },
      'translate: into English',
    ),
    query(
      'language',
      { type: 'string' },
      'a code or an English word; detected if absent, where a model for that is installed',
    ),
    query(
      'initial_prompt',
      { type: 'string' },
      'terms, or a text with names: they become the glossary',
    ),
    query('word_timestamps', { type: 'boolean', default: false }, 'for json'),
    query(
      'vad_filter',
      { type: 'boolean', default: false },
      'without effect: silence is always skipped',
    ),
    query('output', { type: 'string', enum: [...ASR_OUTPUTS], default: 'txt' }, 'the format'),
  ],
  requestBody: form('AsrForm'),
  responses: {
    200: {
      description: 'The transcription in the requested format.',
      headers: RUN_HEADERS,
      content: {
        'application/json': { schema: schemaRef('AsrTranscription') },
        ...text('text/plain'),
      },
    },
    ...RUN_ERRORS,
  },
});

/** POST /detect-language. */
export const DETECT_LANGUAGE_DETAIL = detail({
  operationId: 'detectLanguage',
  summary: 'Tell the language of a recording, as whisper-asr-webservice does',
  description:
    'Hears the first half minute. Nothing of it stays: the recording and its run are erased before the answer.',
  tags: ['OpenAI'],
  parameters: [ENCODE],
  requestBody: form('AsrForm'),
  responses: {
    200: { description: 'The language.', content: json('DetectedLanguage') },
    ...RUN_ERRORS,
  },
});

/** GET /v1/models. */
export const MODELS_DETAIL = detail({
  operationId: 'openAiModels',
  summary: 'List the names that `model` may have',
  tags: ['OpenAI'],
  responses: {
    200: {
      description: 'The models.',
      content: content('application/json', 'OpenAiModelList'),
    },
    ...ERRORS,
  },
});

/** GET /v1/models/{model}. */
export const MODEL_DETAIL = detail({
  operationId: 'openAiModel',
  summary: 'Get one of the models',
  tags: ['OpenAI'],
  responses: {
    200: { description: 'The model.', content: content('application/json', 'OpenAiModel') },
    ...ERRORS,
    404: UPLOAD_ERRORS[404],
  },
});
