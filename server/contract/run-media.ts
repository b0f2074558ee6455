/** What stays with a run until its review is finished: the sound, and a small video. */
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** The media types of a run's video. */
export const VIDEO_TYPES = ['video/mp4', 'video/webm'] as const;
export type VideoType = (typeof VIDEO_TYPES)[number];

const bytes = () => Type.Integer({ minimum: 1, description: 'its size' });
const play = () =>
  Type.String({
    description:
      'an address on this service that plays it without a key, until `playUntil`; takes `Range`',
  });

/** What stays with a run, as far as the sender may have it. */
export const RunMedia = closed({
  runId: Type.String(),
  sound: Type.Union([closed({ bytes: bytes(), play: play() }), Type.Null()], {
    description: 'the MP3; null if there is none',
  }),
  video: Type.Union(
    [closed({ bytes: bytes(), type: enumeration(VIDEO_TYPES), play: play() }), Type.Null()],
    { description: 'the small video that somebody added; null if there is none' },
  ),
  playUntil: dateTime(),
});
export type RunMedia = Static<typeof RunMedia>;
