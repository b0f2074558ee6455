/** The texts of runs that ended without captions: what happened, then what to do next. */
import { count } from './format.ts';
import { inLanguage, keyed } from './language.ts';

/** Texts by situation. */
export const runEndText = inLanguage('runEndText', {
  otherWays: 'Or try this',
  /** A provider as part of a sentence; any other name is used as it is. */
  providers: keyed({
    edge: 'this server',
    deepgram: 'Deepgram',
    assemblyai: 'AssemblyAI',
    openai: 'OpenAI',
    groq: 'Groq',
  }),
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
});

/** They are loaded with the page. */
export const queueText = inLanguage('queueText', {
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
  stay: 'Keep this page open until everything is uploaded. After that the runs continue without it and are listed in the library.',
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
});
