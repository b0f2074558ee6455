/** The speakers of a run: how much each of them says, and their names. Beyond the contract. */
import * as limits from './limits.ts';
import { closed, Type, type Static } from './schema.ts';
import { Stretch } from './unheard.ts';

/** The number of speakers in a recording, where it is known. */
export const SpeakerCount = Type.Integer({
  minimum: 1,
  maximum: limits.SPEAKERS.mostTold,
  description: 'how many people speak, where voices are told apart; default: found',
});

const named = {
  id: Type.String({ minLength: 1, maxLength: limits.REVIEW.maxSpeakerChars }),
  name: Type.String({ minLength: 1, maxLength: limits.REVIEW.maxSpeakerChars }),
};

/** Names for speakers, by the ids of the list of speakers, and proposals that are wrong. */
export const SpeakerNames = closed({
  speakers: Type.Array(closed(named), { maxItems: limits.REVIEW.maxSpeakers }),
  refused: Type.Optional(
    Type.Array(named.id, {
      maxItems: limits.REVIEW.maxSpeakers,
      description: 'speakers who are not the person that is proposed',
    }),
  ),
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
      proposal: Type.Optional(
        closed(
          { personId: Type.String(), name: named.name },
          {
            description:
              'who this may be, by a voice that the workspace remembers; only for keys, and absent in doubt',
          },
        ),
      ),
      confidence: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description:
            'how much of what this speaker says is in a voice that is clearly theirs, where voices were told apart',
        }),
      ),
      share: Type.Number({ minimum: 0, maximum: 1, description: 'of the seconds of all speakers' }),
    }),
  ),
  atOnce: Type.Optional(
    Type.Array(Stretch, {
      description: 'where two or more speak at the same time, where voices were told apart',
    }),
  ),
});
export type RunSpeakers = Static<typeof RunSpeakers>;
