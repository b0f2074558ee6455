/** All texts of the app in one object, which the app itself loads part by part. */
import { compare } from '../../../web/texts/compare.ts';
import { droppedText } from '../../../web/texts/dropped-files.ts';
import { find } from '../../../web/texts/find.ts';
import { sheet } from '../../../web/texts/keys.ts';
import { panels } from '../../../web/texts/panels.ts';
import { pastRuns } from '../../../web/texts/past-runs.ts';
import { phone } from '../../../web/texts/phone.ts';
import { text as words } from '../../../web/texts/review.ts';
import { progressText } from '../../../web/texts/run-progress.ts';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { shift } from '../../../web/texts/shift.ts';
import { signIn } from '../../../web/texts/sign-in.ts';
import { preview } from '../../../web/texts/start-parts.ts';

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
