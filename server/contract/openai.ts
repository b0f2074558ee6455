/** The objects of OpenAI's audio API, as this service returns them. Fields that only some requests get are optional. */
import { enumeration, open, Type } from './schema.ts';

const seconds = () => Type.Number({ minimum: 0, description: 'seconds of the recording' });

/** An error in OpenAI's form. */
export const OpenAiError = open({
  error: open({
    message: Type.String(),
    type: Type.String({ description: '`invalid_request_error`, `server_error` and others' }),
    param: Type.Union([Type.String(), Type.Null()], {
      description: 'the field that the error is about',
    }),
    code: Type.Union([Type.String(), Type.Null()]),
  }),
});

const usage = () => open({ type: Type.Literal('duration'), seconds: Type.Integer({ minimum: 0 }) });

/** A transcription as `json`. */
export const OpenAiTranscription = open({
  text: Type.String(),
  languages: Type.Optional(
    Type.Array(open({ code: Type.String() }), { description: 'for the model gpt-transcribe' }),
  ),
  logprobs: Type.Optional(
    Type.Array(
      open({
        token: Type.String({ description: 'a word' }),
        logprob: Type.Number({ description: 'the logarithm of its confidence' }),
        bytes: Type.Array(Type.Integer({ minimum: 0, maximum: 255 })),
      }),
      { description: 'with `include[]=logprobs`, for words with a confidence' },
    ),
  ),
  usage: usage(),
});

/** What Whisper says of a segment. */
const segment = {
  id: Type.Integer({ minimum: 0 }),
  seek: Type.Integer({ minimum: 0 }),
  start: seconds(),
  end: seconds(),
  text: Type.String(),
  tokens: Type.Array(Type.Integer({ minimum: 0 }), { description: 'always empty' }),
  temperature: Type.Number({ minimum: 0, description: 'that of the request' }),
  avg_logprob: Type.Number({
    description: 'the mean logarithm of the confidences of its words; 0 if there are none',
  }),
  compression_ratio: Type.Number({ minimum: 0 }),
  no_speech_prob: Type.Number({ minimum: 0, description: 'always 0: a segment has words' }),
};

/** A transcription as `verbose_json`. */
export const OpenAiVerboseTranscription = open({
  task: enumeration(['transcribe', 'translate']),
  language: Type.String({ description: 'an English word, such as `english`' }),
  duration: seconds(),
  text: Type.String(),
  segments: Type.Optional(Type.Array(open(segment), { description: 'sentences' })),
  words: Type.Optional(
    Type.Array(open({ word: Type.String(), start: seconds(), end: seconds() }), {
      description: 'with `timestamp_granularities[]=word`; with punctuation',
    }),
  ),
  usage: usage(),
});

/** A transcription as Whisper's own JSON, which whisper-asr-webservice returns. */
export const AsrTranscription = open({
  text: Type.String(),
  segments: Type.Array(
    open({
      ...segment,
      words: Type.Optional(
        Type.Array(
          open({
            word: Type.String({ description: 'with a space before it' }),
            start: seconds(),
            end: seconds(),
            probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
          }),
          { description: 'with `word_timestamps=true`; not of a translation' },
        ),
      ),
    }),
    { description: 'sentences' },
  ),
  language: Type.String({ description: 'the code of the language that is spoken' }),
});

/** The formats that whisper-asr-webservice has. */
export const ASR_OUTPUTS = ['txt', 'vtt', 'srt', 'tsv', 'json'] as const;

/** The form that whisper-asr-webservice takes. */
export const AsrForm = open({
  audio_file: Type.String({ format: 'binary', description: 'the recording' }),
});

/** The language of a recording. */
export const DetectedLanguage = open({
  detected_language: Type.String({ description: 'an English word, such as `english`' }),
  language_code: Type.String({ description: 'its code, such as `en`' }),
});

