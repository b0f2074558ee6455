/** Translations of captions: the requests, their state and their results. */
import { CaptionCue } from './captions.ts';
import { CaptionerWorkflowError } from './failure.ts';
import * as limits from './limits.ts';
import { SentCue } from './review.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** The kinds of faults of the translation of a sentence, the worst first. */
export const TRANSLATION_FAULTS = [
  'missing',
  'source_language',
  'wrong_language',
  'repeated',
  'note',
  'too_long',
  'too_short',
  'number',
  'name',
  'term',
  'punctuation',
  'italics',
] as const;

/** What a sentence has become: `kept` is the same in both languages, `missing` has no translation. */
export const SENTENCE_STATES = ['translated', 'kept', 'missing', 'doubtful'] as const;
export type SentenceState = (typeof SENTENCE_STATES)[number];

/** The states of a translation. */
const TRANSLATION_STATES = [
  'queued',
  'running',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
] as const;
export type TranslationState = (typeof TRANSLATION_STATES)[number];

/**
 * Whether a translation in this state has a result, of which sentences may be missing.
 * @example
 * hasTranslation('incomplete'); // => true
 */
export const hasTranslation = (state: TranslationState): boolean =>
  state === 'completed' || state === 'incomplete';

/** Matches a language tag, BCP 47. */
export const LANGUAGE_TAG = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$';

const tag = (description: string) =>
  Type.Refine(
    Type.String({
      pattern: LANGUAGE_TAG,
      description,
      examples: ['de'],
    }),
    isLanguage,
    () => 'is no language of ISO 639',
  );

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Whether a tag begins with a language; every one of two letters has a name, of three letters only the greater ones. */
function isLanguage(given: string): boolean {
  const primary = given.split('-', 1)[0]!;
  return !/^[A-Za-z]{2}$/.test(primary) || names.of(primary) !== undefined;
}

/** What a request names: profiles, as `captions.{format}?profile=` takes them, and engines. */
interface TranslationNames {
  profiles: readonly string[];
  providers: readonly string[];
}

/** The most sentences that one request translates anew. */
const MAX_ANEW = 100;

const place = (description: string) => Type.Integer({ minimum: 1, description });

const asked = ({ profiles, providers }: TranslationNames) => ({
  language: tag('the language to translate into, BCP 47'),
  provider: Type.Optional(
    enumeration<string[]>(providers, {
      description: 'the engine that translates; default: the first that is configured',
    }),
  ),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.MAX_CHARS.model, pattern: '^[!-~]+$' }),
  ),
  profile: Type.Optional(
    enumeration([...profiles], {
      description: 'the publisher whose lines and reading speed the captions follow',
      default: 'default',
    }),
  ),
  formality: Type.Optional(
    enumeration(['formal', 'informal'], { description: 'how people are addressed' }),
  ),
  anew: Type.Optional(
    closed(
      {
        of: Type.String({
          pattern: '^translation_[0-9a-f-]{36}$',
          description: 'an earlier translation, whose other sentences are kept as they are',
        }),
        sentences: Type.Array(place('the number of a sentence in it, from 1'), {
          minItems: 1,
          maxItems: MAX_ANEW,
        }),
      },
      { description: 'translates only some sentences again, perhaps by another engine' },
    ),
  ),
});

/** A request to translate the captions of a run. */
export const translationInput = (names: TranslationNames) => closed(asked(names));
/** The request of a translation. */
export type TranslationInput = Static<ReturnType<typeof translationInput>>;

const phrase = () => Type.String({ minLength: 1, maxLength: limits.TERM.maxChars, pattern: '\\S' });

/** A request to translate the captions in its body. */
export const captionsTranslationInput = (names: TranslationNames) =>
  closed({
    ...asked(names),
    sourceLanguage: Type.Optional(tag('the language of the captions, BCP 47; default: unknown')),
    topic: Type.Optional(Type.String({ maxLength: limits.MAX_CHARS.topic })),
    terms: Type.Optional(
      Type.Array(closed({ term: phrase(), translation: Type.Optional(phrase()) }), {
        maxItems: limits.TERM.maxTerms,
        description: 'names and terms; one without a translation stays as it is',
      }),
    ),
    cues: Type.Array(SentCue, {
      minItems: 1,
      maxItems: limits.REVIEW.maxCues,
      description: 'all captions, in order; each with `lines` or `text`',
    }),
  });
/** The request of a translation with its captions. */
export type CaptionsTranslationInput = Static<ReturnType<typeof captionsTranslationInput>>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The counts of a translation, which add up to the proof that nothing was lost. */
export const TranslationCounts = closed({
  sentences: count('sentences of the source, each with exactly one translation'),
  captions: count('captions of the translation'),
  mended: count('sentences whose first translation was refused and translated again'),
  shortened: count('sentences that were shortened so that they can be read in their time'),
  doubts: count('sentences with a fault that remains'),
  warnings: count('rules of the profile that captions break because of the speech'),
  calls: count('questions to the language model'),
  tokens: count('tokens of questions and answers together'),
  cached: count('answers taken from the cache'),
  edited: Type.Optional(count('sentences that people have changed or confirmed')),
  missing: Type.Optional(count('sentences without a translation, shown as they are')),
  kept: Type.Optional(count('sentences that are the same in both languages')),
  remembered: Type.Optional(count('sentences taken from earlier translations')),
});
export type TranslationCounts = Static<typeof TranslationCounts>;

const seconds = () => Type.Number({ minimum: 0 });

