/**
 * Chooses the transcription provider of a run, and handles the failures of calls to it.
 *
 * The transcription stage of a run: plans pieces, transcribes each in a step of its own, and merges them.
 */
import { StageFailure, type Failure } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import {
  providerNotConfigured,
  withOtherProviders,
  type ProviderChoice,
} from '../contract/suggestions.ts';
import { type AudioSource, indexMp3 } from '../mp3/frames.ts';
import type {
  SpeechProvider,
  TranscriptionRequest,
  Piece,
  PieceTranscript,
  TranscriptionPlan,
} from '../speech/provider.ts';
import type { SpeechRegistry } from '../speech/providers/registry.ts';
import type { ActiveTerm } from '../terminology/active-term.ts';
import type { Compiled } from '../terminology/packs/compile.ts';
import { fitKeyterms, partsOfNames, type KeytermLimit } from '../terminology/packs/keyterms.ts';
import {
  type RunAudio,
  type CaptionerRun,
  type RunContext,
  type RunRecord,
  UNWATCHED,
} from './run.ts';
import { type Compute, uncounted } from '../base/compute.ts';
import { mapConcurrently } from '../base/concurrency.ts';
import { progressBetween, STAGE_PROGRESS } from '../contract/stage-progress.ts';
import type { Transcript, TranscriptWord } from '../contract/results.ts';
import type { Stretch } from '../contract/unheard.ts';
import { decodeMono16k } from '../mp3/decode.ts';
import { SPEECH_RATE } from '../mp3/resample.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import { createPartialTranscript, type PartialTranscriptListener } from './partial-transcript.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import { storable } from './storable.ts';
import { RUN } from '../contract/limits.ts';
import { isAudioVersion } from '../storage/audio.ts';
import { gapsBetween, spokenSpans, unheardSound, unheardSpeech } from '../captions/unheard.ts';

/** The number of pieces of one run in progress at once: the next is decoded while one is recognised. */
const PIECES_AT_ONCE = 2;

/**
 * Transcribes a recording piece by piece. Each piece is a durable step, so after a restart the run continues after the
 * last finished piece.
 * @param version that of the recording
 */
export async function transcribeInPieces(
  chosen: ChosenSpeech,
  run: CaptionerRun,
  version: string,
  terminology: Compiled,
  context: RunContext,
  record: RunRecord,
): Promise<Transcript> {
  const { provider } = chosen;
  const { attend, compute } = context.computing ?? UNWATCHED;
  const counted: Compute = (work) => compute('transcription', work);
  const request = transcriptionRequest(run.request, terminology, keytermLimit(chosen, run.request));
  /** While a model is downloaded, the run has not got as far as transcription. */
  const loading = (fraction: number, bytes?: number): void =>
    context.report('storage', progressBetween('payload', 'transcription', fraction), bytes);
  const transcribing = (): void => context.report('transcription', STAGE_PROGRESS.transcription);
  // A recording that ends the process when it is indexed is not the fault of the payload.
  const indexing: Compute = (work) => {
    transcribing();
    return counted(work);
  };
  const planned = await perform(context, 'plan', LOCAL_RETRIES, async () => {
    const { source } = await openAudio(run.audio, version);
    const { signal } = context;
    return attend('transcription', () =>
      withOthers(
        chosen,
        provider.plan(source, request, { signal, progress: loading, compute: indexing }),
      ),
    );
  });
  transcribing();
  const plan = planned.value;
  record.duration = plan.duration;
  record.models['transcription'] = plan.engine;

  /** The pieces of the plan. While the first are transcribed, the rest is planned bit by bit. */
  async function* planning(): AsyncGenerator<Piece> {
    yield* plan.pieces;
    while (plan.next !== undefined && provider.planMore) {
      const planMore = provider.planMore.bind(provider);
      const more = await perform(context, `plan ${plan.pieces.length}`, LOCAL_RETRIES, async () => {
        const { source } = await openAudio(run.audio, version);
        const asked = { signal: context.signal, progress: () => {}, compute: counted };
        return attend('transcription', () =>
          withOthers(chosen, planMore(source, plan, request, asked)),
        );
      });
      plan.pieces.push(...more.value.pieces);
      plan.next = more.value.next;
      yield* more.value.pieces;
    }
  }

  const meter = pieceMeter(plan, context);
  const soFar = createPartialTranscript(context.heard ?? NOBODY);
  const atOnce = provider.piecesAtOnce ?? PIECES_AT_ONCE;
  const pieces = await mapConcurrently(planning(), atOnce, async (piece) => {
    const done = await perform(context, `piece ${piece.index}`, LOCAL_RETRIES, async () => {
      const { source } = await openAudio(run.audio, version);
      const asked = {
        signal: context.signal,
        progress: (fraction: number) => meter(piece, fraction),
        heard: (words: TranscriptWord[]) => soFar.take(piece.index, words),
        compute: counted,
      };
      const heard = await attend('transcription', () =>
        withOthers(chosen, provider.transcribe(source, piece, request, asked)),
      );
      return counted(() => storable(withinBounds(heard, piecesIn(plan)), () => tooLarge(run)));
    });
    meter(piece, 1);
    soFar.finish(piece.index, done.value.words);
    return done;
  });
  const values = pieces.map((piece) => piece.value);
  const transcript = await counted(() => provider.merge(plan, values, request));
  // A service that chooses between models reports the one it used in its response.
  record.models['transcription'] = { ...plan.engine, ...transcript.metadata };
  record.audioConsumed = true;
  record.timingsMs['transcription'] = span([planned, ...pieces]);
  const { unheard, speech } = await findUnheard(chosen, run, context, transcript, values, version);
  record.unheard = unheard;
  if (unheard && speech) record.missing = missingShare(unheard, speech);
  if (request.includeRawResponse) record.raw = rawPayloads(run, values);
  return transcript;
}