/** A transcription as `diarized_json`. */
export const OpenAiDiarizedTranscription = open({
  task: Type.Literal('transcribe'),
  duration: seconds(),
  text: Type.String(),
  segments: Type.Array(
    open({
      type: Type.Literal('transcript.text.segment'),
      id: Type.String(),
      start: seconds(),
      end: seconds(),
      text: Type.String(),
      speaker: Type.String({
        description:
          'the name of a known speaker; otherwise `A`, `B` and so on, in the order of their first words',
      }),
    }),
  ),
  usage: usage(),
});

/** A model in OpenAI's form. */
export const OpenAiModel = open({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ minimum: 0, description: 'seconds since 1970' }),
  owned_by: Type.String(),
});

/** The models of a service in OpenAI's form. */
export const OpenAiModelList = open({
  object: Type.Literal('list'),
  data: Type.Array(OpenAiModel),
});

/** The formats of a transcription. */
export const RESPONSE_FORMATS = [
  'json',
  'text',
  'srt',
  'verbose_json',
  'vtt',
  'diarized_json',
] as const;

/** The formats of a translation. */
export const TRANSLATION_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;

const strings = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const file = () =>
  Type.String({
    format: 'binary',
    description: 'the recording: mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg or flac',
  });
const temperature = () =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'accepted, without effect' }));
const profile = () =>
  Type.Optional(Type.String({ description: 'the profile of srt and vtt, as of ?profile=' }));

/** The form of a translation. `language` and what follows it are extensions of this service. */
export const OpenAiTranslationForm = open({
  file: file(),
  model: Type.String({
    description: 'a name of GET /v1/models; one that detects languages, or with `language`',
    examples: ['whisper-1'],
  }),
  prompt: Type.Optional(
    Type.String({ description: 'terms, or a text with names: they become the glossary' }),
  ),
  response_format: Type.Optional(enumeration(TRANSLATION_FORMATS, { default: 'json' })),
  temperature: temperature(),
  language: Type.Optional(
    Type.String({ description: 'the language of the recording, ISO 639-1; detected if absent' }),
  ),
  topic: Type.Optional(Type.String({ description: 'what the recording is about; selects packs' })),
  'packs[]': strings('term packs, from GET /terminology/packs'),
  profile: profile(),
});

/** The form of a transcription. Fields after `stream` are extensions of this service. */
export const OpenAiTranscriptionForm = open({
  file: file(),
  model: Type.String({
    description:
      'a name of GET /v1/models; those of OpenAI mean the default recogniser of this service',
    examples: ['whisper-1'],
  }),
  language: Type.Optional(
    Type.String({
      description: 'ISO 639-1; detected if absent, where a model for that is installed',
    }),
  ),
  prompt: Type.Optional(
    Type.String({ description: 'terms, or a text with names: they become the glossary' }),
  ),
  response_format: Type.Optional(enumeration(RESPONSE_FORMATS, { default: 'json' })),
  temperature: temperature(),
  'timestamp_granularities[]': Type.Optional(
    Type.Array(enumeration(['word', 'segment']), {
      description: 'for verbose_json; default: segment',
    }),
  ),
  'include[]': Type.Optional(Type.Array(enumeration(['logprobs']))),
  'keywords[]': strings('terms for the glossary'),
  'languages[]': strings('the language, if there is only one'),
  'known_speaker_names[]': Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 4,
      description: 'names of speakers, where the server tells voices apart',
    }),
  ),
  'known_speaker_references[]': Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 4,
      description: 'their voices: for each name a data URL with 2 to 10 seconds of sound',
    }),
  ),
  chunking_strategy: Type.Optional(Type.String({ description: 'accepted, without effect' })),
  stream: Type.Optional(
    Type.Boolean({
      description: 'server-sent events, for json, text and diarized_json; otherwise without effect',
    }),
  ),
  topic: Type.Optional(Type.String({ description: 'what the recording is about; selects packs' })),
  'packs[]': strings('term packs, from GET /terminology/packs'),
  profile: profile(),
  'captions[max_line_chars]': Type.Optional(Type.Integer({ minimum: 0 })),
  'captions[max_lines]': Type.Optional(Type.Integer({ minimum: 0 })),
  'captions[max_duration]': Type.Optional(Type.Number({ minimum: 0 })),
  'captions[min_duration]': Type.Optional(Type.Number({ minimum: 0 })),
});
