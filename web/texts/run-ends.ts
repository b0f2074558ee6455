/** The texts of runs that ended without captions: what happened, then what to do next. */
import { count } from './format.ts';
import type { CaptionerErrorSuggestion } from '../../server/contract/failure.ts';

/** Texts by situation. */
export const runEndText = {
  otherWays: 'Or try this',
  /** A provider as part of a sentence; any other name is used as it is. */
  providers: {
    edge: 'this server',
    deepgram: 'Deepgram',
    assemblyai: 'AssemblyAI',
    openai: 'OpenAI',
    groq: 'Groq',
  } as Record<string, string>,
  transcribeHere: 'Transcribe on this server',
  transcribeWith: (name: string) => `Transcribe with ${name}`,
  auditHere: 'Check the terms on this server',
  auditWith: (name: string) => `Check the terms with ${name}`,
  auditNone: 'Make captions without checking the terms',
  auditNoneHint: 'The words stay as they were recognised.',
  anyModel: 'Let the service choose the model',
  uploadAgain: 'Upload it again',
  otherFile: 'Choose another file',
  otherFileHint: 'It is captioned with the same settings.',
  settings: 'Change language or provider',
  language: 'Language',
  provider: 'Transcribe with',
  back: 'Back',
  tryAgain: 'Try again',
  settingsHint: 'The same recording is captioned again; all other settings stay the same.',
  listen: 'Recording',
  notHere: 'The recording is not stored in this browser. Open the file to hear it.',
  open: 'Open the recording',
  tooLongHint:
    'Split it into parts first, for example with this command, then drop all parts at once:',
  noSpeech: 'No speech was recognised in this file',
  noSpeechAdvice: 'If you can hear speech, another language or provider may recognise it.',
  byHand: 'Write the captions by hand',
  byHandHint:
    'Opens the editor without captions. Each new caption starts at the current position of the recording.',
  blockedListen: 'Listen to this part',
  cancelled: 'Cancelled',
  cancelledNote: 'The run was cancelled.',
  /** By the recording's status in the result. */
  recording: {
    deleted: 'Its recording was deleted on the service.',
    retained: 'Its recording is still on the service, as requested.',
    skipped: 'Its recording is still on the service and will be deleted when it expires.',
    failed: 'Its recording could not be deleted yet. The service keeps trying.',
  },
  failedAt: (stage: string) => `It failed at this stage: ${stage}.`,
  again: 'Run it again',
  chooseFile: 'Choose the file',
  needFile: 'The recording is not stored here. Choose the file again to run it with this change.',
  blocked: 'The content is not allowed here',
  blockedWhy: (severity: string) =>
    `What is said breaks the rules of this service for content (severity: ${severity}).`,
  blockedWhere: 'Where in the recording',
  blockedAdvice:
    'The same recording would be blocked again. Cut that part out, or ask the operator of this service.',
};

/** They are loaded with the page. */
export const queueText = {
  title: 'Recordings',
  done: (done: number, all: number) => `${done} of ${count(all, 'recording', 'recordings')} done`,
  allDone: (all: number) => `${all === 1 ? 'The recording is' : `All ${all} are`} done.`,
  waiting: 'Waiting',
  making: 'Making MP3',
  uploading: 'Uploading',
  starting: 'Starting',
  queued: 'Waiting on the service',
  running: 'Captioning',
  completed: 'Done',
  silent: 'No speech',
  blocked: 'Not allowed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  review: (name: string) => `Review ${name}`,
  reviewShort: 'Review',
  look: (name: string) => `See why ${name} has no captions`,
  lookShort: 'Why?',
  cancel: (name: string) => `Cancel ${name}`,
  cancelShort: 'Cancel',
  again: (name: string) => `Try again: ${name}`,
  againShort: 'Try again',
  stay: 'Keep this page open until everything is uploaded. After that the runs continue without it and are listed under Past runs.',
  more: 'Add more recordings',
  another: 'Open other files',
  captionsTitle: 'Caption files',
  read: (done: number, all: number) => `${done} of ${count(all, 'file', 'files')} read`,
  allRead: (all: number) => `${count(all, 'file', 'files')} read.`,
  found: (captions: number, warnings: number) =>
    `${count(captions, 'caption', 'captions')}, ${count(warnings, 'warning', 'warnings')}`,
  format: 'Format',
  convert: 'Download all',
  without: (name: string) => `No speech was recognised in ${name}.`,
  converted: (files: number) => `Downloaded ${count(files, 'file', 'files')}.`,
};

// The next steps after a failed run: the one that is most likely to help, then the others. The
// service's suggestions are written for programs that call it; here they get the app's words.

/** A step after a failed run. */
export type NextStep =
  /** The recording runs again with this change of its payload. */
  | {
      readonly kind: 'again';
      readonly label: string;
      readonly hint?: string;
      readonly patch: object;
    }
  /** Another recording runs with the same settings. */
  | { readonly kind: 'other-file' }
  /** The person chooses another language or provider. */
  | { readonly kind: 'settings' };

/** The parts of a failure that decide on the steps. */
interface Failed {
  readonly code: string;
  readonly suggestions: readonly CaptionerErrorSuggestion[];
}

/** Failures that would happen again with the same recording, whatever the settings. */
const NEEDS_ANOTHER_FILE = new Set(['audio_unreadable', 'audio_too_long']);

/**
 * The steps after a failure, the best first; there is always one.
 * @param again the label for running it again as it was
 */
export function nextSteps({ code, suggestions }: Failed, again: string): NextStep[] {
  const repeat: NextStep = { kind: 'again', label: again, patch: {} };
  if (NEEDS_ANOTHER_FILE.has(code)) return [{ kind: 'other-file' }];
  if (code === 'cancelled') return [repeat];
  if (code === 'audio_not_found') return [{ ...repeat, label: runEndText.uploadAgain }];
  if (code === 'internal') return [repeat, { kind: 'settings' }, { kind: 'other-file' }];
  const changes = suggestions.flatMap(stepOf);
  // Another language is not among the suggestions, but may be the right one.
  if (code === 'language_unsupported') return [{ kind: 'settings' }, ...changes];
  return [...changes, repeat, { kind: 'settings' }];
}

/** The step of a suggestion; none if the app does it anyway, or has no use for it. */
function stepOf({ label, description, payloadPatch: patch }: CaptionerErrorSuggestion): NextStep[] {
  if (typeof patch !== 'object' || patch === null) return [];
  const [speech, audit] = [providerIn(patch, 'transcription'), providerIn(patch, 'audit')];
  const step = (of: string, hint?: string): NextStep[] => [
    { kind: 'again', label: of, ...(hint === undefined ? {} : { hint }), patch },
  ];
  if (speech !== null) {
    return step(
      speech === 'edge' ? runEndText.transcribeHere : runEndText.transcribeWith(nameOf(speech)),
    );
  }
  if (audit === 'none') return step(runEndText.auditNone, runEndText.auditNoneHint);
  if (audit !== null)
    return step(audit === 'edge' ? runEndText.auditHere : runEndText.auditWith(nameOf(audit)));
  if ('transcription' in patch || 'audit' in patch) return step(runEndText.anyModel);
  // The app keeps the recording itself, so it need not be kept on the service.
  return Object.keys(patch).every((name) => name === 'storage') ? [] : step(label, description);
}

const nameOf = (provider: string): string => runEndText.providers[provider] ?? provider;

function providerIn(patch: object, section: 'transcription' | 'audit'): string | null {
  const name: unknown = Object(Object(patch)[section])['provider'];
  return typeof name === 'string' ? name : null;
}
