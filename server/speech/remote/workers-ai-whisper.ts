/** Transcription by a model of Workers AI. */
import { Buffer } from 'node:buffer';
import type { WorkersAi } from '../../remote/service-settings.ts';
import { runModel, type ModelInput } from '../../remote/workers-ai.ts';
import { KEYTERM_LIMITS } from '../../terminology/packs/keyterms.ts';
import type { TranscriptionRequest } from '../provider.ts';
import { listenQuery } from './deepgram.ts';
import type { RecognitionRequest, WhisperService } from './whisper-service.ts';

/** The default model. */
const WORKERS_AI_SPEECH_MODEL = '@cf/openai/whisper-large-v3-turbo';

/**
 * Creates the service.
 * @param vad whether to skip audio without speech
 */
export const workersAiWhisper = (account: WorkersAi, vad: boolean): WhisperService => ({
  engine: 'workers-ai',
  model: WORKERS_AI_SPEECH_MODEL,
  keytermLimit: (model) =>
    isDeepgram(model) ? { ...KEYTERM_LIMITS.deepgram, terms: 1 } : KEYTERM_LIMITS.whisper,
  recognise: (bytes, question) =>
    runModel(account, {
      ...question.callee,
      input: inputOf(bytes, question, vad),
      timeoutMs: question.timeoutMs,
      signal: question.signal,
      waiting: question.waiting,
    }),
});

/**
 * The input of a model: large-v3-turbo takes base64 within JSON, Deepgram's models and older Whisper models the bytes.
 */
function inputOf(
  bytes: Uint8Array,
  { callee, request, language, prompt }: RecognitionRequest,
  vad: boolean,
): ModelInput {
  if (/whisper-large/.test(callee.model)) {
    const json = {
      audio: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      task: 'transcribe',
      language,
      vad_filter: vad,
      // Absent in JSON if there are no key terms.
      initial_prompt: prompt,
    };
    return { json };
  }
  const query = isDeepgram(callee.model) ? deepgramQuery(request) : new URLSearchParams();
  return { bytes, mediaType: 'audio/mpeg', query };
}

/** Whether a model of Workers AI is one of Deepgram's. */
const isDeepgram = (model: string): boolean => /deepgram/.test(model);

/**
 * The query for Deepgram's nova-3 on Workers AI, which supports neither `diarize_model` nor a second `keyterm`
 * (developers.cloudflare.com/ai/models/@cf/deepgram/nova-3, read in November 2026).
 */
function deepgramQuery(request: TranscriptionRequest): URLSearchParams {
  const query = listenQuery(request);
  query.set('diarize', 'true');
  const [best] = request.keyterms;
  if (best !== undefined) query.set('keyterm', best);
  return query;
}
