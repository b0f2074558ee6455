/** Deepgram: streams the unchanged recording, and reads all words from one response. */
import { uncounted } from '../../base/compute.ts';
import type { CallErrorCode } from '../../contract/failure.ts';
import { callJson } from '../../remote/call.ts';
import { KEYTERM_LIMITS } from '../../terminology/packs/keyterms.ts';
import type { SpeechProvider, TranscriptionRequest, PieceTranscript } from '../provider.ts';
import {
  type RemoteSpeechOptions,
  type SpeechService,
  audioTimeoutMs,
  calleeOf,
  checkedTranscript,
  groupStarts,
  mergeWhole,
  planWhole,
  sendingAudio,
  serviceMetadata,
  transcriptWords,
} from './remote-provider.ts';
import { maybe, Type, validator } from '../../contract/schema.ts';

/** The default model. */
const DEEPGRAM_MODEL = 'nova-3';

/** The description of Deepgram for the rest of the program. */
export const deepgram: SpeechService = {
  name: 'deepgram',
  environment: 'DEEPGRAM',
  baseUrl: 'https://api.deepgram.com',
  model: DEEPGRAM_MODEL,
  limits: `at most ${KEYTERM_LIMITS.deepgram.terms} key terms of ${KEYTERM_LIMITS.deepgram.tokens} tokens together; the recording is sent in one piece`,
  page: 'https://developers.deepgram.com/docs/keyterm',
  create: createDeepgram,
};

/** Creates the provider. Its address may be given with or without `/v1`. */
function createDeepgram({
  apiKey,
  baseUrl,
  timeoutMs,
  waiting,
}: RemoteSpeechOptions): SpeechProvider {
  const listen = `${baseUrl.replace(/\/v1$/, '')}/v1/listen`;
  return {
    name: 'deepgram',
    keytermLimit: (model = DEEPGRAM_MODEL) => LIMITS[keytermParameter(model) ?? 'none'],

    plan: (audio, request, context) => {
      const { provider, model } = calleeOf('deepgram', request, DEEPGRAM_MODEL);
      const keytermsInjected = keytermParameter(model) !== null;
      return planWhole(audio, context, { provider, model, keytermsInjected });
    },

    async transcribe(audio, piece, request, { signal, progress, compute = uncounted }) {
      const callee = calleeOf('deepgram', request, DEEPGRAM_MODEL);
      const answer = await callJson({
        ...callee,
        url: `${listen}?${deepgramQuery(request, callee.model)}`,
        headers: { authorization: `Token ${apiKey}`, 'content-type': 'audio/mpeg' },
        body: () => sendingAudio(audio, progress),
        timeoutMs: audioTimeoutMs(timeoutMs, piece.end),
        signal,
        readRefusal,
        waiting,
      });
      return compute(() => checkedTranscript(callee, answer, readDeepgram(answer)));
    },

    merge: mergeWhole,
  };
}

/** The query of a request to Deepgram itself. */
function deepgramQuery(request: TranscriptionRequest, model: string): URLSearchParams {
  const query = listenQuery(request);
  query.set('model', model);
  // `diarize=true` is the first diarisation model, `latest` the best one available.
  query.set('diarize_model', 'latest');
  const parameter = keytermParameter(model);
  if (parameter) for (const term of request.keyterms) query.append(parameter, term);
  return query;
}

/** The query parameters for any Deepgram model, wherever it is hosted. */
export const listenQuery = ({ language }: TranscriptionRequest): URLSearchParams =>
  new URLSearchParams({
    language: deepgramLanguage(language),
    smart_format: 'true',
    punctuate: 'true',
    paragraphs: 'true',
    utterances: 'true',
  });

/** A model's parameter for key terms: nova-3 and flux have `keyterm`, earlier models `keywords`, Whisper neither. */
function keytermParameter(model: string): 'keyterm' | 'keywords' | null {
  if (/nova-[3-9]|flux/.test(model)) return 'keyterm';
  return /whisper/.test(model) ? null : 'keywords';
}

/** The limits of both parameters; keywords are single words. */
const LIMITS = {
  keyterm: KEYTERM_LIMITS.deepgram,
  keywords: { terms: KEYTERM_LIMITS.deepgram.terms, words: 1 },
  none: { terms: 0 },
} as const;