/** A sentence of the source and its translation. */
export const TranslatedSentence = closed({
  source: Type.String(),
  text: Type.String({ description: 'the translation; the source itself if there is none' }),
  start: seconds(),
  end: seconds(),
  speaker: Type.Optional(
    Type.String({
      description: 'one that begins with a space has no name, and is only told apart from another',
    }),
  ),
  kind: enumeration(['speech', 'sound', 'as_is'], {
    description: '`sound`: in brackets; `as_is`: without letters, so that it is not translated',
  }),
  italic: Type.Boolean(),
  state: Type.Optional(
    enumeration(SENTENCE_STATES, {
      description:
        '`kept`: the same in both languages; `missing`: without a translation, so that `text` is the source; `doubtful`: with a fault that remains',
    }),
  ),
  remembered: Type.Optional(
    enumeration(['engine', 'person'], {
      description: 'who made it, if it is taken from an earlier translation',
    }),
  ),
  edited: Type.Optional(
    Type.String({
      description: 'the translation before a person changed it; absent if nobody has',
    }),
  ),
  confirmed: Type.Optional(
    Type.Boolean({ description: 'whether a person has settled the doubts about it' }),
  ),
  beats: Type.Array(Type.Array(Type.Number({ minimum: 0 })), {
    description:
      'the stretches without a pause: the number of characters of the source, start and end',
  }),
  firstCue: place('the number of its first caption, from 1'),
  lastCue: place('the number of its last caption'),
});

/** What is wrong with the translation of a sentence, at its place. */
export const TranslationDoubt = closed({
  sentence: place('the number of the sentence, from 1'),
  cue: place('the number of its first caption'),
  start: seconds(),
  kind: enumeration(TRANSLATION_FAULTS),
  message: Type.String({ description: 'the fault in one sentence' }),
});

/** A rule of the profile that a caption breaks. */
export const TranslationWarning = closed({
  cue: place('the number of the caption'),
  rule: Type.String(),
  message: Type.String(),
  sentence: Type.String({ description: 'the rule in its publisher’s words' }),
  source: Type.String(),
});

/** A name or term that occurs in the source. */
const TranslationTermSeen = closed({
  term: Type.String(),
  translation: Type.Optional(Type.String({ description: 'absent for one that stays as it is' })),
  aliases: Type.Optional(Type.Array(Type.String())),
  person: Type.Optional(
    Type.Boolean({ description: 'a person, whom other scripts spell by sound' }),
  ),
});

/** The result of a translation. */
export const TranslationResult = closed({
  sentences: Type.Array(TranslatedSentence),
  terms: Type.Optional(
    Type.Array(TranslationTermSeen, {
      description: 'the names and terms that occur, each of which is checked',
    }),
  ),
  cues: Type.Array(CaptionCue),
  doubts: Type.Array(TranslationDoubt),
  warnings: Type.Array(TranslationWarning),
});
export type TranslationResult = Static<typeof TranslationResult>;

/** What people have changed in a translation: every sentence that differs from the one that the engine gave. */
export const TranslationEdits = closed({
  sentences: Type.Array(
    closed({
      sentence: place('the number of the sentence, from 1'),
      text: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: limits.REVIEW.maxLineChars,
          pattern: '\\S',
          description: 'the whole translation of the sentence; default: as the engine gave it',
        }),
      ),
      confirmed: Type.Optional(
        Type.Boolean({ description: 'whether what is still doubtful about it is right' }),
      ),
    }),
    { maxItems: limits.REVIEW.maxCues },
  ),
});
export type TranslationEdits = Static<typeof TranslationEdits>;

/** A sentence to look for among those that were translated before. */
export const SimilarInput = closed({
  source: Type.String({ minLength: 1, maxLength: limits.REVIEW.maxLineChars, pattern: '\\S' }),
  sourceLanguage: Type.Optional(tag('the language of the sentence, BCP 47; default: unknown')),
  language: tag('the language of the translation'),
});

/** Sentences that were translated before and are like another one, the likest first. */
export const SimilarSentences = closed({
  matches: Type.Array(
    closed({
      source: Type.String(),
      text: Type.String({ description: 'its translation' }),
      who: Type.String({ description: '`person`, or the provider and the model' }),
      likeness: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'the share of letters that are the same',
      }),
    }),
  ),
});
export type SimilarSentences = Static<typeof SimilarSentences>;

const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** A translation: its request, its state and, once it is translated and asked for alone, its result. */
export const Translation = closed({
  id: Type.String(),
  runId: Type.Optional(Type.String({ description: 'absent for captions that were sent' })),
  language: Type.String(),
  sourceLanguage: orNull(Type.String()),
  provider: orNull(Type.String({ description: 'the provider that translates, once it is known' })),
  model: orNull(Type.String()),
  profile: Type.String(),
  formality: orNull(Type.String()),
  state: enumeration(TRANSLATION_STATES, {
    description: '`incomplete`: ended with a result in which sentences have no translation',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  basis: orNull(
    enumeration(['original', 'reviewed', 'sent'], {
      description: 'the captions that were translated, once it is known',
    }),
  ),
  reviewChanged: Type.Boolean({
    description: 'whether the review has been saved, changed or deleted since',
  }),
  createdAt: dateTime(),
  startedAt: orNull(dateTime()),
  finishedAt: orNull(dateTime()),
  editedAt: Type.Optional(dateTime()),
  counts: Type.Optional(TranslationCounts),
  error: Type.Optional(CaptionerWorkflowError),
  result: Type.Optional(TranslationResult),
});
export type Translation = Static<typeof Translation>;

/** The translations of a run, or those of captions that were sent, newest first. */
export const TranslationList = closed({
  translations: Type.Array(Translation, { description: 'without their results' }),
});
