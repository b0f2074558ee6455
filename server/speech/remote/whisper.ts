/** `edge` through a Whisper service, which receives the recording piece by piece. */
import { Buffer } from 'node:buffer';
import { uncounted } from '../../base/compute.ts';
import type { SpeechSettings, WorkersAi } from '../../remote/service-settings.ts';
import { indexMp3, type AudioSource } from '../../mp3/frames.ts';
import { KEYTERM_LIMITS, promptOf } from '../../terminology/packs/keyterms.ts';
import type { Waiting } from '../../base/concurrency.ts';
import type { SpeechProvider } from '../provider.ts';
import { mergePieces } from '../seams.ts';
import { readDeepgram } from './deepgram.ts';
import { audioTimeoutMs, calleeOf, checkedTranscript } from './remote-provider.ts';
import { type FramePiece, planFramePieces } from './frame-pieces.ts';
import { readWhisper } from './read-whisper.ts';
import type { WhisperService } from './whisper-service.ts';
import { workersAiWhisper } from './workers-ai-whisper.ts';
import { transcriptionServer } from './transcription-server.ts';

/** The number of pieces of one run in progress at once; each takes a few megabytes while it is sent. */
const PIECES_AT_ONCE = 4;

/**
 * The service behind `edge`: the first one configured, or the one that EDGE_SPEECH names; null without one.
 * @returns its engine, its default model, and what creates the provider
 */
export function remoteWhisper(speech: SpeechSettings, workersAi: WorkersAi | null) {
  const service =
    workersAi && speech.engine !== 'openai-compatible'
      ? workersAiWhisper(workersAi, speech.voiceActivity)
      : speech.edge && transcriptionServer(speech.edge);
  return (
    service && {
      engine: service.engine,
      model: service.model,
      /** @param waiting default: real time */
      create: (timeoutMs: number, waiting?: Waiting) => providerOf(service, timeoutMs, waiting),
    }
  );
}

function providerOf(
  service: WhisperService,
  timeoutMs: number,
  waiting: Waiting | undefined,
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
