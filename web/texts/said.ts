/** What the program says in English sentences, of corrections, rules and files: shown as it is, in English. */
import { sentence } from './format.ts';
import { inLanguage } from './language.ts';

/** The sentences. */
export const said = inLanguage('said', {
  /** A sentence in English, such as the reason of a correction. */
  sentence: (english: string) => english,
  /** What breaks a rule, in English without its subject, such as “is shown for 0.6 s; at least 0.83 s”. */
  violation: (english: string) => sentence(english),
});
