/** The texts of parts of the start page that are loaded when they are unfolded. */
import { count, duration } from './format.ts';
import { inLanguage, keyed } from './language.ts';

/** The search for terms in a pasted text and in files. */
export const paste = inLanguage('paste', {
  file: 'Choose slides, a programme or a list of speakers…',
  reading: (files: string) => `Reading ${files}…`,
  unreadable: 'This file cannot be read.',
  notSearched: 'The text could not be searched. Try again.',
  groups: keyed({ person_name: 'People', company_name: 'Companies', product_name: 'Products' }),
  others: 'Other names and terms',
  takeNone: 'Tick none',
  text: 'Or paste a text: slides, an abstract, a list of speakers, a web page',
  textHint: 'Files and text are read in this browser and are not sent anywhere.',
  find: 'Find names and terms',
  none: 'No names or terms were found.',
  found: (terms: number) =>
    `Found ${count(terms, 'name or term', 'names and terms')}. Tick those that are spoken.`,
  cut: (characters: number) =>
    `Only the first ${characters.toLocaleString('en')} characters were read.`,
  takeAll: 'Tick all',
  times: (times: number) => `${times} ×`,
});

/** The preview of the caption format. */
export const preview = inLanguage('preview', {
  title: 'Preview',
  summary: (cues: number, longest: number, lines: number) =>
    `${count(cues, 'caption', 'captions')} for this half minute; longest line: ${longest} characters; at most ${count(lines, 'line', 'lines')}.`,
  sample:
    'Last night the team showed how an agent signs in for the first time. It reads one page, asks the person for a code, and from then on it has its own key, with no more rights than it needs. Nobody had to copy a secret from one window to another, and nobody had to wait.',
});

/** They are shown where a person is asked to sign in. */
export const signIn = inLanguage('signIn', {
  title: 'Sign in',
  expired: 'Your key is no longer valid. Sign in again; nothing is lost.',
  why: 'We will email you a code. There is no password.',
  kept: 'Your file stays selected.',
  email: 'Email address',
  send: 'Send the code',
  sending: 'Sending…',
  code: 'Code from the email',
  codeSent: (email: string) =>
    `A six-digit code was emailed to ${email}. It is valid for ten minutes.`,
  codeWritten:
    'No mail server is configured. The email is the newest file in the folder “outbox” of the service’s data folder.',
  digit: (at: number) => `Digit ${at} of 6`,
  checking: 'Checking…',
  keep: 'Stay signed in while Captioner is open',
  keepHint: 'In all its tabs, and when you reload one. Closing the last one signs you out.',
  again: 'Use another address, or send a new code',
  problems: keyed({
    invalid_email: 'This is not an email address. Check it and send again.',
    invalid_otp: 'Wrong code. Check the newest email and try again.',
    too_many_attempts: 'Too many wrong codes. Request a new one.',
    claim_expired: 'This code has expired. Request a new one.',
    rate_limited: 'Too many codes were requested. Wait a while, then try again.',
    no_answer: 'No connection to the service. Try again.',
  }),
  tooMany: (seconds: number, at: string) =>
    `Too many codes were requested. The next one can be sent in ${duration(Math.max(60, Math.ceil(seconds / 60) * 60)).replace(':00', '')}, at ${at}.`,
  problem: (message: string) => `Signing in failed. ${message}`,
});
