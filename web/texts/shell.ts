/** The texts of the first screen, and those that every screen needs. */
import { MAX_UPLOAD_SIZE } from '../../server/contract/limits.ts';
import { clock, count, duration, megabytes, sentence } from '../format.ts';

/** Texts by screen; those that depend on a value are functions of it. */
export const text = {
  name: 'Captioner',
  skip: 'Skip to content',
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
  loading: 'Loading…',
  reload: 'Reload',
  cancel: 'Cancel',
  close: 'Close',
  start: {
    title: 'Caption a talk',
    drop: 'Drop a talk here: video or audio',
    choose: 'or choose a file',
    hint: 'Your browser makes a small MP3 of it; the original never leaves this computer.',
    mp3Hint: `MP3 files are uploaded as they are, up to ${MAX_UPLOAD_SIZE}: about three hours of speech.`,
    captionsHint:
      'Several files are captioned in turn. Captions you already have (SRT, VTT, ASS, TTML) open for review.',
    noCaptions: (name: string) => `No captions were found in ${name}.`,
    keepsNothing:
      'This browser does not allow pages to store data, so these captions cannot be opened here.',
    sample: 'Try it with a sample',
    sampleName: 'Sample talk',
    sampleHint:
      'Half a minute of a talk, already captioned. Nothing is uploaded, and you do not need to sign in.',
    letGo: 'Drop it anywhere',
    another: 'Choose another file',
    nothing: 'Choose a recording first.',
    underWay: (name: string) => `${name} is still uploading.`,
    files: (files: number) => count(files, 'recording', 'recordings'),
    queueUnderWay: (left: number) =>
      `${count(left, 'recording is', 'recordings are')} still in progress.`,
    empty: (name: string) => `${name} is empty. Choose another.`,
    topic: 'Topic',
    topicHint: 'The subject of the talk. It selects the terms to recognise.',
    topicExample: 'MCP Night, agent auth',
    language: 'Language',
    make: 'Make captions',
  },
  terms: {
    glossary: 'Glossary',
    glossaryHint: 'Names and terms as they should be spelled, one per line or separated by commas.',
    paste: 'Find terms in a text',
    packs: 'Term packs',
    packsHint: 'Chosen by your topic and glossary. Tick a pack to use it regardless.',
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
    auditNone: 'No audit: the transcript stays unchanged',
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
  },
  run: {
    title: (name: string) => `Captions for ${name}`,
    untitled: 'Captions',
    madeNote: (length: number, bytes: number) =>
      `${duration(length)} of audio → ${megabytes(bytes)}`,
    makingNote: (done: number, length: number) => `${clock(done)} of ${clock(length)}`,
    uploadNote: (sent: number, bytes: number) => `${megabytes(sent)} of ${megabytes(bytes)}`,
    startOver: 'Start over',
    signIn: 'Sign in to see this run.',
    notFound: 'This workspace has no such run, or the run has expired.',
    refused: (message: string) => `The service refused the request. ${message}`,
  },
};
