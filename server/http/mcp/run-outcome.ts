/** The form in which tools return a run: everything that a model needs to know, without thousands of words and cues. */
import { CaptionQuality } from '../../contract/captions.ts';
import { confidenceFigures, scoreAndConfidence } from '../../contract/confidence.ts';
import { packInWords } from '../../contract/evident-packs.ts';
import { hearingSentences, warningsInWords } from '../../contract/hearing.ts';
import { type CaptionerErrorSuggestion, CaptionerWorkflowError } from '../../contract/failure.ts';
import { ContentModerationSummary, type CaptionerResult } from '../../contract/results.ts';
import { WorkflowRun } from '../../contract/runs.ts';
import { closed, Type, type Static } from '../../contract/schema.ts';
import { TermObservation } from '../../contract/terminology.ts';
import { Stretch, unheardIn, unheardSentences } from '../../contract/unheard.ts';
import { offerInWords, openOffersOf } from '../../terminology/decide/offers.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { summary } from '../runs/run-representation.ts';
import type { RunTexts } from '../runs/run-texts.ts';
import { stringOf, type StoredText } from '../work/stored-texts.ts';
import { HERE_BYTES, type WorkPool } from '../work/pool.ts';
import { MAX_ANSWER_BYTES, type Caller, type ToolAnswer, heldAnswer } from './tool.ts';

const { envelope: _whole, ...head } = WorkflowRun.properties;
const { cues: _each, ...quality } = CaptionQuality.properties;

/** A run without its result. */
export const RunHead = closed(head);

/** A run with its outcome; `state` determines which of the optional fields are present. */
export const RunOutcome = closed({
  ...head,
  /** The captions of a completed run. */
  srt: Type.Optional(Type.String()),
  quality: Type.Optional(closed(quality)),
  words: Type.Optional(
    closed({
      count: Type.Integer(),
      /** The words with a confidence below UNSURE_BELOW; absent if the engine reports no confidences. */
      unsure: Type.Optional(Type.Integer()),
      meanConfidence: Type.Optional(Type.Number()),
      /** Recognised, and removed as implausible. */
      dropped: Type.Optional(Type.Integer()),
    }),
  ),
  /** Sound without captions, in seconds: speech may be missing there. */
  unheard: Type.Optional(Type.Array(Stretch)),
  /** Not changed: they need a check. */
  termsToReview: Type.Optional(Type.Array(TermObservation)),
  moderation: Type.Optional(ContentModerationSummary),
  error: Type.Optional(CaptionerWorkflowError),
});
export type RunOutcome = Static<typeof RunOutcome>;

/** A tool's answer about a run in any state. */
export async function runOutcome(
  { texts, pool }: { texts: RunTexts; pool: WorkPool },
  run: RunSummary,
  call: Pick<Caller, 'holdAnswer'>,
): Promise<ToolAnswer> {
  const head = summary(run);
  if (run.finishedAt === null) {
    const percent = Math.round(head.progress * 100);
    const at = head.stage === null ? '' : ` at ${head.stage}`;
    return {
      text: [`Run ${run.id} is ${run.state}${at}, ${percent}% done. Check again with get_run.`],
      value: { ...head },
    };
  }
  // Made from the whole result only once for all simultaneous requests.
  const held = texts.hold(run, 'outcome', async (read) => {
    const result = await read();
    return pool.do(outcomeText, result, { workspace: run.organizationId, size: result.length });
  });
  const whole = await heldAnswer(held, `/workflows/captioner/${run.id}`, call);
  const end = whole.indexOf(END_OF_JSON);
  const { text, failed = false, ...more }: OutcomeText = JSON.parse(whole.slice(0, end));
  const srt = whole.slice(end + 1);
  call.holdAnswer(srt.length);
  return {
    text: srt === '' ? text : [srt, ...text],
    value: { ...head, ...more, ...(more.srt !== undefined && { srt }) },
    failed,
  };
}

/** The number of dropped words; results of earlier versions may lack it. */
const droppedIn = ({ droppedWords }: Record<string, unknown>): { dropped?: number } =>
  typeof droppedWords === 'number' ? { dropped: droppedWords } : {};

const UPLOAD_BY_LINK: CaptionerErrorSuggestion = {
  label: 'Upload the MP3 again',
  description:
    'Call create_upload_link, upload the MP3 to its URL, then call caption_audio with the same key. Audio is deleted once it is transcribed, unless storage.retainSourceAudio is set.',
};

/** Ends the JSON of an outcome, which has no line breaks; the captions follow as they are, and are not parsed. */
const END_OF_JSON = '\n';

/**
 * The outcome in a result, which is JSON: as JSON of at most HERE_BYTES, which the answering thread parses, and the
 * captions behind it. A task.
 */
