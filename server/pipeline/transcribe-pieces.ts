/** The transcription stage of a run: a plan, its pieces as separate steps, and their merge. */
import { mapAtOnce } from '../at-once.ts';
import type { Compute } from '../compute.ts';
import type { Failure } from '../contract/failure.ts';
import { MAX_RAW_BYTES, MAX_RAW_DEPTH } from '../contract/limits.ts';
import { STAGE_PROGRESS } from '../contract/stage-progress.ts';
import type { Transcript } from '../contract/transcript.ts';
import { openAudio, transcriptionRequest, withOthers, type ChosenSpeech } from './transcribe.ts';
import { boundPayload } from './raw-payload.ts';
import type { PieceTranscript, TranscriptionPlan } from '../speech/provider.ts';
import type { Compiled } from '../terminology/compile.ts';
import type { CaptionerRun, RunContext } from './run.ts';
import { UNWATCHED } from './computing.ts';
import { keepable } from './keepable.ts';
import { LOCAL_RETRIES, perform, type Performed } from './perform.ts';
import type { RunRecord } from './record.ts';

/** Pieces of one run in progress at once: the next is decoded while one is recognised. */
const PIECES_AT_ONCE = 2;

/**
 * Transcribes a recording piece by piece. Each piece is a durable step, so a restart continues
 * after the last finished one.
 */
export async function transcribeInPieces(
  chosen: ChosenSpeech,
  run: CaptionerRun,
  terminology: Compiled,
  context: RunContext,
  record: RunRecord,
): Promise<Transcript> {
  const { provider } = chosen;
  const { attend, compute } = context.computing ?? UNWATCHED;
  const counted: Compute = (work) => compute('transcription', work);
  record.lastSuccessfulStage = 'payload';
  record.stage = 'storage';
  const opened = await perform(context, 'audio', LOCAL_RETRIES, async () => {
    const { version, source } = await openAudio(run.audio);
    return { version, size: source.size };
  });
  const { version } = opened.value;
  record.audioVersion = version;

  record.stage = 'transcription';
  record.lastSuccessfulStage = 'storage';
  context.report('transcription', STAGE_PROGRESS.transcription);
  const request = transcriptionRequest(run.request, terminology.summary.injectedKeyterms);
  const planned = await perform(context, 'plan', LOCAL_RETRIES, async () => {
    const { source } = await openAudio(run.audio, version);
    const { signal } = context;
    return attend('transcription', () =>
      withOthers(
        chosen,
        provider.plan(source, request, { signal, progress: () => {}, compute: counted }),
      ),
    );
  });
  const plan = planned.value;
  record.duration = plan.duration;
  record.models['transcription'] = plan.engine;

  const meter = pieceMeter(plan, context);
  const of = (index: number) => (fraction: number) => meter(index, fraction);
  const pieces = await mapAtOnce(plan.pieces, provider.piecesAtOnce ?? PIECES_AT_ONCE, (piece) =>
    perform(context, `piece ${piece.index}`, LOCAL_RETRIES, async () => {
      const { source } = await openAudio(run.audio, version);
      const asked = { signal: context.signal, progress: of(piece.index), compute: counted };
      const heard = await attend('transcription', () =>
        withOthers(chosen, provider.transcribe(source, piece, request, asked)),
      );
      return counted(() => keepable(withinBounds(heard, plan.pieces.length), () => tooLarge(run)));
    }).then((done) => {
      meter(piece.index, 1);
      return done;
    }),
  );
  const values = pieces.map((piece) => piece.value);
  const transcript = await counted(() => provider.merge(plan, values, request));
  // A service that chooses between models reports in its response which one it used.
  record.models['transcription'] = { ...plan.engine, ...transcript.metadata };
  record.audioConsumed = true;
  record.timingsMs['transcription'] = span([planned, ...pieces]);
  if (request.includeRawResponse) record.raw = rawPayloads(run, values);
  return transcript;
}

/** Converts the progress of pieces into that of the run, weighted by their length. */
function pieceMeter(plan: TranscriptionPlan, context: RunContext) {
  const done = new Map<number, number>();
  const length = new Map(plan.pieces.map((piece) => [piece.index, piece.end - piece.start]));
  const whole = [...length.values()].reduce((sum, seconds) => sum + seconds, 0) || 1;
  const room = STAGE_PROGRESS.moderation - STAGE_PROGRESS.transcription;
  return (index: number, fraction: number): void => {
    done.set(index, fraction);
    let seconds = 0;
    for (const [piece, part] of done) seconds += part * (length.get(piece) ?? 0);
    context.report('transcription', STAGE_PROGRESS.transcription + (room * seconds) / whole);
  };
}

const span = (steps: readonly Performed<unknown>[]): number =>
  Math.max(...steps.map((step) => step.endedAt)) - Math.min(...steps.map((step) => step.startedAt));

/** The transcript of a piece, with its share of the raw payload that a result may contain. */
function withinBounds(heard: PieceTranscript, pieces: number): PieceTranscript {
  if (heard.raw === undefined) return heard;
  const { value, cut } = boundPayload(heard.raw, Math.floor(MAX_RAW_BYTES / pieces));
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

const CUT = `The payloads were shortened: a result has at most ${MAX_RAW_BYTES} bytes of them, nested at most ${MAX_RAW_DEPTH} deep.`;

/** A response that cannot be stored would be requested, and paid for, again and again. */
const tooLarge = ({ request }: CaptionerRun): Failure => ({
  code: 'provider_bad_response',
  message: 'The response of the provider is too large, or nested too deeply, to store.',
  retryable: false,
  provider: request.transcription.provider,
  suggestions: [{ label: 'Cut the recording into shorter parts' }],
});
