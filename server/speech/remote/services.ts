/** The transcription services that need a key, in the order in which documents list them. */
import { assemblyAi } from './assemblyai.ts';
import { deepgram } from './deepgram.ts';
import type { SpeechService } from './remote-provider.ts';

/** The services; the file of each contains everything else about it. */
export const SPEECH_SERVICES: readonly SpeechService[] = [deepgram, assemblyAi];
