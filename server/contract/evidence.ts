/** Measurements of the accuracy of captions, as requests and answers have them. */
import { MEASUREMENT } from './limits.ts';
import { REVIEW_STATES, ReviewState } from './review-versions.ts';
import { RUN_STATES, RunFacts } from './runs.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** The classes of errors. Those of words count in the word error rate; the others are counted on their own. */
export const ERROR_CLASSES = [
  'substitution',
  'insertion',
  'deletion',
  'name',
  'punctuation',
  'speaker',
  'sound',
  'time',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

const share = (description?: string) =>
  Type.Number({ minimum: 0, maximum: 1, ...(description !== undefined && { description }) });
const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });

const Person = Type.String({
  minLength: 1,
  maxLength: MEASUREMENT.maxNameChars,
  pattern: '\\S',
  description: 'the name of the person who judges; it stands in reports',
});

/** A measurement to start. */
export const MeasurementInput = closed({
  person: Person,
  seed: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MEASUREMENT.maxSeedChars,
      pattern: '^[\\w.:-]+$',
      description:
        'determines the sample; reports say that a person chose it. Default: the service draws one',
    }),
  ),
  goal: Type.Optional(
    Type.Number({
      minimum: 0.5,
      maximum: 0.9999,
      default: MEASUREMENT.goal,
      description: 'the accuracy at which the measurement stops once its interval is on one side',
    }),
  ),
});

/** What a person heard in a passage. */
export const JudgementInput = closed({
  text: Type.String({
    maxLength: MEASUREMENT.maxTextChars,
    description:
      'what is said in the passage, with its punctuation, sounds in brackets and speakers as the captions should have them; the shown text if it is right',
  }),
  late: Type.Optional(
    Type.Boolean({ description: 'whether the captions are more than half a second early or late' }),
  ),
  names: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
      maxItems: 40,
      description: 'words of the text that belong to names, beside those that are known',
    }),
  ),
});
export type JudgementInput = Static<typeof JudgementInput>;

const AccuracyFigure = closed({
  value: share('the share of right words: 1 minus the word error rate, and never below 0'),
  low: share('the lower limit of the 95 % interval'),
  high: share('its upper limit'),
});

/** An error that a person found. */
const FoundError = closed({
  class: enumeration(ERROR_CLASSES),
  shown: Type.Union([Type.String(), Type.Null()], { description: 'null for what is missing' }),
  said: Type.Union([Type.String(), Type.Null()], { description: 'null for what is too much' }),
});

export type CaptionError = Static<typeof FoundError>;

/** How far a measurement is, and its figures. */
const MeasurementFigures = closed({
  state: enumeration(['open', 'above', 'below', 'ended'], {
    description:
      '`above`, `below`: the interval is on that side of the goal, and the measurement is over; `ended`: it is on neither, and all passages are judged',
  }),
  judged: count('passages'),
  counted: count('the passages that `accuracy` is of'),
  words: count('words that were said in the judged passages'),
  accuracy: Type.Union([AccuracyFigure, Type.Null()], {
    description:
      'null before the first 50 passages (about 300 words). It changes only after 50, 100 and 200 passages, so that its interval holds although the measurement may stop early',
  }),
  soFar: Type.Union([AccuracyFigure, Type.Null()], {
    description: 'all passages so far, for orientation; this interval does not count',
  }),
  next: count('passages to judge before `accuracy` changes; 0 at the end'),
  wordsNeeded: Type.Union([count(), Type.Null()], {
    description: 'about how many words it takes in all until the interval leaves the goal',
  }),
  designEffect: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description: 'by how much errors in bursts widen the variance',
  }),
  errors: closed(
    Object.fromEntries(ERROR_CLASSES.map((name) => [name, count()])) as Record<
      (typeof ERROR_CLASSES)[number],
      ReturnType<typeof count>
    >,
    { description: 'by class' },
  ),
  withPunctuation: Type.Union([share(), Type.Null()], {
    description: 'the share of words in the sample that are right with case and punctuation',
  }),
  ner: Type.Union([share(), Type.Null()], {
    description: 'of the sample, by the NER model; the class of an error says how severe it is',
  }),
  names: closed({ said: count('words of names in the sample'), right: count() }),
});
export type MeasurementFigures = Static<typeof MeasurementFigures>;

