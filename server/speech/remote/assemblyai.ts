/**
 * AssemblyAI: uploads the recording, requests a transcript and polls until it is done. The plan contains the
 * transcript's id, so that a run that continues after a crash does not pay twice, and a request whose response was lost
 * is looked for before it is repeated.
 */
import type { CallErrorCode } from '../../contract/failure.ts';
import { uncounted } from '../../base/compute.ts';
import { Type, validator, maybe } from '../../contract/schema.ts';
import { callJson, type RemoteCall } from '../../remote/call.ts';
import { CallError } from '../../remote/call-error.ts';
import { failureOf, unexpectedAnswer } from '../../remote/call-failure.ts';
import { KEYTERM_LIMITS } from '../../terminology/packs/keyterms.ts';
import { realTime } from '../../base/concurrency.ts';
import type { Piece, SpeechProvider, TranscriptionRequest, PieceTranscript } from '../provider.ts';
import {
  type RemoteSpeechOptions,
  type SpeechService,
  audioTimeoutMs,
  calleeOf,
  checkedTranscript,
  groupStarts,
  mergeWhole,
  planWhole,
  serviceMetadata,
  transcriptWords,
} from './remote-provider.ts';

/**
 * The default models, in order: universal-3-5-pro supports 18 languages, universal-2 the others. AssemblyAI picks one
 * and reports which.
 */
const ASSEMBLYAI_MODELS = ['universal-3-5-pro', 'universal-2'] as const;
const [ASSEMBLYAI_MODEL] = ASSEMBLYAI_MODELS;

/** The description of AssemblyAI for the rest of the program. */
export const assemblyAi: SpeechService = {
  name: 'assemblyai',
  environment: 'ASSEMBLYAI',
  baseUrl: 'https://api.assemblyai.com',
  model: ASSEMBLYAI_MODEL,
  limits: `key terms of at most ${KEYTERM_LIMITS.assemblyai.words} words; the recording is sent in one piece`,
  page: 'https://www.assemblyai.com/docs/pre-recorded-audio/keyterms-prompting',
  create: createAssemblyAi,
};

/** The pauses between two polls of a transcript: the first and the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/** A piece whose transcript has been requested. */
type RequestedPiece = Piece & { transcriptId: string };

/** The most transcripts that AssemblyAI lists on one page, newest first. */
const MAX_LISTED = 200;

const Uploaded = Type.Object({ upload_url: Type.String() });

/** Creates the provider. Its address may be given with or without `/v2`. */
function createAssemblyAi({
  apiKey,
  baseUrl,
  timeoutMs,
  waiting = realTime,
}: RemoteSpeechOptions): SpeechProvider {
  const base = baseUrl.replace(/\/v2$/, '');
  const calls = (request: TranscriptionRequest, seconds: number, signal: AbortSignal) => {
    const callee = calleeOf('assemblyai', request, ASSEMBLYAI_MODEL);
    const call = (
      path: string,
      given: Partial<RemoteCall> & { mediaType?: string },
    ): Promise<unknown> => {
      const { mediaType, ...rest } = given;
      return callJson({
        ...callee,
        url: `${base}/v2/${path}`,
        headers: {
          authorization: apiKey,
          ...(mediaType ? { 'content-type': mediaType } : {}),
        },
        timeoutMs,
        signal,
        readRefusal,
        waiting,
        ...rest,
      });
    };
    return { callee, call, limitMs: audioTimeoutMs(timeoutMs, seconds) };
  };

  return {
    name: 'assemblyai',
    keytermLimit: () => KEYTERM_LIMITS.assemblyai,

    async plan(audio, request, context) {
      const { signal } = context;
      const { provider, model } = calleeOf('assemblyai', request, ASSEMBLYAI_MODEL);
      const engine = { provider, model, keytermsInjected: true };
      const plan = await planWhole(audio, context, engine);
      const { callee, call, limitMs } = calls(request, plan.duration, signal);
      const uploaded = await call('upload', {
        body: () => audio.read(),
        mediaType: 'application/octet-stream',
        timeoutMs: limitMs,
      });
      if (!validator(Uploaded).check(uploaded)) throw unexpectedAnswer(callee, uploaded);
      // Every upload has its own address.
      const ours = validator(
        Type.Object({ id: Type.String(), audio_url: Type.Literal(uploaded.upload_url) }),
      );
      const ask = (speakerLabels: boolean) => {
        const order = assemblyAiRequest(uploaded.upload_url, request, speakerLabels);
        const body = JSON.stringify(order);
        return call('transcript', {
          body: () => body,
          mediaType: 'application/json',
          effect: {
            url: `${base}/v2/transcript?limit=${MAX_LISTED}`,
            // A list of another form fails here, which counts as none.
            find: (answer) =>
              (answer as { transcripts: unknown[] }).transcripts.find((one) => ours.check(one)),
          },
        });
      };
      // Speakers cannot be distinguished in every language, and captions work without them.
      let speakerLabels = true;
      const asked = await ask(speakerLabels).catch((error: unknown) => {
        if (!refusesSpeakers(error)) throw error;
        speakerLabels = false;
        return ask(speakerLabels);
      });
      if (!validator(AssemblyAiStatus).check(asked)) throw unexpectedAnswer(callee, asked);
      const [piece] = plan.pieces;
      return {
        ...plan,
        pieces: [{ ...piece, transcriptId: asked.id }],
        engine: speakerLabels ? engine : { ...engine, speakerLabels },
      };
    },

    async transcribe(_audio, piece, request, { signal, compute = uncounted }) {
      const { transcriptId } = piece as RequestedPiece;
      const { callee, call, limitMs } = calls(request, piece.end, signal);
      const until = Date.now() + limitMs;
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 1.5)) {
        const path = `transcript/${encodeURIComponent(transcriptId)}`;
        const answer = await call(path, { method: 'GET' });
        if (!validator(AssemblyAiStatus).check(answer)) throw unexpectedAnswer(callee, answer);
        if (answer.status === 'completed') {
          return compute(() => checkedTranscript(callee, answer, readAssemblyAi(answer)));
        }
        if (answer.status === 'error') {
          const code = causeOf(answer.error ?? '');
          throw failureOf(callee, new CallError(code, { answer: JSON.stringify(answer) }));
        }
        if (Date.now() + wait > until) throw failureOf(callee, new CallError('provider_timeout'));
        await waiting.pause(wait, signal);
      }
    },

    merge: mergeWhole,
  };
}

