/** `edge` through Workers AI. */
import { Buffer } from 'node:buffer';
import { runModel, type ModelInput, type WorkersAi } from '../../remote/workers-ai.ts';
import { deepgramQuery } from '../deepgram.ts';
import type { HearQuestion, WhisperService } from './remote-whisper.ts';

const WORKERS_AI_SPEECH_MODEL = '@cf/openai/whisper-large-v3-turbo';

/**
 * The service.
 * @param vad leave out what is no speech before it is heard
 */
export const workersAiWhisper = (account: WorkersAi, vad: boolean): WhisperService => ({
  engine: 'workers-ai',
  model: WORKERS_AI_SPEECH_MODEL,
  hear: (bytes, question) =>
    runModel(account, {
      ...question.callee,
      input: inputOf(bytes, question, vad),
      timeoutMs: question.timeoutMs,
      signal: question.signal,
    }),
});

/** large-v3-turbo takes base64 within JSON, Deepgram's models and the older Whispers take the bytes. */
function inputOf(bytes: Uint8Array, question: HearQuestion, vad: boolean): ModelInput {
  const { callee, request, language, prompt } = question;
  if (/whisper-large/.test(callee.model)) {
    const json = {
      audio: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      task: 'transcribe',
      language,
      vad_filter: vad,
      ...(prompt === undefined ? {} : { initial_prompt: prompt }),
    };
    return { json };
  }
  const query = /deepgram/.test(callee.model)
    ? deepgramQuery(request, callee.model)
    : new URLSearchParams();
  // The path names the model already.
  query.delete('model');
  return { bytes, mediaType: 'audio/mpeg', query };
}
