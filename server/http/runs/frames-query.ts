/** How captions files count frames, by the query of a request. */
import type { CaptionFileOptions } from '../../captions/files/portable-captions.ts';
import { frameCountOf, frameOfTimeCode } from '../../captions/time-code.ts';
import { FRAME_RATES } from '../../captions/timestamps.ts';
import { enumeration, Type } from '../../contract/schema.ts';
import { Problem } from '../problems.ts';

/** Matches time code. */
const TIME_CODE = '^\\d\\d:[0-5]\\d:[0-5]\\d[:;]\\d\\d$';

/** The query parameters. */
export const FrameFields = {
  frameRate: Type.Optional(
    enumeration(FRAME_RATES, {
      description:
        'The frame rate of the video. With a profile, captions then begin and end on frames; formats that count in frames use it in any case.',
    }),
  ),
  dropFrame: Type.Optional(
    enumeration(['true', 'false'], {
      description:
        'Whether time code of 29.97 and 59.94 frames a second drops numbers, in formats that count in frames.',
    }),
  ),
  start: Type.Optional(
    Type.String({
      pattern: TIME_CODE,
      description:
        'The time code at which the programme begins, in formats that count in frames: `10:00:00:00`.',
    }),
  ),
};

/** What a query says of frames. */
export interface FramesQuery {
  frameRate?: (typeof FRAME_RATES)[number];
  dropFrame?: 'true' | 'false';
  start?: string;
}

/**
 * How a file counts its frames, by a query.
 * @throws {Problem} 422 for a time code that this rate does not have
 */
export function framesOf({ frameRate, dropFrame, start }: FramesQuery): CaptionFileOptions {
  const rate = frameRate === undefined ? undefined : Number(frameRate);
  const drops = dropFrame === undefined ? start?.includes(';') : dropFrame === 'true';
  const first =
    start === undefined ? 0 : frameOfTimeCode(start, frameCountOf(rate ?? DEFAULT_RATE, drops));
  if (first === null) {
    const message = 'must be time code of this frame rate';
    throw Problem.invalidPayload(`The query parameter start ${message}.`, [
      { path: 'start', message },
    ]);
  }
  return {
    ...(rate !== undefined && { frameRate: rate }),
    ...(drops !== undefined && { dropFrame: drops }),
    ...(first > 0 && { firstFrame: first }),
  };
}

/** Frames a second where a query names none: those of European television. */
const DEFAULT_RATE = 25;
