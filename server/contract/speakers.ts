/** The speakers of a run: how much each of them says, and their names. Beyond the contract. */
import * as limits from './limits.ts';
import { closed, Type, type Static } from './schema.ts';

const named = {
  id: Type.String({ minLength: 1, maxLength: limits.REVIEW.maxSpeakerChars }),
  name: Type.String({ minLength: 1, maxLength: limits.REVIEW.maxSpeakerChars }),
};

/** Names for speakers, by the ids of the list of speakers. */
export const SpeakerNames = closed({
  speakers: Type.Array(closed(named), { minItems: 1, maxItems: limits.REVIEW.maxSpeakers }),
});
export type SpeakerNames = Static<typeof SpeakerNames>;

/** The speakers of a run, in the order in which they first speak. */
export const RunSpeakers = closed({
  runId: Type.String(),
  speakers: Type.Array(
    closed({
      id: named.id,
      name: Type.Optional(Type.String({ description: 'absent until somebody has given one' })),
      turns: Type.Integer({ minimum: 1, description: 'how often this speaker begins to speak' }),
      seconds: Type.Number({ description: 'the length of all words, or of reviewed captions' }),
      share: Type.Number({ minimum: 0, maximum: 1, description: 'of the seconds of all speakers' }),
    }),
  ),
});
export type RunSpeakers = Static<typeof RunSpeakers>;
