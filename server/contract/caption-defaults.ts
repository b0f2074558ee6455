/** The default caption settings, separate from their schema so that browsers need not load the schema library. */
import { MAX_DURATION, MAX_LINE_CHARS, MAX_LINES, MIN_DURATION } from './limits.ts';

/** The settings for a payload that names none. */
export const DEFAULT_CAPTION_SETTINGS: Record<
  'maxLineChars' | 'maxLines' | 'maxDuration' | 'minDuration',
  number
> = {
  maxLineChars: MAX_LINE_CHARS.default,
  maxLines: MAX_LINES.default,
  maxDuration: MAX_DURATION.default,
  minDuration: MIN_DURATION.default,
};