/** The request for an uploaded recording. */
const assemblyAiRequest = (
  audioUrl: string,
  { model, language, keyterms, speakers }: TranscriptionRequest,
  speakerLabels: boolean,
): Record<string, unknown> => ({
  audio_url: audioUrl,
  speech_models: model === undefined ? ASSEMBLYAI_MODELS : [model],
  language_code: languageCode(language),
  punctuate: true,
  format_text: true,
  ...(speakerLabels
    ? { speaker_labels: true, ...(speakers && { speakers_expected: speakers }) }
    : {}),
  ...(keyterms.length > 0 ? { keyterms_prompt: keyterms } : {}),
});

/** Language codes that are different at AssemblyAI. */
const LANGUAGES: Record<string, string> = { fil: 'tl', iw: 'he', jv: 'jw', nb: 'no' };
const ENGLISH: Record<string, string> = { us: 'en_us', gb: 'en_uk', uk: 'en_uk', au: 'en_au' };

/** AssemblyAI's code for a language: `en-GB` becomes `en_uk`; in other languages regions are not distinguished. */
function languageCode(language: string): string {
  const [primary = 'en', region = ''] = language.toLowerCase().split(/[-_]/);
  return primary === 'en' ? (ENGLISH[region] ?? 'en') : (LANGUAGES[primary] ?? primary);
}

/** Whether an answer is the error "The following models are not available in this language: speaker_labels". */
const namesSpeakers = (answer: string): boolean =>
  /not available in this language[^"]*\bspeaker_labels\b/i.test(answer);

/** Whether a request was refused only because of `speaker_labels`. */
function refusesSpeakers(error: unknown): boolean {
  const { cause } = error as Error;
  return cause instanceof CallError && cause.isRefusal && namesSpeakers(cause.answer ?? '');
}

function readRefusal(status: number, answer: string): CallErrorCode | undefined {
  if (status !== 400 || namesSpeakers(answer)) return undefined;
  if (/speech[ _]?model/i.test(answer)) return 'model_unavailable';
  return /language/i.test(answer) ? 'language_unsupported' : undefined;
}

/** The cause of a failed transcript. AssemblyAI's own message is not passed on. */
function causeOf(error: string): CallErrorCode {
  if (/language/i.test(error)) return 'language_unsupported';
  if (
    /no (?:spoken )?audio|does not (?:appear to )?contain audio|transcod|decode|duration|file type/i.test(
      error,
    )
  ) {
    return 'audio_unreadable';
  }
  return 'provider_unavailable';
}

const Word = Type.Object({
  text: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  confidence: maybe(Type.Number()),
  speaker: maybe(Type.String()),
});

/** The state of a transcript. */
const AssemblyAiStatus = Type.Object({
  id: Type.String(),
  status: Type.String(),
  error: maybe(Type.String()),
});

const Payload = Type.Object({
  id: Type.String(),
  text: maybe(Type.String()),
  words: maybe(Type.Array(Word)),
  utterances: maybe(Type.Array(Type.Object({ words: Type.Array(Type.Unknown()) }))),
  audio_duration: maybe(Type.Number()),
  language_code: maybe(Type.String()),
  /** The model, out of `speech_models`, that transcribed the recording. */
  speech_model_used: maybe(Type.String()),
});

/** Reads a completed transcript; null if it is invalid or incomplete. */
function readAssemblyAi(payload: unknown): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const heard = payload.words ?? [];
  if (heard.length === 0 && (payload.text ?? '').trim() !== '') return null;
  const words = transcriptWords(
    heard.map((word) => ({ ...word, start: word.start / 1000, end: word.end / 1000 })),
  );
  const lengths = payload.utterances?.map((utterance) => utterance.words.length);
  return {
    words,
    utterances: groupStarts(lengths, heard, words),
    duration: payload.audio_duration ?? undefined,
    metadata: serviceMetadata({
      transcriptId: payload.id,
      model: payload.speech_model_used,
      detectedLanguage: payload.language_code,
    }),
  };
}
