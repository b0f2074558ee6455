/** `edge` through a Whisper service, which receives the recording piece by piece. */
import { Buffer } from 'node:buffer';
import { uncounted } from '../../base/compute.ts';
import type { ModelServer, SpeechSettings, WorkersAi } from '../../remote/service-settings.ts';
import { indexMp3, type AudioSource, type Mp3Index } from '../../mp3/frames.ts';
import { callJson } from '../../remote/call.ts';
import type { Callee } from '../../remote/call-failure.ts';
import { runModel, type ModelInput } from '../../remote/workers-ai.ts';
import { KEYTERM_LIMITS, promptOf, type KeytermLimit } from '../../terminology/packs/keyterms.ts';
import type { Waiting } from '../../base/concurrency.ts';
import type { SpeechProvider, TranscriptionRequest, PieceTranscript, Piece } from '../provider.ts';
import { mergePieces } from '../seams.ts';
import { listenQuery, readDeepgram } from './deepgram.ts';
import {
  audioTimeoutMs,
  calleeOf,
  checkedTranscript,
  serviceMetadata,
  transcriptWords,
  type RawWord,
} from './remote-provider.ts';
import { maybe, Type, validator, type Static } from '../../contract/schema.ts';
import { dropLoops } from '../host/words.ts';
import { hasSpaceless } from '../../captions/width.ts';

/** The number of pieces of one run in progress at once; each takes a few megabytes while it is sent. */
const PIECES_AT_ONCE = 4;

/** A service that transcribes pieces of MP3. */
interface WhisperService {
  /** The name in metadata.models. */
  engine: 'workers-ai' | 'openai-compatible';
  /** The default model. */
  model: string;
  /** The key term limits of a model (default: Whisper's prompt). */
  keytermLimit?(model: string): KeytermLimit;
  /** Transcribes a piece. @throws {StageFailure} any failure of the call */
  recognise(bytes: Uint8Array, question: RecognitionRequest): Promise<unknown>;
}

