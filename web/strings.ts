/**
 * Every word of the app but the review, in one place; the review has its own beside it. Plain and short:
 * what happened, then what to do.
 */
import { MAX_UPLOAD_SIZE } from '../server/contract/limits.ts';
import { count, duration, megabytes, sentence, seconds } from './format.ts';

/** By screen; what depends on a value is a function of it. */
export const text = {
  name: 'Captioner',
  skip: 'Skip to the content',
  header: {
    start: 'New captions',
    pastRuns: 'Past runs',
    signIn: 'Sign in',
    account: (email: string) => `Account ${email}`,
    signOut: 'Sign out',
    signOutAsk:
      'This browser keeps recordings, results and your corrections. Anyone who uses it can open them.',
    signOutHint: 'What is on the service stays there.',
    signOutKeep: 'Sign out and keep them',
    signOutForget: 'Sign out and forget them',
    toDark: 'Dark colours',
    toLight: 'Light colours',
    guide: 'Guide',
  },
  offline: 'No connection to the service. Nothing is lost; it is tried again by itself.',
  wrong: 'Something went wrong in this page. Reload it; what you changed is kept.',
  reload: 'Reload',
  cancel: 'Cancel',
  close: 'Close',
  back: 'Back',

  start: {
    title: 'Caption a talk',
    drop: 'Drop a talk here: video or audio',
    choose: 'or choose a file',
    hint: 'It is made into a small MP3 on this computer first. The original never leaves it.',
    mp3Hint: 'An MP3 goes up as it is.',
    letGo: 'Let go to take this file',
    another: 'Choose another file',
    file: 'Recording',
    nothing: 'Choose a recording first.',
    underWay: (name: string) => `${name} is still on its way up.`,
    oneFile: 'One file at a time: the first was taken.',
    empty: 'This file is empty. Choose another.',
    topic: 'Topic',
    topicHint: 'What the talk is about. It chooses the terms to listen for.',
    topicExample: 'MCP Night, agent auth',
    language: 'Language',
    make: 'Make captions',
  },
  terms: {
    title: 'Terms and packs',
    glossary: 'Glossary',
    glossaryHint: 'Names and terms as they should be spelled, one a line or parted by commas.',
    packs: 'Packs',
    packsHint: 'Chosen by your topic and glossary; tick one to have it for sure.',
    packTerms: (terms: number) => count(terms, 'term', 'terms'),
    exclude: 'Leave out',
    excludeHint: 'Terms of the packs that are not meant in this talk.',
  },
  provider: {
    title: 'Provider and audit',
    speech: 'Transcription',
    about: (model: string, limits: string) =>
      [`Model: ${model}`, limits]
        .filter((said) => said !== '')
        .map(sentence)
        .join(' '),
    audit: 'Audit of terms',
    auditAutomatic: 'Automatic',
    auditNone: 'No audit: as it was heard',
    mode: 'Audit mode',
    modes: {
      publishable: 'Publishable: the most careful',
      fast: 'Fast',
      experimental: 'Experimental',
    },
    names: {
      edge: 'Beside this service',
      deepgram: 'Deepgram',
      assemblyai: 'AssemblyAI',
      openai: 'OpenAI',
      groq: 'Groq',
      none: 'None',
    } as Record<string, string>,
    confidence: 'Apply corrections from a confidence of',
  },
  format: {
    title: 'Caption format',
    maxLineChars: 'Characters in a line',
    maxLines: 'Lines in a caption',
    maxDuration: 'Longest caption, in seconds',
    minDuration: 'Shortest caption, in seconds',
    preview: 'How it looks',
    previewSays: (cues: number, longest: number, lines: number) =>
      `${count(cues, 'caption', 'captions')} for this half minute; longest line ${longest}, at most ${count(lines, 'line', 'lines')}.`,
    sample:
      'Last night the team showed how an agent signs in for the first time. It reads one page, asks the person for a code, and from then on it holds a key of its own, with no more rights than it needs. Nobody had to copy a secret from one window to another, and nobody had to wait.',
  },

  signIn: {
    title: 'Sign in',
    expired: 'Your key is no longer valid. Sign in again; nothing is lost.',
    why: 'A code is mailed to you. There is no password.',
    kept: 'Your file is kept meanwhile.',
    email: 'Email address',
    send: 'Send the code',
    sending: 'Sending…',
    code: 'Code from the mail',
    codeSent: (email: string) => `Six digits were mailed to ${email}. They hold for ten minutes.`,
    codeWritten:
      'No mail server is set up here: the mail is the newest file in the outbox folder of the service’s data.',
    digit: (at: number) => `Digit ${at} of 6`,
    checking: 'Checking…',
    keep: 'Stay signed in until this tab is closed',
    keepHint: 'Otherwise the key is forgotten when the page is left or reloaded.',
    again: 'Use another address, or have a new code sent',
    problems: {
      invalid_email: 'This is not an email address. Check it and send again.',
      invalid_otp: 'That is not the code. Check the newest mail and type it again.',
      too_many_attempts: 'Too many wrong codes. Have a new one sent.',
      claim_expired: 'This code has expired. Have a new one sent.',
      rate_limited: 'Too many codes were asked for. Wait a while, then try again.',
      no_answer: 'No connection to the service. Try again.',
    } as Record<string, string>,
    problem: (message: string) => `Signing in did not work. ${message}`,
  },

  run: {
    title: (name: string) => `Captions for ${name}`,
    untitled: 'Captions',
    making: 'Making MP3',
    made: 'Made MP3',
    madeNote: (length: number, bytes: number) =>
      `${duration(length)} of sound → ${megabytes(bytes)}`,
    makingNote: (done: number, length: number) => `${duration(done)} of ${duration(length)}`,
    uploading: 'Uploading',
    uploaded: 'Uploaded',
    uploadNote: (sent: number, bytes: number) => `${megabytes(sent)} of ${megabytes(bytes)}`,
    queued: 'Waiting for its turn',
    queuedBehind: (runs: number) =>
      runs === 0 ? 'It is the next.' : `${count(runs, 'run', 'runs')} of yours go first.`,
    starting: 'Starting',
    stages: {
      payload: 'Preparing',
      storage: 'Reading the recording',
      transcription: 'Transcribing',
      moderation: 'Moderation',
      terminology_audit: 'Terms',
      correction: 'Corrections',
      captioning: 'Captions',
      workflow: 'Finishing',
    } as Record<string, string>,
    heard: (done: number, length: number) => `${duration(done)} of ${duration(length)} heard`,
    percent: (part: number) => `${Math.floor(part * 100)} %`,
    left: (s: number) => `about ${duration(s)} left`,
    took: (ms: number) => seconds(ms / 1000),
    canClose: 'You may close this page: the run goes on, and Past runs has it.',
    stayHere: 'Keep this page open until the upload is done.',
    cancel: 'Cancel',
    cancelling: 'Cancelling…',
    cancelled: 'Cancelled',
    cancelledNote: 'The run was stopped.',
    /** By what the result says became of the recording. */
    recording: {
      deleted: 'Its recording was deleted on the service.',
      retained: 'Its recording is still on the service, as the run asked for.',
      skipped: 'Its recording is still on the service, which deletes it in time.',
      failed: 'Its recording could not be deleted yet. The service tries again until it is gone.',
    },
    startOver: 'Start over',
    failed: 'No captions came of it',
    failedAt: (stage: string) => `It stopped at this stage: ${stage}.`,
    tryThis: 'What may help',
    again: 'Run it again',
    chooseFile: 'Choose the file',
    needFile:
      'The recording is not kept here. Choose the file again, and it runs with this change.',
    blocked: 'Moderation did not let this through',
    blockedWhy: (severity: string) =>
      `The transcript has something that goes against the content policy (severity: ${severity}).`,
    blockedWhere: 'Where in the recording',
    blockedAdvice:
      'Sending the same recording again changes nothing. Cut the part out, or ask whoever runs this service.',
    signIn: 'Sign in to see this run.',
    notFound: 'There is no such run in this workspace, or it is too old to be kept.',
    refused: (message: string) => `The service refused it. ${message}`,
    conversion: {
      no_audio: 'There is no sound in this file. Choose another.',
      unreadable:
        'This file cannot be read as video or audio. It may be damaged, or of another kind.',
      codec_unsupported:
        'This browser cannot read the sound of this file. Make an MP3 of it with this line, then drop that:',
      failed: 'The MP3 could not be made. Try again, or make it with this line and drop that:',
      too_large: `As an MP3 this recording has more than ${MAX_UPLOAD_SIZE}, the most that goes up. Cut it in parts and drop one after the other.`,
    },
  },

  pastRuns: {
    title: 'Past runs',
    none: 'No runs yet. The first one starts with a recording.',
    signIn: 'Sign in to see the runs of your workspace.',
    here: 'Kept in this browser',
    onService: 'On the service',
    more: 'More',
    states: {
      queued: 'Waiting',
      running: 'Running',
      completed: 'Done',
      blocked: 'Blocked',
      failed: 'Failed',
      cancelled: 'Cancelled',
    } as Record<string, string>,
    forget: (name: string) => `Forget ${name} in this browser`,
    loading: 'Loading…',
  },
};
