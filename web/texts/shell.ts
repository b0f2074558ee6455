/** The texts of the first screen, and those that every screen needs. */
import { clock, count, megabyteFigure, megabytes, sentence } from './format.ts';
import { inLanguage, keyed } from './language.ts';

/** Texts by screen; those that depend on a value are functions of it. */
export const text = inLanguage('shell', {
  name: 'Captioner',
  skip: 'Skip to content',
  header: {
    start: 'New captions',
    pastRuns: 'Library',
    terms: 'Terms',
    settings: 'Settings',
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
    lead: 'Drop a recording. Get captions with the names right. Check them, then publish.',
    drop: 'Drop a video or audio file here',
    /** Where a finger points, which drops nothing. */
    dropless: 'A video or audio file',
    choose: 'Choose a file',
    hint: 'Only the sound is uploaded, as a small MP3. A video stays on this device, unless you add a small copy to the run later.',
    hintSound: 'It is uploaded as a small MP3.',
    sound: 'The sound',
    soundKeep:
      'Stays with the run until you finish it. You and your workspace hear it in any browser, and so do those to whom you send a link.',
    soundDelete: 'Is deleted as soon as it is transcribed. Only this browser can play it then.',
    own: 'Captions you already have',
    ownHint:
      'Files of SRT, VTT, ASS, TTML, STL, SCC and other formats open for review, alone or with their video. Drop them above.',
    noCaptions: (name: string) => `No captions were found in ${name}.`,
    keepsNothing:
      'This browser does not allow pages to store data, so these captions cannot be opened here.',
    sample: 'Try the sample',
    sampleName: 'Sample talk',
    sampleHint: 'Half a minute, already captioned. Nothing is uploaded; no account.',
    letGo: 'Drop it anywhere',
    another: 'Choose another file',
    underWay: (name: string) => `${name} is still uploading.`,
    files: (files: number) => count(files, 'recording', 'recordings'),
    queueUnderWay: (left: number) =>
      `${count(left, 'recording is', 'recordings are')} still in progress.`,
    empty: (name: string) => `${name} is empty. Choose another.`,
    topic: 'What is it about?',
    topicHint: 'Names and terms of the subject are then recognised.',
    topicExample: 'MCP Night, agent auth',
    language: 'Language',
    detect: 'Detect language',
    speakers: 'People who speak',
    findSpeakers: 'Find out by voice',
    make: 'Make captions',
    more: 'More settings',
  },
  terms: {
    glossary: 'Glossary',
    glossaryHint: 'Names and terms as they should be spelled, one per line or separated by commas.',
    paste: 'Find names in a text or file',
    packs: 'Term packs',
    packsHint:
      'Chosen by your topic and glossary, and by what is said. Tick a pack to use it regardless.',
    packTerms: (terms: number) => count(terms, 'term', 'terms'),
    exclude: 'Leave out',
    excludeHint: 'Terms in the packs that do not occur in this talk.',
  },
  provider: {
    title: 'Recogniser and corrections',
    speech: 'Recogniser',
    about: (model: string, limits: string) =>
      [`Model: ${model}`, limits]
        .filter((said) => said !== '')
        .map(sentence)
        .join(' '),
    audit: 'Who corrects names and terms',
    auditAutomatic: 'Automatic',
    auditNone: 'Nobody: the words stay as heard',
    mode: 'How carefully',
    modes: {
      publishable: 'Ready to publish: most careful',
      fast: 'Fast',
      experimental: 'Experimental',
    },
    names: keyed({
      edge: 'On this server',
      apertium: 'Apertium, by rules',
      deepgram: 'Deepgram',
      deepl: 'DeepL',
      google: 'Google',
      libretranslate: 'LibreTranslate',
      assemblyai: 'AssemblyAI',
      openai: 'OpenAI',
      groq: 'Groq',
      none: 'None',
    }),
    confidence: 'Correct only if at least this sure (0 to 1)',
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
    makingNote: (done: number, length: number) => `${clock(done)} of ${clock(length)}`,
    uploadNote: (sent: number, bytes: number) => `${megabyteFigure(sent)} of ${megabytes(bytes)}`,
    startOver: 'Start over',
    signIn: 'Sign in to see this run.',
    notFound: 'This workspace has no such run, or the run has expired.',
    refused: (message: string) => `The service refused the request. ${message}`,
  },
});