/** A passage to judge. */
const MeasuredPassage = closed({
  number: Type.Integer({ minimum: 1, description: 'its number in the measurement' }),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  playFrom: Type.Number({ minimum: 0, description: 'a second before' }),
  playTo: Type.Number({ minimum: 0, description: 'a second after' }),
  speaker: Type.String(),
  shown: Type.String({ description: 'the text of the captions; empty where there are none' }),
  said: Type.Union([Type.String(), Type.Null()], { description: 'null until it is judged' }),
  errors: Type.Array(FoundError),
  judgedAt: Type.Union([dateTime(), Type.Null()]),
});
export type MeasuredPassage = Static<typeof MeasuredPassage>;

const about = {
  id: Type.String(),
  runId: Type.String(),
  person: Person,
  seed: Type.String(),
  seedBy: enumeration(['service', 'person']),
  goal: share(),
  startedAt: dateTime(),
  captions: Type.String({ description: 'SHA-256 of the SRT file that is measured' }),
  passages: count('all passages of the talk, of which the sample is drawn'),
  figures: MeasurementFigures,
};

/** A measurement without its passages. */
const MeasurementSummary = closed(about);
export type MeasurementSummary = Static<typeof MeasurementSummary>;

/** A measurement with the passages up to the next look, or those that were judged. */
export const Measurement = closed({ ...about, sample: Type.Array(MeasuredPassage) });
export type Measurement = Static<typeof Measurement>;

/** The measurements of a run. */
export const MeasurementList = closed({
  measurements: Type.Array(MeasurementSummary, { maxItems: MEASUREMENT.most }),
  agreement: Type.Union(
    [
      closed({
        people: Type.Array(Person, { minItems: 2, maxItems: 2 }),
        passages: count('that both judged'),
        words: count(),
        share: share(),
        kappa: Type.Union([Type.Number({ minimum: -1, maximum: 1 }), Type.Null()], {
          description: 'Cohen’s; null where chance explains the agreement',
        }),
      }),
      Type.Null(),
    ],
    {
      description:
        'of the two latest measurements with the same seed and captions by different people',
    },
  ),
});
export type MeasurementList = Static<typeof MeasurementList>;

/** How far a talk is, and what is known of its captions. */
const TalkEvidence = closed({
  runId: Type.String(),
  name: Type.String(),
  createdAt: dateTime(),
  state: enumeration(RUN_STATES),
  facts: Type.Union([RunFacts, Type.Null()], {
    description: 'null without captions, and until they have been read',
  }),
  review: enumeration(REVIEW_STATES),
  assignee: Type.Union([Type.String(), Type.Null()]),
  due: Type.Union([Type.String(), Type.Null()]),
  approval: ReviewState.properties.approval,
  measured: Type.Union(
    [
      closed({
        person: Person,
        startedAt: dateTime(),
        goal: share(),
        state: MeasurementFigures.properties.state,
        accuracy: AccuracyFigure,
      }),
      Type.Null(),
    ],
    { description: 'the latest measurement that has a figure; null if nobody measured that far' },
  ),
});
export type TalkEvidence = Static<typeof TalkEvidence>;

/** A page of the talks of a workspace, newest first. */
export const TalkEvidenceList = closed({
  talks: Type.Array(TalkEvidence),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'the `cursor` of the next page; null on the last page',
  }),
});

/** What comes of a judged passage. */
export const JudgementReceipt = closed({ passage: MeasuredPassage, figures: MeasurementFigures });
