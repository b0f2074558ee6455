/** The texts of the settings, loaded with their page. */
import { count, dateTime } from './format.ts';
import { inLanguage } from './language.ts';

/** The page. */
export const settingsText = inLanguage('settingsText', {
  title: 'Settings',
  signIn: 'Sign in to see your account, its keys and its data.',
  account: 'Account',
  workspaces: {
    personal: 'A workspace of your own.',
    team: 'A workspace that you share with everyone of your domain who has signed in.',
    unknown: 'A workspace that your operator manages.',
  },
  keep: 'Stay signed in while Captioner is open',
  keepHint:
    'In all its tabs, and when you reload one. Without it, a reload signs you out; closing the last tab always does.',
  keys: 'Keys',
  keysHint:
    'Whoever has a key can use Captioner as you. Each sign-in adds one. Revoke those that you no longer use.',
  keysElsewhere:
    'Whoever has a key can use Captioner as you. To revoke one, ask whoever runs this service.',
  noKeys: 'The keys of this account are managed where they were created.',
  more: (shown: number, total: number) =>
    `These are the newest ${shown} of ${count(total, 'key', 'keys')}.`,
  made: (at: string) => `Created ${dateTime(at)}`,
  used: (at: string) => `last used ${dateTime(at)}`,
  current: 'this browser',
  scopes: {
    'captioner:audio:upload': 'Upload recordings',
    'captioner:caption:run': 'Make, read, correct and erase captions',
    'captioner:terminology:read': 'Read terms',
  },
  revoke: 'Revoke',
  revokeKey: (name: string) => `Revoke ${name}`,
  revokeAsk: (name: string) =>
    `Programs that use ${name} will be refused from then on. This cannot be undone.`,
  revokeCurrent: 'It is the key of this browser: you are signed out.',
  create: 'Create a key',
  createHint: 'For a program. We will email you a code, as when you sign in.',
  may: 'The key may',
  needsScope: 'Tick at least one.',
  send: 'Send the code',
  created: 'Your new key',
  createdHint: 'Copy it now: it is shown only once.',
  copy: 'Copy',
  copied: 'Copied.',
  done: 'Done',
  voices: 'Voices',
  remember: 'Remember whose voice it is',
  rememberHint:
    'When you name a speaker, the name is proposed in the next talk in which the same voice speaks. Kept are 192 numbers of each voice, which are biometric data, and never sound: as long as the run, or until you forget the person. Only with the consent of those who speak.',
  rememberOff: 'Switched off, all voices are forgotten at once.',
  nobody: 'No voice has a name yet.',
  heardIn: (runs: number) => `named in ${count(runs, 'run', 'runs')}`,
  forget: 'Forget',
  forgetPerson: (name: string) => `Forget the voice of ${name}`,
  data: 'Your data',
  export: 'Export everything',
  exportHint:
    'One archive (.tar.gz) with all runs, results, reviews, terms, recordings that are still stored, and webhooks.',
  exporting: 'Exporting. Large workspaces take a while.',
  exported: 'The archive is saved.',
  erase: 'Erase everything',
  eraseHint: 'All of this, on the service. Keys stay valid. Export it first if you may need it.',
  eraseAsk:
    'All runs, captions, reviews, recordings, terms, rules and webhooks of your workspace are deleted. This cannot be undone.',
  eraseTeam: 'Your colleagues’ too: the workspace is theirs as well.',
  eraseWord: 'erase',
  eraseType: (word: string) => `Type “${word}” to confirm`,
  eraseNot: 'Nothing was erased: the word was not typed.',
  erased: (runs: number, recordings: number, webhooks: number) =>
    `Erased: ${count(runs, 'run', 'runs')}, ${count(recordings, 'recording', 'recordings')}, ${count(webhooks, 'webhook', 'webhooks')}, and the terms.`,
  eraseHere: 'Delete the copies in this browser',
  look: 'Appearance',
  language: 'Language of the app',
  languageOfBrowser: 'As the browser asks for',
  theme: 'Colours',
  themes: { system: 'Same as the system', light: 'Light', dark: 'Dark' },
  keyboard: 'Keyboard',
  keyboardHint: 'Every command of the review has a key, which you can change.',
  shortcuts: 'Show and change shortcuts',
});
