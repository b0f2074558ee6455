/**
 * AssemblyAI: upload, then a transcript that is asked for until it is done. Both stand in the plan,
 * so a run that goes on after a crash asks for the transcript it has already paid for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, validator } from '../contract/schema.ts';
import { callJson, type RemoteCall } from '../remote/call.ts';
import { failureOf, unexpectedAnswer } from '../remote/failures.ts';
import { RemoteFault, type FaultCode } from '../remote/faults.ts';
import { KEYTERM_LIMITS } from '../terminology/keyterms.ts';
import { AssemblyAiStatus, readAssemblyAi } from './payloads/assemblyai.ts';
import type { Piece, SpeechProvider, TranscriptionRequest } from './provider.ts';
import {
  audioTimeoutMs,
  calleeOf,
  heardFrom,
  type RemoteSpeechOptions,
} from './remote-provider.ts';
import { mergeWhole, planWhole } from './whole-file.ts';

/** The model of a payload that names none. */
export const ASSEMBLYAI_MODEL = 'universal-3-pro';
/** Speaks the languages that the first does not. */
const OTHER_LANGUAGES = 'universal-2';

/** Waits between two looks at a transcript, from the first to the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/** A piece whose transcript has been asked for. */
type AskedPiece = Piece & { transcriptId: string };

const Uploaded = Type.Object({ upload_url: Type.String() });

/** Makes the provider. Its address may end before or behind `/v2`. */
export function createAssemblyAi({
  apiKey,
  baseUrl,
  timeoutMs,
}: RemoteSpeechOptions): SpeechProvider {
  const base = baseUrl.replace(/\/v2$/, '');
  const calls = (request: TranscriptionRequest, seconds: number, signal: AbortSignal) => {
    const callee = calleeOf('assemblyai', request, ASSEMBLYAI_MODEL);
    const call = (
      path: string,
      given: Partial<RemoteCall> & { mediaType?: string } = {},
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
        ...rest,
      });
    };
    return { callee, call, limitMs: audioTimeoutMs(timeoutMs, seconds) };
  };

  return {
    name: 'assemblyai',
    keytermLimit: () => KEYTERM_LIMITS.assemblyai,

    async plan(audio, request, { signal }) {
      const { provider, model } = calleeOf('assemblyai', request, ASSEMBLYAI_MODEL);
      const engine = { provider, model, keytermsInjected: true };
      const plan = await planWhole(audio, signal, engine);
      const { callee, call, limitMs } = calls(request, plan.duration, signal);
      const uploaded = await call('upload', {
        body: () => audio.read(),
        mediaType: 'application/octet-stream',
        timeoutMs: limitMs,
      });
      if (!validator(Uploaded).check(uploaded)) throw unexpectedAnswer(callee, uploaded);
      const body = JSON.stringify(assemblyAiRequest(uploaded.upload_url, request));
      const asked = await call('transcript', { body: () => body, mediaType: 'application/json' });
      if (!validator(AssemblyAiStatus).check(asked)) throw unexpectedAnswer(callee, asked);
      const [piece] = plan.pieces;
      return { ...plan, pieces: [{ ...piece, transcriptId: asked.id }] };
    },

    async transcribe(_audio, piece, request, { signal }) {
      const { transcriptId } = piece as AskedPiece;
      const { callee, call, limitMs } = calls(request, piece.end - piece.start, signal);
      const until = Date.now() + limitMs;
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 1.5)) {
        const path = `transcript/${encodeURIComponent(transcriptId)}`;
        const answer = await call(path, { method: 'GET' });
        if (!validator(AssemblyAiStatus).check(answer)) throw unexpectedAnswer(callee, answer);
        if (answer.status === 'completed') {
          return heardFrom(callee, answer, readAssemblyAi(answer));
        }
        if (answer.status === 'error') {
          const code = causeOf(answer.error ?? '');
          throw failureOf(callee, new RemoteFault(code, { answer: JSON.stringify(answer) }));
        }
        if (Date.now() + wait > until) throw failureOf(callee, new RemoteFault('provider_timeout'));
        await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },

    merge: mergeWhole,
  };
}

/** What is asked for a recording that has been uploaded. */
function assemblyAiRequest(
  audioUrl: string,
  { model, language, keyterms }: TranscriptionRequest,
): Record<string, unknown> {
  return {
    audio_url: audioUrl,
    ...modelField(model),
    language_code: languageCode(language),
    punctuate: true,
    format_text: true,
    speaker_labels: true,
    ...(keyterms.length === 0
      ? {}
      : takesPrompt(model)
        ? { keyterms_prompt: keyterms }
        : { word_boost: keyterms, boost_param: 'high' }),
  };
}

/** The models of before stand in a field of their own. */
function modelField(model: string | undefined) {
  if (model === undefined) return { speech_models: [ASSEMBLYAI_MODEL, OTHER_LANGUAGES] };
  return model.startsWith('universal-') ? { speech_models: [model] } : { speech_model: model };
}

/** Models that understand key terms; `best` and `nano` only boost words. */
const takesPrompt = (model: string = ASSEMBLYAI_MODEL): boolean =>
  /^(?:universal|slam)/.test(model);

/** `en-GB` is `en_uk` here; but for English regions are not told apart. */
function languageCode(language: string): string {
  const [primary = 'en', region = ''] = language.toLowerCase().split(/[-_]/);
  const english: Record<string, string> = { us: 'en_us', gb: 'en_uk', uk: 'en_uk', au: 'en_au' };
  return primary === 'en' ? (english[region] ?? 'en') : primary;
}

function readRefusal(status: number, answer: string): FaultCode | undefined {
  if (status !== 400) return undefined;
  if (/language/i.test(answer)) return 'language_unsupported';
  return /speech_?model/i.test(answer) ? 'model_unavailable' : undefined;
}

/** What became of a transcript that ended as an error; its sentence itself is not told on. */
function causeOf(error: string): FaultCode {
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
