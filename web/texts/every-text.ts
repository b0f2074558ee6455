/** The type of a language: every text of the app, in the two pieces in which it is loaded. */
import type { burnText } from './burn.ts';
import type { fileText, gridText, lossText, retimeText } from './caption-files.ts';
import type {
  compare,
  droppedText,
  find,
  overviewText,
  panels,
  phone,
  shift,
  speakersText,
  transcriptText,
} from './desk-parts.ts';
import type { evidence, verifyText } from './evidence.ts';
import type { units } from './format.ts';
import type { commandNames, keyGroups, sheet } from './keys.ts';
import type { In } from './language.ts';
import type { organisationText } from './organisation.ts';
import type { pastRuns } from './past-runs.ts';
import type { ProblemCode, problems } from './problems.ts';
import type {
  framesText,
  house,
  profiles,
  rebuildText,
  reportText,
  scriptText,
} from './profiles-and-rebuilding.ts';
import type { reviewWork } from './review-work.ts';
import type { text as review, transportKeys } from './review.ts';
import type { queueText, runEndText } from './run-ends.ts';
import type { progressText } from './run-progress.ts';
import type { said } from './said.ts';
import type { saveText } from './saving.ts';
import type { settingsText } from './settings.ts';
import type { sharing } from './sharing.ts';
import type { text as shell } from './shell.ts';
import type { paste, preview, signIn } from './start-parts.ts';
import type { termsText } from './terms.ts';
import type { translationText } from './translation.ts';

/** What the first screen needs, and the job that it starts. */
export type FirstTexts = In<{
  units: typeof units;
  shell: typeof shell;
  progressText: typeof progressText;
  runEndText: typeof runEndText;
  queueText: typeof queueText;
}> & {
  /** With a text for every code. */
  readonly problems: typeof problems & { readonly byCode: Readonly<Record<ProblemCode, string>> };
};

/** Everything else. */
export type OtherTexts = In<{
  signIn: typeof signIn;
  paste: typeof paste;
  preview: typeof preview;
  pastRuns: typeof pastRuns;
  termsText: typeof termsText;
  organisationText: typeof organisationText;
  settingsText: typeof settingsText;
  transportKeys: typeof transportKeys;
  review: (typeof review)['review'];
  compare: typeof compare;
  overviewText: typeof overviewText;
  transcriptText: typeof transcriptText;
  shift: typeof shift;
  droppedText: typeof droppedText;
  find: typeof find;
  speakersText: typeof speakersText;
  phone: typeof phone;
  panels: typeof panels;
  gridText: typeof gridText;
  retimeText: typeof retimeText;
  fileText: typeof fileText;
  lossText: typeof lossText;
  commandNames: typeof commandNames;
  keyGroups: typeof keyGroups;
  sheet: typeof sheet;
  house: typeof house;
  profiles: typeof profiles;
  framesText: typeof framesText;
  reportText: typeof reportText;
  rebuildText: typeof rebuildText;
  scriptText: typeof scriptText;
  evidence: typeof evidence;
  verifyText: typeof verifyText;
  reviewWork: typeof reviewWork;
  burnText: typeof burnText;
  said: typeof said;
  saveText: typeof saveText;
  sharing: typeof sharing;
  translationText: typeof translationText;
}>;
