/** What a result says about speech that has no captions: in its metadata, and as sentences for people. */
import { clock } from './clock.ts';
import { closed, Type, type Static } from './schema.ts';

/** A stretch of a recording in seconds. */
export const Stretch = closed({
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
});
export type Stretch = Static<typeof Stretch>;

/**
 * The entries in `transcript.metadata`: the stretches, absent if the recording could not be searched for them, and why
 * there are no words, if there are none.
 */
export const unheardFigures = (
  unheard: readonly Stretch[] | null,
  words: number,
): { unheard?: readonly Stretch[]; noWords?: string } => ({
  ...(unheard && { unheard }),
  ...(words === 0 && { noWords: reasonFor(unheard) }),
});

const reasonFor = (unheard: readonly Stretch[] | null): string => {
  if (unheard === null) return 'No words were recognised in the recording.';
  return unheard.length === 0
    ? 'Nobody seems to speak in the recording: it is silent, or has only noise.'
    : 'There is sound in the recording, but no words were recognised in it. Check the language, or try another provider or model.';
};

/**
 * The stretches of sound without captions in the metadata of a transcript; none in results of earlier versions.
 * @example
 * unheardIn({ unheard: [{ start: 70, end: 84 }] }); // => [{ start: 70, end: 84 }]
 */
export const unheardIn = (metadata: Readonly<Record<string, unknown>>): readonly Stretch[] =>
  Array.isArray(metadata['unheard']) ? metadata['unheard'] : [];

/**
 * What people should know about missing speech, one sentence each; none if nothing seems to be missing.
 * @example
 * unheardSentences({ unheard: [{ start: 70, end: 84 }], droppedWords: 3 });
 * // => ['Sound without captions: 1:10 to 1:24.', '3 words were dropped as implausible.']
 */
export function unheardSentences(metadata: Readonly<Record<string, unknown>>): string[] {
  const { droppedWords, noWords } = metadata;
  const stretches = unheardIn(metadata);
  const named = stretches
    .slice(0, MOST_NAMED)
    .map(({ start, end }) => `${clock(start)} to ${clock(end)}`);
  const more = stretches.length - named.length;
  return [
    ...(typeof noWords === 'string' ? [noWords] : []),
    ...(named.length > 0
      ? [`Sound without captions: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`]
      : []),
    ...(typeof droppedWords === 'number' && droppedWords > 0
      ? [
          `${droppedWords} ${droppedWords === 1 ? 'word was' : 'words were'} dropped as implausible.`,
        ]
      : []),
  ];
}

const MOST_NAMED = 10;
