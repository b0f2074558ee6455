/** The default caption settings, apart from their schema: browsers need them without the library of schemas. */
import { MAX_DURATION, MAX_LINE_CHARS, MAX_LINES, MIN_DURATION } from './limits.ts';

/** The settings used if a payload names none. */
export const DEFAULT_CAPTION_SETTINGS: Record<
  'maxLineChars' | 'maxLines' | 'maxDuration' | 'minDuration',
  number
> = {
  maxLineChars: MAX_LINE_CHARS.default,
  maxLines: MAX_LINES.default,
  maxDuration: MAX_DURATION.default,
  minDuration: MIN_DURATION.default,
};
