/** All texts of the app in one object, which the app itself loads part by part. */
import { compare, droppedText, find, phone, shift, panels } from '../../../web/texts/desk-parts.ts';
import { sheet } from '../../../web/texts/keys.ts';
import { pastRuns } from '../../../web/texts/past-runs.ts';
import { text as words } from '../../../web/texts/review.ts';
import { progressText } from '../../../web/texts/run-progress.ts';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { preview, signIn } from '../../../web/texts/start-parts.ts';

/** The texts by screen. */
export const text = {
  ...words,
  pastRuns,
  signIn,
  preview,
  run: { ...words.run, ...progressText, ...runEndText },
  review: {
    ...words.review,
    ...droppedText,
    ...panels,
    ...find,
    ...compare,
    ...shift,
    ...phone,
    ...sheet,
  },
};