/** What no word covers; null if the recording cannot be decoded here. With the speech, if voices were detected. */
interface Unheard {
  unheard: Stretch[] | null;
  speech?: Stretch[];
}

/**
 * The speech that no word covers: from the provider's own detection, otherwise from this host's voice activity detection
 * or, without that, from the loudness of the gaps, which is a step if there are any.
 */
async function findUnheard(
  { findSpeech }: ChosenSpeech,
  run: CaptionerRun,
  context: RunContext,
  { words, duration }: Transcript,
  pieces: readonly PieceTranscript[],
  version: string,
): Promise<Unheard> {
  const spans = spokenSpans(words);
  if (pieces.every(({ speech }) => speech !== undefined)) {
    const speech = pieces.flatMap((piece) => piece.speech!);
    const areVoices = pieces.every(({ speechIsVoice }) => speechIsVoice === true);
    return { unheard: unheardSpeech(speech, spans, duration), ...(areVoices && { speech }) };
  }
  if (gapsBetween(spans, duration).length === 0) return { unheard: [] };
  const { compute } = context.computing ?? UNWATCHED;
  const { signal } = context;
  const counted: Compute = (work) => compute('transcription', work);
  const listened = await perform(context, 'listen', LOCAL_RETRIES, async (): Promise<Unheard> => {
    try {
      const { source } = await openAudio(run.audio, version);
      const speech = (await findSpeech?.(source, { signal, compute: counted })) ?? null;
      return speech
        ? { unheard: unheardSpeech(speech, spans, duration), speech }
        : { unheard: await soundInGaps(source, words, duration, signal, counted) };
    } catch (error) {
      if (signal.aborted || error instanceof StorageUnavailable) throw error;
      // The captions are good without this, also of a recording that only the provider can decode.
      context.log.warn('gaps_not_heard', { error });
      return { unheard: null };
    }
  });
  return listened.value;
}

/** The share of speech that has no words, to a hundredth. */
function missingShare(unheard: readonly Stretch[], speech: readonly Stretch[]): number {
  const total = (list: readonly Stretch[]): number =>
    list.reduce((sum, { start, end }) => sum + end - start, 0);
  return Math.round(Math.min(1, total(unheard) / Math.max(0.01, total(speech))) * 100) / 100;
}

/** Converts the progress of pieces, weighted by their length, into that of the run. */
function pieceMeter(plan: TranscriptionPlan, context: RunContext) {
  const done = new Map<number, number>();
  const lengthOf = (piece: Piece): number => piece.end - piece.start;
  return (piece: Piece, fraction: number): void => {
    done.set(piece.index, fraction * lengthOf(piece));
    // Planned pieces may overlap, and some may not be planned yet.
    const planned = plan.pieces.reduce((sum, each) => sum + lengthOf(each), 0);
    const whole = Math.max(planned, plan.duration) || 1;
    const seconds = [...done.values()].reduce((sum, part) => sum + part, 0);
    const progress = progressBetween('transcription', 'moderation', seconds / whole);
    context.report('transcription', progress);
  };
}

/** The number of pieces of a plan; while it is incomplete, an estimate from the latest pieces. */
function piecesIn({ pieces, duration, next }: TranscriptionPlan): number {
  const last = pieces.at(-1);
  if (next === undefined || !last) return pieces.length;
  return pieces.length + Math.ceil((duration - last.end) / Math.max(1, last.end - last.start));
}

const span = (steps: readonly { startedAt: number; endedAt: number }[]): number =>
  Math.max(...steps.map((step) => step.endedAt)) - Math.min(...steps.map((step) => step.startedAt));

