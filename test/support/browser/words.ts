/** All texts of the app in one object, which the app itself loads part by part. */
import { compare } from '../../../web/words/compare.ts';
import { find } from '../../../web/words/find.ts';
import { sheet } from '../../../web/words/keys.ts';
import { panels } from '../../../web/words/panels.ts';
import { pastRuns } from '../../../web/words/past-runs.ts';
import { phone } from '../../../web/words/phone.ts';
import { text as words } from '../../../web/words/review.ts';
import { endSays } from '../../../web/words/run-ends.ts';
import { shift } from '../../../web/words/shift.ts';
import { signIn } from '../../../web/words/sign-in.ts';
import { preview } from '../../../web/words/start-parts.ts';

/** The texts by screen. */
export const text = {
  ...words,
  pastRuns,
  signIn,
  preview,
  run: { ...words.run, ...endSays },
  review: { ...words.review, ...panels, ...find, ...compare, ...shift, ...phone, ...sheet },
};
