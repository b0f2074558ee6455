/** The texts about translations of the captions, loaded with them. */
import { count, formatSign, keyNames } from './format.ts';
import { inLanguage, keyed } from './language.ts';

const kinds: Readonly<Record<string, string>> = {
  queued: 'Waiting for its turn',
  running: 'Translating',
  completed: 'Translated',
  incomplete: 'Not all translated',
  failed: 'Not translated',
  cancelled: 'Cancelled',
};

/** The texts of the view, its dialogs and its downloads. */
export const translationText = inLanguage('translationText', {
  title: 'Translations',
  another: 'Another language…',
  back: 'Back to the captions',
  signIn: 'Sign in to translate these captions.',
  none: 'These captions have no translation yet.',
  loading: 'Loading the translation…',
  language: 'Translation into',
  named: (language: string, state: string) =>
    state === 'completed' ? language : `${language}: ${(kinds[state] ?? state).toLowerCase()}`,
  state: (state: string) => kinds[state] ?? state,
  progress: (share: number) => `${Math.round(share * 100)}%`,
  left: (seconds: number) =>
    seconds < 60
      ? 'less than a minute left'
      : `about ${count(Math.round(seconds / 60), 'minute', 'minutes')} left`,
  cancel: 'Cancel',
  erase: 'Delete this translation…',
  eraseDo: 'Delete',
  eraseHint: 'It is deleted for everyone in your workspace, with what was changed in it.',
  failed: (message: string) => `The translation has failed. ${message}`,
  again: 'Translate again',
  changed:
    'This translation is older than the original, which has been changed since. A new one asks only for the sentences that have changed.',
  noAnswer: 'There is no connection to the service. Try again.',
  dialog: {
    title: 'Translate the captions',
    language: 'Into',
    provider: 'By',
    profile: 'Lines and reading speed',
    profileDefault: 'The defaults of this service',
    formality: 'Form of address',
    formalities: { '': 'Automatic', formal: 'Formal', informal: 'Informal' },
    start: 'Translate',
    cancel: 'Cancel',
    none: 'This server does not say what translates there. Try again when you are online.',
    notFrom:
      'The server’s own models do not know the language of these captions. Whoever runs it can set up a language model.',
    stays:
      'The server translates with the models of Firefox, to and from English, or by way of English. The text is sent to nobody else. They know neither the topic nor your terms; a language model does better.',
    leaves: (who: string) =>
      `This sends the text of all captions ${who}, with the topic, the names of the speakers, and the names and terms that occur. No sound and no picture is sent.`,
    who: keyed({
      deepl: 'to DeepL',
      google: 'to Google',
      libretranslate:
        'to LibreTranslate, or to the server of it that whoever runs this one has chosen',
      openai: 'to OpenAI',
      groq: 'to Groq',
      'workers-ai': 'to Cloudflare',
      'openai-compatible': 'to a language model that whoever runs this server has chosen',
    }),
    whoElse: (name: string) => `to ${name}`,
  },
  counts: (sentences: number, captions: number, missing = 0) =>
    missing > 0
      ? `${sentences - missing} of ${count(sentences, 'sentence', 'sentences')}; ${count(captions, 'caption', 'captions')}.`
      : `${count(sentences, 'sentence', 'sentences')}, each translated once and in order; ${count(captions, 'caption', 'captions')}.`,
  missing: (missing: number, sentences: number, language: string) =>
    `${sentences - missing} of ${sentences} sentences are translated; ${missing} ${missing === 1 ? 'is' : 'are'} still in ${language || 'the language of the original'}.`,
  againMissing: (missing: number) =>
    missing === 1 ? 'Translate it again' : 'Translate these again',
  doubts: (number: number) => count(number, 'doubt', 'doubts'),
  warnings: (number: number) => count(number, 'warning', 'warnings'),
  nothingLeft: 'Nothing is in doubt.',
  nextDoubt: 'Next doubt',
  nextWarning: 'Next warning',
  source: 'Original',
  pairs: 'Sentences with their translations',
  playFrom: (time: string) => `Play from ${time}`,
  edit: (at: number) => `Change the translation of sentence ${at}`,
  field: (at: number) => `Translation of sentence ${at}`,
  fieldHint: keyNames('Ctrl+Enter saves and goes on, Esc leaves it as it was.'),
  confirm: 'It is right',
  confirmLabel: (at: number) => `It is right: sentence ${at}`,
  confirmed: 'Checked by a person',
  reopen: 'Doubt it again',
  restore: 'As the model had it',
  restoreLabel: (at: number) => `As the model had it: sentence ${at}`,
  edited: 'Changed',
  remembered: {
    person: 'As a person translated it before',
    engine: 'From an earlier translation',
  },
  similar: (likeness: number, who: string) =>
    `${who === 'person' ? 'A person' : (who.split(' ')[1] ?? who)}, ${likeness === 1 ? 'the same sentence' : `${Math.round(100 * likeness)}% alike`}:`,
  anew: 'Translate this sentence again',
  anewBy: (engine: string) => `Again: ${engine}`,
  saving: 'Saving…',
  saved: 'Saved',
  notSaved: (message: string) => `Not saved. ${message}`,
  retry: 'Save again',
  stale: (theirs: string) =>
    `A colleague has changed this sentence to “${theirs}”. Save again to keep yours, or press Esc.`,
  download: 'Download',
  downloadAs: (format: string) => `${formatSign(format)} in this language`,
  downloadAll: 'All languages and formats (ZIP)',
  downloaded: (name: string) => `Downloaded ${name}.`,
});