/** The transcript of a piece, with its share of the raw payload that a result may hold. */
function withinBounds(heard: PieceTranscript, pieces: number): PieceTranscript {
  if (heard.raw === undefined) return heard;
  const { value, cut } = boundPayload(heard.raw, Math.floor(RUN.maxRawBytes / pieces));
  return { ...heard, raw: value, ...(cut && { rawCut: true }) };
}

function rawPayloads(
  run: CaptionerRun,
  pieces: readonly PieceTranscript[],
): Record<string, unknown> {
  const payloads = pieces.map((piece) => piece.raw).filter((raw) => raw !== undefined);
  const cut = pieces.some((piece) => piece['rawCut'] === true);
  const { provider } = run.request.transcription;
  return { transcription: { provider, payloads, ...(cut && { note: CUT }) } };
}

const CUT = `The payloads were shortened: a result has at most ${RUN.maxRawBytes} bytes of them, nested at most ${RUN.maxRawDepth} deep.`;

/** The failure for a response that cannot be stored; it would otherwise be requested and paid for again and again. */
const tooLarge = ({ request }: CaptionerRun): Failure => ({
  code: 'provider_bad_response',
  message: 'The response of the provider is too large, or nested too deeply, to store.',
  retryable: false,
  provider: request.transcription.provider,
  suggestions: [{ label: 'Cut the recording into shorter parts' }],
});

/** The speech on either side of a gap whose loudness is compared with the gap's, in seconds. */
const CONTEXT = 5;
/** The number of levels per second. */
const PER_SECOND = 50;
const FRAME = SPEECH_RATE / PER_SECOND;

/**
 * The stretches of sound without words. Only the gaps between words are decoded, and a little of the speech beside
 * them, so it costs nothing for a talk without pauses.
 * @param duration of the recording in seconds
 */
async function soundInGaps(
  audio: AudioSource,
  words: readonly TranscriptWord[],
  duration: number,
  signal: AbortSignal,
  compute: Compute = uncounted,
): Promise<Stretch[]> {
  const spans = spokenSpans(words);
  const ranges: Stretch[] = [];
  for (const gap of gapsBetween(spans, duration)) {
    const start = Math.max(0, gap.start - CONTEXT);
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = gap.end + CONTEXT;
    else ranges.push({ start, end: gap.end + CONTEXT });
  }
  if (ranges.length === 0) return [];
  return await compute(async () => {
    const index = await indexMp3(audio, signal);
    const values = new Float32Array(Math.ceil(duration * PER_SECOND)).fill(-1);
    for (const { start, end } of ranges) {
      let at = Math.floor(start * PER_SECOND);
      let rest = new Float32Array();
      for await (const block of decodeMono16k(
        audio,
        index,
        { start: at / PER_SECOND, end: Math.min(end, duration) },
        signal,
      )) {
        const samples = new Float32Array(rest.length + block.length);
        samples.set(rest);
        samples.set(block, rest.length);
        let from = 0;
        for (; from + FRAME <= samples.length && at < values.length; from += FRAME, at += 1) {
          let sum = 0;
          for (let place = from; place < from + FRAME; place += 1) sum += samples[place]! ** 2;
          values[at] = Math.sqrt(sum / FRAME);
        }
        rest = samples.slice(from);
      }
    }
    return unheardSound({ values, perSecond: PER_SECOND, full: 1 }, spans);
  });
}

interface BoundedPayload {
  value: unknown;
  /** Whether something was left out. */
  cut: boolean;
}

/** Replaces a value that is nested too deeply. */
const TOO_DEEP = '[cut: nested too deep]';

/**
 * The beginning of a payload, within a limit. Arrays and objects lose their last entries, texts their end, and values
 * nested deeper than RUN.maxRawDepth are left out.
 * @param raw plain JSON
 * @param maxBytes the limit for its JSON in UTF-8, without the brackets and commas of omitted parts
 */
export function boundPayload(raw: unknown, maxBytes: number): BoundedPayload {
  let left = maxBytes;
  let cut = false;
  const spend = (bytes: number): boolean => {
    left -= bytes;
    if (left < 0) cut = true;
    return left >= 0;
  };
  const copyText = (text: string): string => {
    const size = jsonBytes(text);
    if (spend(size)) return text;
    // A character of JSON text takes at most six bytes.
    return text.slice(0, Math.max(0, Math.floor((left + size) / 6)));
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return copyText(value);
    if (typeof value !== 'object' || value === null) {
      return spend(jsonBytes(value)) ? value : null;
    }
    if (depth > RUN.maxRawDepth) {
      cut = true;
      spend(TOO_DEEP.length);
      return TOO_DEEP;
    }
    spend(2);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        if (!spend(1)) break;
        items.push(copy(item, depth + 1));
      }
      return items;
    }
    const members: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (!spend(jsonBytes(name) + 2)) break;
      // Not by assignment, since the name may be __proto__.
      const member = copy(Reflect.get(value, name), depth + 1);
      Object.defineProperty(members, name, {
        value: member,
        enumerable: true,
      });
    }
    return members;
  };
  const value = copy(raw, 1);
  return { value, cut };
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The provider of a run, and the alternatives in case it fails. */
interface ChosenSpeech {
  provider: SpeechProvider;
  /** Finds speech on this host, if that is possible. */
  findSpeech?: SpeechProvider['findSpeech'];
  choice: ProviderChoice;
}