function readRefusal(status: number, answer: string): CallErrorCode | undefined {
  if (status !== 400 && status !== 404) return undefined;
  // Deepgram gives the same answer for an unknown model, tier or language.
  if (/no such model\/language/i.test(answer)) return 'language_unsupported';
  if (/no such model/i.test(answer)) return 'model_unavailable';
  return /corrupt or unsupported data|unsupported (?:audio|media)/i.test(answer)
    ? 'audio_unreadable'
    : undefined;
}

/**
 * Maps languages to Deepgram's codes. Sources: developers.deepgram.com/docs/models-languages-overview and its changelog
 * up to 2026-08, read in November 2026.
 */

/** The codes of nova-3 with a region or a script; all other codes are only a language. */
const REGIONAL =
  'da-DK de-CH en-AU en-GB en-IN en-NZ en-US es-419 fr-CA gu-IN ko-KR nl-BE pt-BR pt-PT sv-SE th-TH zh-CN zh-HK zh-Hans zh-Hant zh-TW';

/** Different codes for the same language. */
const ALIASES: Record<string, string> = {
  cmn: 'zh',
  fil: 'tl',
  iw: 'he',
  nb: 'no',
  nn: 'no',
  yue: 'zh-HK',
};

const known = new Map(REGIONAL.split(' ').map((code) => [code.toLowerCase(), code]));

/**
 * Deepgram's code for a language (BCP 47): a regional code if it exists, otherwise only the language. `fr-FR` becomes
 * `fr`, `fr-ca` becomes `fr-CA`, `zh-Hant-HK` becomes `zh-HK`.
 */
function deepgramLanguage(language: string): string {
  const [primary = 'en', ...parts] = language.toLowerCase().split(/[-_]/);
  // The region, which comes last, is more specific than the script.
  for (const part of parts.toReversed()) {
    const code = known.get(`${primary}-${part}`);
    if (code) return code;
  }
  return ALIASES[primary] ?? primary;
}

const Word = Type.Object({
  word: Type.String(),
  /** Absent without smart_format or punctuate, and from Workers AI. */
  punctuated_word: maybe(Type.String()),
  start: Type.Number(),
  end: Type.Number(),
  confidence: maybe(Type.Number()),
  speaker: maybe(Type.Union([Type.Number(), Type.String()])),
});

const Alternative = Type.Object({
  transcript: Type.String(),
  words: maybe(Type.Array(Word)),
  paragraphs: maybe(
    Type.Object({ paragraphs: Type.Array(Type.Object({ num_words: Type.Integer() })) }),
  ),
});

const Payload = Type.Object({
  metadata: Type.Optional(
    Type.Object({
      request_id: Type.Optional(Type.String()),
      duration: Type.Optional(Type.Number()),
      model_info: Type.Optional(
        Type.Record(
          Type.String(),
          Type.Object({
            name: Type.Optional(Type.String()),
            version: Type.Optional(Type.String()),
          }),
        ),
      ),
    }),
  ),
  results: Type.Object({
    channels: Type.Array(
      Type.Object({
        alternatives: Type.Array(Alternative),
        detected_language: Type.Optional(Type.String()),
      }),
    ),
    utterances: maybe(Type.Array(Type.Object({ words: Type.Array(Type.Unknown()) }))),
  }),
});

/**
 * Reads a response; null if it is invalid or incomplete.
 * @param shift the start of the sent audio within the recording, in seconds
 */
export function readDeepgram(payload: unknown, shift = 0): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const [channel] = payload.results.channels;
  if (!channel) return null;
  const [best] = channel.alternatives;
  const heard = best?.words ?? [];
  // Text without times cannot be captioned.
  if (heard.length === 0 && best !== undefined && best.transcript.trim() !== '') return null;
  const words = transcriptWords(
    heard.map(({ word, punctuated_word, ...rest }) => ({ ...rest, text: punctuated_word ?? word })),
    shift,
  );
  const utterances = payload.results.utterances?.map((utterance) => utterance.words.length);
  const paragraphs = best?.paragraphs?.paragraphs.map((paragraph) => paragraph.num_words);
  const { metadata } = payload;
  const [info] = Object.values(metadata?.model_info ?? {});
  return {
    words,
    utterances: groupStarts(utterances, heard, words),
    paragraphs: groupStarts(paragraphs, heard, words),
    duration: metadata?.duration,
    metadata: serviceMetadata({
      requestId: metadata?.request_id,
      modelName: info?.name,
      modelVersion: info?.version,
      detectedLanguage: channel.detected_language,
    }),
  };
}
