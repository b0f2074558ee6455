/** The transcription stage of a run: plans pieces, transcribes each in a step of its own, and merges them. */
import type { Failure } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type {
  TranscriptionRequest,
  Piece,
  PieceTranscript,
  TranscriptionPlan,
} from '../speech/provider.ts';
import type { ActiveTerm } from '../terminology/active-term.ts';
import type { Compiled } from '../terminology/packs/compile.ts';
import { fitKeyterms, partsOfNames, type KeytermLimit } from '../terminology/packs/keyterms.ts';
import { type CaptionerRun, type RunContext, type RunRecord, UNWATCHED } from './run.ts';
import type { Compute } from '../base/compute.ts';
import { mapConcurrently } from '../base/concurrency.ts';
import { progressBetween, STAGE_PROGRESS } from '../contract/stage-progress.ts';
import type { Transcript, TranscriptWord } from '../contract/results.ts';
import { createPartialTranscript, type PartialTranscriptListener } from './partial-transcript.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import { storable } from './storable.ts';
import { RUN } from '../contract/limits.ts';
import { boundPayload } from './bounded-payload.ts';
import { openAudio } from './open-audio.ts';
import { type ChosenSpeech, withOthers, keytermLimit, namedModel } from './choose-speech.ts';
import { findUnheard, missingShare, span } from './unheard-sound.ts';

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
  const request = {
    ...transcriptionRequest(run.request, terminology, keytermLimit(chosen, run.request)),
    ...(run.speakers !== undefined && { speakers: run.speakers }),
    ...((await run.remembersVoices?.()) && { keepsVoices: true }),
  };
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
  const merged = await counted(() => provider.merge(plan, values, request));
  const names = await namesOfKnown(chosen, run, context, plan, values, request);
  const transcript = withNames(merged, names);
  // A service that chooses between models reports the one it used in its response.
  record.models['transcription'] = { ...plan.engine, ...transcript.metadata };
  record.audioConsumed = true;
  if (provider.voices && (await run.remembersVoices?.())) {
    const found = await counted(() => provider.voices!(plan, values, request));
    record.voices = found && {
      ...found,
      voices: found.voices.map((voice) => ({
        ...voice,
        speaker: names[voice.speaker] ?? voice.speaker,
      })),
    };
  }
  record.timingsMs['transcription'] = span([planned, ...pieces]);
  const { unheard, speech } = await findUnheard(chosen, run, context, transcript, values, version);
  record.unheard = unheard;
  if (unheard && speech) record.missing = missingShare(unheard, speech);
  if (request.includeRawResponse) record.raw = rawPayloads(run, values);
  return transcript;
}

/** The names of the speakers whose voices are known, by their labels; that of an only voice by ''. */
async function namesOfKnown(
  { provider }: ChosenSpeech,
  { knownSpeakers }: CaptionerRun,
  context: RunContext,
  plan: TranscriptionPlan,
  pieces: PieceTranscript[],
  request: TranscriptionRequest,
): Promise<Record<string, string>> {
  const name = provider.nameSpeakers?.bind(provider);
  const known = (name && (await knownSpeakers?.())) ?? [];
  if (!name || known.length === 0) return {};
  const { attend, compute } = context.computing ?? UNWATCHED;
  const { value } = await perform(context, 'known speakers', LOCAL_RETRIES, () =>
    attend('transcription', () =>
      name(
        plan,
        pieces,
        { known, request },
        {
          signal: context.signal,
          compute: (work) => compute('transcription', work),
        },
      ),
    ),
  );
  return value;
}

function withNames(transcript: Transcript, names: Readonly<Record<string, string>>): Transcript {
  if (Object.keys(names).length === 0) return transcript;
  const words = transcript.words.map((word) => {
    const speaker = names[word.speaker ?? ''] ?? word.speaker;
    return speaker === undefined ? word : { ...word, speaker };
  });
  const { speakerConfidence: shares, ...metadata } = transcript.metadata ?? {};
  if (shares === undefined) return { ...transcript, words };
  const speakerConfidence = Object.fromEntries(
    Object.entries(shares as object).map(([speaker, share]) => [names[speaker] ?? speaker, share]),
  );
  return { ...transcript, words, metadata: { ...metadata, speakerConfidence } };
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
    pronunciations: Object.fromEntries(
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

/** The listener of a run whose preview nobody reads. */
const NOBODY: PartialTranscriptListener = { after: 0, report: () => {} };
