/** `edge` through a Whisper service, which receives the recording piece by piece. */
import { Buffer } from 'node:buffer';
import { uncounted } from '../../compute.ts';
import type { ModelServer } from '../../config/services.ts';
import { indexMp3, type AudioSource } from '../../mp3/frames.ts';
import { callJson } from '../../remote/call.ts';
import type { Callee } from '../../remote/failures.ts';
import { KEYTERM_LIMITS, promptOf, type KeytermLimit } from '../../terminology/packs/keyterms.ts';
import type { Waiting } from '../../waiting.ts';
import type { SpeechProvider, TranscriptionRequest } from '../provider.ts';
import { mergePieces } from '../transcript.ts';
import { planFramePieces, type FramePiece } from './frame-pieces.ts';
import { readDeepgram } from './payloads/deepgram.ts';
import { readWhisper } from './payloads/whisper.ts';
import { audioTimeoutMs, calleeOf, checkedTranscript } from './remote-provider.ts';

/** The number of pieces of one run in progress at once; each takes a few megabytes while it is sent. */
const PIECES_AT_ONCE = 4;

/** A service that transcribes pieces of MP3. */
export interface WhisperService {
  /** The name in metadata.models. */
  engine: 'workers-ai' | 'openai-compatible';
  /** The default model. */
  model: string;
  /** The key term limits of a model (default: Whisper's prompt). */
  keytermLimit?(model: string): KeytermLimit;
  /** Transcribes a piece. @throws {StageFailure} any failure of the call */
  recognise(bytes: Uint8Array, question: RecognitionRequest): Promise<unknown>;
}

export interface RecognitionRequest {
  callee: Callee & { model: string };
  request: TranscriptionRequest;
  /** ISO 639-1, the codes that Whisper uses. */
  language: string;
  /** Key terms as a prompt; absent if there are none. */
  prompt?: string;
  timeoutMs: number;
  signal: AbortSignal;
  waiting: Waiting | undefined;
}

/**
 * Creates the provider.
 * @param waiting default: real time
 */
export function createRemoteWhisper(
  service: WhisperService,
  timeoutMs: number,
  waiting?: Waiting,
): SpeechProvider {
  return {
    name: 'edge',
    keytermLimit: (model = service.model) =>
      service.keytermLimit?.(model) ?? KEYTERM_LIMITS.whisper,
    piecesAtOnce: PIECES_AT_ONCE,

    async plan(audio, request, { signal, compute = uncounted }) {
      const index = await compute(() => indexMp3(audio, signal));
      const { provider, model } = calleeOf('edge', request, service.model);
      return {
        duration: index.duration,
        pieces: planFramePieces(index, audio.size, request.chunkBytes),
        engine: { provider, model, engine: service.engine, keytermsInjected: true },
      };
    },

    async transcribe(audio, piece, request, { signal, compute = uncounted }) {
      const { byteStart, byteEnd, start, end } = piece as FramePiece;
      const callee = calleeOf('edge', request, service.model);
      const answer = await service.recognise(await bytesOf(audio, byteStart, byteEnd), {
        callee,
        request,
        language: request.language.toLowerCase().replace(/[-_].*/, ''),
        ...(request.keyterms.length > 0 ? { prompt: promptOf(request.keyterms) } : {}),
        timeoutMs: audioTimeoutMs(timeoutMs, end - start),
        signal,
        waiting,
      });
      return compute(() =>
        checkedTranscript(
          callee,
          answer,
          readWhisper(answer, start) ?? readDeepgram(answer, start),
        ),
      );
    },

    merge: mergePieces,
  };
}

async function bytesOf(audio: AudioSource, start: number, end: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of audio.read({ start, end })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// `edge` through an OpenAI-compatible transcription server (`/audio/transcriptions`).

/** The service. Only verbose_json contains words with their times. */
export const transcriptionServer = ({ baseUrl, model }: ModelServer): WhisperService => ({
  engine: 'openai-compatible',
  model,
  recognise: (bytes, question) =>
    callJson({
      ...question.callee,
      url: `${baseUrl}/audio/transcriptions`,
      body: () => formOf(bytes, question),
      timeoutMs: question.timeoutMs,
      signal: question.signal,
      waiting: question.waiting,
    }),
});

function formOf(bytes: Uint8Array, { callee, language, prompt }: RecognitionRequest): FormData {
  const form = new FormData();
  form.set('model', callee.model);
  form.set('language', language);
  form.set('response_format', 'verbose_json');
  form.append('timestamp_granularities[]', 'word');
  form.append('timestamp_granularities[]', 'segment');
  if (prompt !== undefined) form.set('prompt', prompt);
  const audio = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'audio/mpeg' });
  form.set('file', audio, 'audio.mp3');
  return form;
}
