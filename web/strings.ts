/**
 * The texts of the app in one place, except the review's, which are next to it. Plain and short:
 * what happened, then what to do.
 */
import { MAX_UPLOAD_SIZE } from '../server/contract/limits.ts';
import { count, duration, megabytes, sentence, seconds } from './format.ts';

/** Texts by screen; those that depend on a value are functions of it. */
export const text = {
  name: 'Captioner',
  skip: 'Skip to the content',
  header: {
    start: 'New captions',
    pastRuns: 'Past runs',
    terms: 'Terms',
    signIn: 'Sign in',
    account: (email: string) => `Account ${email}`,
    signOut: 'Sign out',
    signOutAsk:
      'This browser keeps recordings, results and your corrections. Anyone who uses it can open them.',
    signOutHint: 'Data on the service is not affected.',
    signOutKeep: 'Sign out and keep them',
    signOutForget: 'Sign out and delete them',
    toDark: 'Dark colours',
    toLight: 'Light colours',
    guide: 'Guide',
  },
  offline: 'No connection to the service. Nothing is lost; reconnecting automatically.',
  wrong: 'Something went wrong on this page. Reload it; your changes are saved.',
  reload: 'Reload',
  cancel: 'Cancel',
  close: 'Close',
  back: 'Back',

  start: {
    title: 'Caption a talk',
    drop: 'Drop a talk here: video or audio',
    choose: 'or choose a file',
    hint: 'Your browser first makes a small MP3 of it. The original never leaves this computer.',
    mp3Hint: `MP3 files are uploaded unchanged. Up to ${MAX_UPLOAD_SIZE} of MP3: about three hours of speech.`,
    captionsHint:
      'Several files make a queue. To review captions you already have, drop the SRT, VTT, ASS or TTML file, with its recording or alone.',
    noCaptions: (name: string) => `No captions were found in ${name}.`,
    keepsNothing: 'This browser stores nothing, so these captions cannot be opened here.',
    sample: 'Try it with a sample',
    sampleHint: 'Half a minute of a talk, already captioned: nothing is uploaded, no sign-in.',
    letGo: 'Drop to use',
    another: 'Choose another file',
    file: 'Recording',
    nothing: 'Choose a recording first.',
    underWay: (name: string) => `${name} is still uploading.`,
    files: (files: number) => count(files, 'recording', 'recordings'),
    queueUnderWay: (left: number) => `${count(left, 'recording is', 'recordings are')} on the way.`,
    empty: (name: string) => `${name} is empty. Choose another.`,
    topic: 'Topic',
    topicHint: 'The subject of the talk. It selects the terms to recognise.',
    topicExample: 'MCP Night, agent auth',
    language: 'Language',
    make: 'Make captions',
  },
  terms: {
    title: 'Terms and packs',
    glossary: 'Glossary',
    glossaryHint: 'Names and terms as they should be spelled, one per line or separated by commas.',
    paste: 'Find terms in a text',
    packs: 'Packs',
    packsHint: 'Selected by your topic and glossary; tick one to force it.',
    packTerms: (terms: number) => count(terms, 'term', 'terms'),
    exclude: 'Leave out',
    excludeHint: 'Terms in the packs that do not occur in this talk.',
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
    auditNone: 'No audit: unchanged transcript',
    mode: 'Audit mode',
    modes: {
      publishable: 'Publishable: most careful',
      fast: 'Fast',
      experimental: 'Experimental',
    },
    names: {
      edge: 'On this server',
      deepgram: 'Deepgram',
      assemblyai: 'AssemblyAI',
      openai: 'OpenAI',
      groq: 'Groq',
      none: 'None',
    } as Record<string, string>,
    confidence: 'Minimum confidence for corrections',
  },
  format: {
    title: 'Caption format',
    maxLineChars: 'Characters per line',
    maxLines: 'Lines per caption',
    maxDuration: 'Longest caption, in seconds',
    minDuration: 'Shortest caption, in seconds',
    preview: 'Preview',
    previewSays: (cues: number, longest: number, lines: number) =>
      `${count(cues, 'caption', 'captions')} for this half minute; longest line ${longest}, at most ${count(lines, 'line', 'lines')}.`,
    sample:
      'Last night the team showed how an agent signs in for the first time. It reads one page, asks the person for a code, and from then on it has its own key, with no more rights than it needs. Nobody had to copy a secret from one window to another, and nobody had to wait.',
  },

  signIn: {
    title: 'Sign in',
    expired: 'Your key is no longer valid. Sign in again; nothing is lost.',
    why: 'We mail you a code. There is no password.',
    kept: 'Your file stays selected meanwhile.',
    email: 'Email address',
    send: 'Send the code',
    sending: 'Sending…',
    code: 'Code from the mail',
    codeSent: (email: string) =>
      `A six-digit code was mailed to ${email}. It is valid for ten minutes.`,
    codeWritten:
      'No mail server is configured: the mail is the newest file in the outbox folder of the service’s data.',
    digit: (at: number) => `Digit ${at} of 6`,
    checking: 'Checking…',
    keep: 'Stay signed in while Captioner is open in this browser',
    keepHint:
      'You are signed out when you close its last tab. Otherwise you are signed out when you leave or reload the page.',
    again: 'Use another address, or send a new code',
    problems: {
      invalid_email: 'This is not an email address. Check it and send again.',
      invalid_otp: 'Wrong code. Check the newest mail and try again.',
      too_many_attempts: 'Too many wrong codes. Request a new one.',
      claim_expired: 'This code has expired. Request a new one.',
      rate_limited: 'Too many codes were requested. Wait a while, then try again.',
      no_answer: 'No connection to the service. Try again.',
    } as Record<string, string>,
    problem: (message: string) => `Signing in failed. ${message}`,
  },

  run: {
    title: (name: string) => `Captions for ${name}`,
    untitled: 'Captions',
    making: 'Making MP3',
    made: 'Made MP3',
    madeNote: (length: number, bytes: number) =>
      `${duration(length)} of audio → ${megabytes(bytes)}`,
    makingNote: (done: number, length: number) => `${duration(done)} of ${duration(length)}`,
    uploading: 'Uploading',
    uploaded: 'Uploaded',
    uploadNote: (sent: number, bytes: number) => `${megabytes(sent)} of ${megabytes(bytes)}`,
    queued: 'Waiting in the queue',
    queuedBehind: (runs: number) =>
      runs === 0 ? 'It is next.' : `${count(runs, 'run', 'runs')} of yours ahead.`,
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
    heard: (done: number, length: number) => `${duration(done)} of ${duration(length)} transcribed`,
    heardTitle: 'Heard so far',
    heardNote: 'A preview, as it was heard. The captions come with terms corrected.',
    heardFirst: 'The first words have been heard.',
    heardUntil: (s: number) => `Heard so far: ${duration(s)}.`,
    percent: (part: number) => `${Math.floor(part * 100)} %`,
    left: (s: number) => `about ${duration(s)} left`,
    took: (ms: number) => seconds(ms / 1000),
    canClose: 'You can close this page: the run continues and is listed under Past runs.',
    stayHere: 'Keep this page open until the upload is done.',
    cancel: 'Cancel',
    cancelling: 'Cancelling…',
    cancelled: 'Cancelled',
    cancelledNote: 'The run was cancelled.',
    /** By the recording's status in the result. */
    recording: {
      deleted: 'Its recording was deleted on the service.',
      retained: 'Its recording is still on the service, as requested.',
      skipped: 'Its recording is still on the service and will be deleted when it expires.',
      failed: 'Its recording could not be deleted yet. The service keeps trying.',
    },
    startOver: 'Start over',
    failed: 'Captioning failed',
    failedAt: (stage: string) => `It failed at this stage: ${stage}.`,
    tryThis: 'Suggestions',
    again: 'Run it again',
    chooseFile: 'Choose the file',
    needFile: 'The recording is not stored here. Choose the file again to run it with this change.',
    blocked: 'Moderation blocked this',
    blockedWhy: (severity: string) =>
      `The transcript violates the content policy (severity: ${severity}).`,
    blockedWhere: 'Where in the recording',
    blockedAdvice:
      'Sending the same recording again does not help. Cut that part out, or ask the operator of this service.',
    signIn: 'Sign in to see this run.',
    notFound: 'This workspace has no such run, or the run has expired.',
    refused: (message: string) => `The service refused the request. ${message}`,
    conversion: {
      no_audio: 'This file has no audio. Choose another.',
      unreadable:
        'This file cannot be read as video or audio. It may be damaged, or a different kind of file.',
      codec_unsupported:
        'This browser cannot read the audio of this file. Convert it to MP3 with this command, then drop that:',
      failed: 'The MP3 could not be made. Try again, or make it with this command and drop that:',
      too_large: `As an MP3 this recording is larger than the limit of ${MAX_UPLOAD_SIZE}. Cut it into parts and drop them one after the other.`,
    },
  },

  pastRuns: {
    title: 'Past runs',
    none: 'No runs yet. Start one with a recording.',
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
    forget: (name: string) => `Delete ${name} from this browser`,
    loading: 'Loading…',
  },
};
