/** Captions that were found in the runs of a workspace. */
import { closed, dateTime, Type } from './schema.ts';

/** A page of found captions, newest first. */
export const FoundCaptions = closed({
  captions: Type.Array(
    closed({
      runId: Type.String(),
      name: Type.String({ description: 'the name of the run' }),
      createdAt: dateTime(),
      start: Type.Number({ minimum: 0, description: 'seconds from the start of the recording' }),
      end: Type.Number({ minimum: 0, description: 'seconds from the start of the recording' }),
      text: Type.String({ description: 'the caption' }),
      speaker: Type.Optional(Type.String({ description: 'who says it, if that is known' })),
      url: Type.String({ description: 'opens the review at this caption' }),
    }),
  ),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'the `cursor` of the next page; null on the last page',
  }),
});
