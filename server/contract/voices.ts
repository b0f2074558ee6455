/** The voices that a workspace remembers, and whose they are. Beyond the contract. */
import * as limits from './limits.ts';
import { closed, Type, type Static } from './schema.ts';

/** Whether the workspace remembers voices. */
export const VoiceSettings = closed({
  remember: Type.Boolean({
    description: 'false forgets all voices of the workspace, immediately and permanently',
  }),
});
export type VoiceSettings = Static<typeof VoiceSettings>;

/** Another name for a person. */
export const PersonName = closed({
  name: Type.String({
    minLength: 1,
    maxLength: limits.REVIEW.maxSpeakerChars,
    description: 'that of another person makes both one',
  }),
});
export type PersonName = Static<typeof PersonName>;

const personId = Type.String({ description: 'identifies the person' });

/** The people whose voices a workspace remembers. */
export const RememberedVoices = closed({
  remember: Type.Boolean(),
  people: Type.Array(
    closed({
      personId,
      name: Type.String(),
      runs: Type.Integer({ minimum: 1, description: 'how many runs the voice was named in' }),
      seconds: Type.Number({ description: 'the speech that the voiceprints were made of' }),
      since: Type.String({ format: 'date-time' }),
    }),
    { description: 'by name' },
  ),
});
export type RememberedVoices = Static<typeof RememberedVoices>;