export function outcomeText(result: StoredText): string {
  const ended: CaptionerResult = JSON.parse(stringOf(result));
  const { srt, ...outcome } = OUTCOMES[ended.status](ended as never);
  if (srt === undefined) return withinHere(outcome) + END_OF_JSON;
  const json = withinHere({ ...outcome, srt: '' });
  // The answer has the captions twice, as text and as a field.
  const bytes = Buffer.byteLength(json) + 2 * Buffer.byteLength(srt);
  if (bytes <= MAX_ANSWER_BYTES) return json + END_OF_JSON + srt;
  return withinHere({ ...outcome, text: [TOO_LONG, ...outcome.text] }) + END_OF_JSON;
}

const TOO_LONG =
  'The captions are too long for this answer: get them with get_captions, or over HTTP.';

/** An outcome as JSON of at most HERE_BYTES. What makes it long is cut, so that a caller still learns how the run ended. */
function withinHere(outcome: OutcomeText): string {
  const { text, quality, termsToReview, unheard, ...rest } = outcome;
  for (const most of [Infinity, 100, 20, 0]) {
    const json = JSON.stringify({
      ...rest,
      text: text.map((part) => part.slice(0, Math.max(MIN_PART_CHARS, most * 200))),
      ...(quality && { quality: { ...quality, warnings: quality.warnings.slice(0, most) } }),
      ...(termsToReview && { termsToReview: termsToReview.slice(0, most) }),
      ...(unheard && { unheard: unheard.slice(0, most) }),
    });
    if (Buffer.byteLength(json) <= HERE_BYTES) return json;
  }
  // The error of a provider may be that long.
  const { failed } = rest;
  return JSON.stringify({ failed, text: text.map((part) => part.slice(0, MIN_PART_CHARS)) });
}

/** The most characters of each text in an outcome whose lists are cut as well. */
const MIN_PART_CHARS = 4000;

type Ended<Status> = Extract<CaptionerResult, { status: Status }>;
type OutcomeText = { text: string[]; failed?: boolean } & Partial<RunOutcome>;

const OUTCOMES: { [Status in CaptionerResult['status']]: (result: Ended<Status>) => OutcomeText } =
  {
    completed({ input, audit, captions, quality: { captions: report }, metadata, transcript }) {
      const { score, summary: figures, warnings } = report;
      const termsToReview = metadata.terminology.observations.filter(
        ({ action }) => action === 'review',
      );
      const count = transcript.words.length;
      const doubt = confidenceFigures(transcript.words);
      const heard = hearingSentences(transcript.metadata);
      const lines = [
        scoreAndConfidence(score, transcript.metadata, count),
        `${figures.cueCount} captions, ${warningsInWords(warnings.length, heard)}. The score is of their format, less what was probably misheard or is missing.`,
        ...[
          ...heard,
          ...(audit.evidentPacks ?? []).map(packInWords),
          ...unheardSentences(transcript.metadata),
          ...((input['notes'] ?? []) as string[]),
        ].map((sentence) => `- ${sentence}`),
        ...warnings.slice(0, 20).map(({ cue, message }) => `- caption ${cue}: ${message}`),
        ...(warnings.length > 20 ? [`- and ${warnings.length - 20} more`] : []),
        ...openOffersOf(audit.corrections).map(
          (offer) => `- perhaps ${offerInWords(offer)}. ${offer.places[0]!.reason}`,
        ),
      ];
      const none = captions.srt === '' ? ['No speech was recognised.'] : [];
      return {
        text: [...none, lines.join('\n')],
        srt: captions.srt,
        quality: { score, summary: figures, warnings },
        words: {
          count,
          ...(doubt && { unsure: doubt.unsureWords, meanConfidence: doubt.meanConfidence }),
          ...droppedIn(transcript.metadata),
        },
        unheard: [...unheardIn(transcript.metadata)],
        termsToReview,
      };
    },
    blocked({ metadata: { moderation } }) {
      const { flaggedChunk } = moderation;
      const where =
        flaggedChunk?.start === undefined
          ? ''
          : `, from second ${Math.round(flaggedChunk.start)} to ${Math.round(flaggedChunk.end ?? flaggedChunk.start)}`;
      return {
        text: [
          `Moderation blocked the transcript (${moderation.reason}${where}). Do not send it again; tell the user.`,
        ],
        moderation,
      };
    },
    failed({ error: reported }) {
      // Over MCP a recording is uploaded to a link.
      const error =
        reported.code === 'audio_not_found'
          ? { ...reported, suggestions: [UPLOAD_BY_LINK] }
          : reported;
      const suggestions = error.suggestions.map(({ label, description, payloadPatch }) => {
        const patch = payloadPatch
          ? ` Merge into the arguments: ${JSON.stringify(payloadPatch)}`
          : '';
        return `- ${label}${description ? `: ${description}` : ''}${patch}`;
      });
      const again = error.retryable ? 'It may work later.' : 'The same request will fail again.';
      return {
        text: [
          [`${error.code} at ${error.stage}: ${error.message} ${again}`, ...suggestions].join('\n'),
        ],
        failed: true,
        error,
      };
    },
  };
