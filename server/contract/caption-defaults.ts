/** The default caption settings, separate from their schema so that browsers need not load the schema library. */
import { OPTION } from './limits.ts';

/** The settings for a payload that names none. */
export const DEFAULT_CAPTION_SETTINGS: Record<
  'maxLineChars' | 'maxLines' | 'maxDuration' | 'minDuration',
  number
> = {
  maxLineChars: OPTION.maxLineChars.default,
  maxLines: OPTION.maxLines.default,
  maxDuration: OPTION.maxDuration.default,
  minDuration: OPTION.minDuration.default,
};