interface RecognitionRequest {
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

// `edge` through Workers AI.

/** The default model. */
const WORKERS_AI_SPEECH_MODEL = '@cf/openai/whisper-large-v3-turbo';

/**
 * Creates the service.
 * @param vad whether to skip audio without speech
 */
const workersAiWhisper = (account: WorkersAi, vad: boolean): WhisperService => ({
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
  ...[bytes, question, vad]: [...Parameters<WhisperService['recognise']>, vad: boolean]
): ModelInput {
  const { callee, request, language, prompt } = question;
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

// `edge` through an OpenAI-compatible transcription server (`/audio/transcriptions`).

/** The service. Only verbose_json contains words with their times. */
const transcriptionServer = ({ baseUrl, model }: ModelServer): WhisperService => ({
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

// Reads the responses of Whisper servers: OpenAI's verbose_json (words next to the text), and those of Workers AI and
// whisper-timestamped (words within segments).

/** A word, whose text and confidence have different names in different services. */
const Word = Type.Object({
  word: maybe(Type.String()),
  text: maybe(Type.String()),
  start: Type.Number(),
  end: Type.Number(),
  probability: maybe(Type.Number()),
  confidence: maybe(Type.Number()),
  score: maybe(Type.Number()),
});
type Word = Static<typeof Word>;

const Segment = Type.Object({
  text: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  words: maybe(Type.Array(Word)),
  avg_logprob: maybe(Type.Number()),
  compression_ratio: maybe(Type.Number()),
  no_speech_prob: maybe(Type.Number()),
});
type Segment = Static<typeof Segment>;

const Payload = Type.Object({
  text: Type.String(),
  words: maybe(Type.Array(Word)),
  segments: maybe(Type.Array(Segment)),
  language: maybe(Type.String()),
  transcription_info: maybe(Type.Object({ language: maybe(Type.String()) })),
});

/** Whisper's own threshold for a loop; repetitive text compresses better. */
const LOOP_RATIO = 2.4;
/** Whisper's own thresholds for text without speech. */
const NO_SPEECH = 0.6;
const UNSURE_LOGPROB = -1;

/**
 * Reads a response; null if it is invalid or has no times.
 * @param shift the start of the sent audio within the recording, in seconds
 */
function readWhisper(payload: unknown, shift = 0): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const { text, words, segments, transcription_info } = payload;
  const spoken = (segments ?? []).filter((segment) => !isSilence(segment));
  const raw = spoken.some((segment) => segment.words?.length)
    ? spoken.flatMap(wordsOfSegment)
    : words?.length
      ? punctuate(words.map(rawWord), text)
      : spoken.flatMap(wordsOfSegment);
  const silent = segments?.length ? spoken.length === 0 : text.trim() === '';
  if (raw.length === 0 && !silent) return null;
  const detectedLanguage = payload.language ?? transcription_info?.language;
  return {
    words: transcriptWords(raw, shift),
    metadata: serviceMetadata({ detectedLanguage }),
  };
}

const isSilence = ({ no_speech_prob, avg_logprob }: Segment): boolean =>
  (no_speech_prob ?? 0) > NO_SPEECH && (avg_logprob ?? 0) < UNSURE_LOGPROB;

function wordsOfSegment(segment: Segment): RawWord[] {
  const words = segment.words?.length ? segment.words.map(rawWord) : sharedOut(segment);
  return (segment.compression_ratio ?? 0) > LOOP_RATIO ? dropLoops(words) : words;
}

const rawWord = ({ word, text, start, end, probability, confidence, score }: Word): RawWord => ({
  text: word ?? text ?? '',
  start,
  end,
  confidence: probability ?? confidence ?? score,
});

/** Divides the time of a segment without words among its text in proportion to the characters. */
function sharedOut({ text, start, end }: Segment): RawWord[] {
  const texts = text.split(/\s+/).filter((word) => word !== '');
  const each = (end - start) / Math.max(1, texts.join('').length);
  let at = start;
  return texts.map((word) => {
    const begins = at;
    at += each * word.length;
    return { text: word, start: begins, end: at };
  });
}

/** The overlap in seconds, which is enough to join the pieces away from both cuts. */
const OVERLAP = 5;
/** The largest overlap of a short piece, as a share of it. */
const OVERLAP_SHARE = 0.25;

/** The tolerance for equal parts, since frames differ in size by up to about this factor. */
const EVEN = 1.03;

/** A piece and its bytes. Its first samples are at `start`, which may be just before 0. */
interface FramePiece extends Piece {
  byteStart: number;
  byteEnd: number;
}

/**
 * Plans the pieces. A recording that fits is one piece, including its tags; otherwise the pieces have at most
 * `chunkBytes`, in roughly equal parts.
 * @param size that of the file
 */
export function planFramePieces(index: Mp3Index, size: number, chunkBytes: number): FramePiece[] {
  if (size <= chunkBytes) {
    return [{ index: 0, start: 0, end: index.duration, byteStart: 0, byteEnd: size }];
  }
  const pieces = cut(index, chunkBytes);
  const sent = pieces.reduce((sum, piece) => sum + piece.byteEnd - piece.byteStart, 0);
  // The last of these pieces may have only a few seconds; an equal number of equal pieces avoids that.
  const even = cut(index, Math.min(chunkBytes, Math.ceil((sent / pieces.length) * EVEN)));
  return even.length === pieces.length ? even : pieces;
}

function cut(index: Mp3Index, mostBytes: number): FramePiece[] {
  const { frameCount, samplesPerFrame, sampleRate, delaySamples } = index;
  const seconds = (frame: number) => (frame * samplesPerFrame - delaySamples) / sampleRate;
  const pieces: FramePiece[] = [];
  for (let first = 0; ;) {
    const last = lastWithin(index, first, mostBytes);
    pieces.push({
      index: pieces.length,
      start: seconds(first),
      end: last === frameCount ? index.duration : seconds(last),
      byteStart: index.byteOffset(first),
      // A damaged stretch after a frame may be longer than a piece.
      byteEnd: Math.min(index.byteOffset(last), index.byteOffset(first) + mostBytes),
    });
    if (last === frameCount) return pieces;
    const overlap = Math.min(
      (OVERLAP * sampleRate) / samplesPerFrame,
      (last - first) * OVERLAP_SHARE,
    );
    const overlapping = last - Math.floor(overlap);
    // If the frame after the cut is too far away, an overlapping piece would add nothing new.
    first = lastWithin(index, overlapping, mostBytes) > last ? overlapping : last;
  }
}

/** The frame after the last one that still fits together with those from `first` on; never `first` itself. */
function lastWithin(
  { byteOffset, frameCount }: Mp3Index,
  first: number,
  mostBytes: number,
): number {
  let low = first + 1;
  let high = frameCount;
  const limit = byteOffset(first) + mostBytes;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (byteOffset(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A word that is not next in the text is searched for in the next so many characters. */
const LOOK_AHEAD = 120;

/** The place of a word in the text: its first character, and the one after its last. */
interface Place {
  from: number;
  to: number;
}

/**
 * Gives words the punctuation and case of their text. Words that the text writes as one ("well-known") are merged; a
 * word that is not in the text is unchanged.
 */
export function punctuate(words: readonly RawWord[], text: string): RawWord[] {
  const out: RawWord[] = [];
  let open: { word: RawWord; to: number } | null = null;
  const places = placesOf(words, text);
  for (const [at, word] of words.entries()) {
    const place = places[at];
    if (!place) {
      open = null;
      out.push(word);
      continue;
    }
    const shown = text.slice(place.from, place.to);
    if (open && open.to === place.from && !parts(open.word.text, shown)) {
      open.word.text += shown;
      open.word.end = word.end;
      open.to = place.to;
      continue;
    }
    open = { word: { ...word, text: shown }, to: place.to };
    out.push(open.word);
  }
  return out;
}

/** Whether two adjacent words of a text are separate although their script has no spaces. */
const parts = (left: string, right: string): boolean =>
  hasSpaceless(left.slice(-1)) || hasSpaceless(right.slice(0, 1));

/** The place of each word with its punctuation; null if it is not in the text. */
function placesOf(words: readonly RawWord[], text: string): (Place | null)[] {
  const lower = [...lowerUnits(text)];
  let next = 0;
  const found = words.map((word): Place | null => {
    const letters = [...lowerUnits(word.text)].filter(isLetter);
    if (letters.length === 0) return null;
    const place = find(lower, letters, next);
    if (place) next = place.to;
    return place;
  });
  const places = found.filter((place) => place !== null);
  for (const [at, place] of places.entries()) {
    place.from = opening(text, place.from, places[at - 1]?.to ?? 0);
    place.to = closing(text, place.to, places[at + 1]?.from ?? text.length);
  }
  return found;
}

/** The text in lower case, unit by unit, so that places stay the same. */
function* lowerUnits(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += 1) yield text.charAt(at).toLowerCase();
}

const isLetter = (unit: string): boolean => /[\p{L}\p{N}\p{M}\p{Cs}]/u.test(unit);

/** The first place at or after `from` that has these letters, with only punctuation between them. */
function find(text: readonly string[], letters: readonly string[], from: number): Place | null {
  const last = Math.min(text.length, from + LOOK_AHEAD);
  for (let start = from; start < last; start += 1) {
    if (!isBorder(text[start - 1], text[start])) continue;
    const to = matchAt(text, letters, start);
    if (to > 0 && isBorder(text[to - 1], text[to])) return { from: start, to };
  }
  return null;
}

/** Whether a word may begin or end between two characters. */
const isBorder = (left = ' ', right = ' '): boolean =>
  isLetter(left) !== isLetter(right) || hasSpaceless(left) || hasSpaceless(right);

/** The end of the last letter if the letters follow each other from `start` on without a space; otherwise 0. */
function matchAt(text: readonly string[], letters: readonly string[], start: number): number {
  let at = start;
  let matched = 0;
  for (; matched < letters.length && at < text.length; at += 1) {
    if (text[at] === letters[matched]) matched += 1;
    else if (at === start || isLetter(text[at] ?? '')) return 0;
  }
  return matched === letters.length ? at : 0;
}

/** The start of a word with the punctuation before it, back to the last space: “, (, $, ¿. */
function opening(text: string, from: number, least: number): number {
  let start = from;
  while (start > least && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** The end of a word with the punctuation after it, up to the next space. */
function closing(text: string, to: number, most: number): number {
  let end = to;
  while (end < most && !/\s/.test(text.charAt(end))) end += 1;
  return end;
}