/**
 * Chooses the provider that a request names.
 * @throws {StageFailure} `provider_not_configured`, with patches to the configured ones
 */
export function chooseSpeechProvider(
  registry: SpeechRegistry,
  { transcription, language }: CaptionerRequest,
): ChosenSpeech {
  const { model, provider: name } = transcription;
  const choice: ProviderChoice = {
    section: 'transcription',
    provider: name,
    model,
    // A provider that does not support the language of the run is not an alternative.
    configured: registry.configured.filter(
      (other) => registry.provider(other)?.speaks?.(language) ?? true,
    ),
  };
  const provider = registry.provider(name);
  if (!provider) throw providerNotConfigured(choice);
  const findSpeech = registry.provider('edge')?.findSpeech;
  return { provider, choice, ...(findSpeech && { findSpeech }) };
}

/** Adds alternatives to a provider's failures. */
const withOthers = <T>({ choice }: ChosenSpeech, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw withOtherProviders(error, choice);
  });

/** The key term limits of a run's model. */
export const keytermLimit = (
  { provider }: ChosenSpeech,
  { transcription }: CaptionerRequest,
): KeytermLimit | undefined => provider.keytermLimit?.(namedModel(transcription));

const namedModel = ({ model }: { model?: string }): string | undefined =>
  model === 'auto' ? undefined : model;

/**
 * The request to a provider, with the compiled key terms (best first) and, where there is room, the parts of the names
 * that the request gives.
 */
function transcriptionRequest(
  request: CaptionerRequest,
  { summary, terms }: Compiled,
  limit: KeytermLimit | undefined,
): TranscriptionRequest {
  const { chunkBytes, includeRawResponse } = request.transcription;
  const model = namedModel(request.transcription);
  return {
    language: request.language,
    ...(model ? { model } : {}),
    keyterms: withParts(summary.injectedKeyterms, terms, {
      ...limit,
      terms: Math.min(request.terminology.maxKeyterms, limit?.terms ?? Infinity),
    }),
    // The pronunciations of terms, and the words that often occur near them, where they are known.
    says: Object.fromEntries(
      terms.flatMap(({ canonical, say }) => (say ? [[canonical, say]] : [])),
    ),
    near: Object.fromEntries(
      terms.flatMap(({ canonical, near }) => (near.length > 0 ? [[canonical, near]] : [])),
    ),
    chunkBytes,
    includeRawResponse,
  };
}

function withParts(
  keyterms: readonly string[],
  terms: readonly ActiveTerm[],
  limit: KeytermLimit,
): string[] {
  const given = new Set(terms.flatMap((term) => (term.explicit ? [term.canonical] : [])));
  const parts = partsOfNames(keyterms.filter((term) => given.has(term)));
  return fitKeyterms([...keyterms, ...parts], limit).injected;
}

/**
 * Opens the recording of a run.
 * @param version that of the object seen by an earlier step; another upload may have replaced it since
 * @throws {StageFailure} `audio_not_found`
 */
async function openAudio(
  audio: RunAudio,
  version: string,
): Promise<{ source: AudioSource; version: string }> {
  const found = await audio.open();
  if (!found) throw noAudio();
  if (!isAudioVersion(found.version, version)) {
    throw audioNotFound('The audio was replaced by a newer upload while it was being transcribed.');
  }
  return found;
}

/** The failure for a run whose recording does not exist. */
export const noAudio = (): StageFailure => audioNotFound('There is no audio under this key.');

const audioNotFound = (message: string): StageFailure =>
  new StageFailure({
    code: 'audio_not_found',
    message,
    retryable: false,
    suggestions: [
      {
        label: 'Upload the MP3 again',
        description:
          'Send it with PUT /audio/{key} and start the run again. Audio is deleted once it is transcribed, unless the payload sets storage.retainSourceAudio.',
      },
    ],
  });

/** The listener of a run whose preview nobody reads. */
const NOBODY: PartialTranscriptListener = { after: 0, report: () => {} };
