/** Transcription by an OpenAI-compatible server (`/audio/transcriptions`). */
import type { ModelServer } from '../../remote/service-settings.ts';
import { callJson } from '../../remote/call.ts';
import type { WhisperService, RecognitionRequest } from './whisper-service.ts';

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
