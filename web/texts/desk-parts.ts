/**
 * The texts of the parts of the desk that are loaded when they are first shown, and of the panels beside the captions.
 */
import { count, keyNames } from './format.ts';
import { inLanguage } from './language.ts';

/** They are loaded with its dialog. */
export const compare = inLanguage('compare', {
  compareTitle: 'Compared with the original',
  compareNone: 'No changes.',
  compareCount: (places: number) => `Changed in ${count(places, 'place', 'places')}.`,
  compareTimes: 'timing changed',
  compareItalics: 'italics changed',
});

/** Texts of the overview. */
export const overviewText = inLanguage('overviewText', {
  label: 'The whole talk. Ticks, from top to bottom: open terms, doubtful words, warnings.',
});

/** They are loaded with the transcript. */
export const transcriptText = inLanguage('transcriptText', {
  label: 'Transcript',
  paragraph: (time: string) => `Paragraph at ${time}`,
  playFrom: (time: string) => `Play from ${time}`,
  tools: 'Selected words',
  hint: 'Press a word to play from there. Select words to make them a term, or a caption of their own.',
  term: 'Make a term',
  caption: 'Make a caption',
  speaker: 'Spoken by…',
  made: (term: string) => `“${term}” was added to the terms of your workspace.`,
});

/** They are loaded with the form. */
export const shift = inLanguage('shift', {
  badShift: 'Enter seconds as 0.5 or -0.5.',
  shiftAsk: 'Shift this and all following captions by (seconds)',
  shiftSelected: (captions: number) => `Shift the ${captions} selected captions by (seconds)`,
  shiftDo: 'Shift',
});

/** Texts about files that cannot be opened. */
export const droppedText = inLanguage('droppedText', {
  notMedia: (name: string) => `${name} is neither a recording nor captions.`,
});

/** They are loaded with the bar. */
export const find = inLanguage('find', {
  findLabel: 'Find',
  replaceLabel: 'Replace with',
  replace: 'Replace',
  replaceAll: 'Replace all',
  remember: 'Replace all and remember',
  remembered: (mishear: string, term: string) =>
    `“${mishear}” → “${term}” was added to the terms of your workspace.`,
  rememberHint: keyNames(
    'Also adds the replacement to the terms of your workspace, for future talks (Ctrl+Alt+Shift+Enter)',
  ),
  regex: 'Regular expression',
  wrongExpression: 'Not a valid expression',
  tried: {
    trying: 'Searching…',
    slow: 'This expression takes too long.',
  },
  matchCase: 'Match case',
  wholeWord: 'Whole words',
  matches: (at: number, all: number) => (all === 0 ? 'Not found' : `${at} of ${all}`),
});

/** They are loaded with the panel. */
export const speakersText = inLanguage('speakersText', {
  hint: 'VTT, ASS, TTML and plain text files name the speakers.',
  none: 'No speakers yet. Add the speaker of the current caption or of the selected ones.',
  name: (name: string) => `Name of ${name}`,
  captions: (captions: number) => count(captions, 'caption', 'captions'),
  give: (target: string) => `Speaks in ${target}`,
  giveLabel: (name: string, target: string) => `${name} speaks in ${target}`,
  current: (at: number) => `caption ${at}`,
  selected: (captions: number) => `the ${captions} selected`,
  turn: 'The whole turn, from one change of speaker to the next',
  turnTarget: (from: number, to: number) => `captions ${from} to ${to}`,
  same: (name: string) => `${name} is the same as`,
  splitHere: (name: string) => `From the current caption on, ${name} is somebody else`,
  says: (name: string) => `Everything ${name} says`,
  saysMore: (captions: number) => `and ${count(captions, 'more caption', 'more captions')}`,
  proposals: 'Who may this be?',
  proposal: (speaker: string, name: string, turns: number) =>
    `${speaker}: ${name}? By the voice, in ${count(turns, 'turn', 'turns')}.`,
  play: (speaker: string) => `Play ${speaker}`,
  confirm: (name: string) => `Yes, ${name}`,
  refuse: (name: string) => `Not ${name}`,
  add: 'Another speaker',
  addDo: 'Add',
  nobody: 'Nobody',
  lines: (at: number) => `Line by line, caption ${at}`,
  line: (at: number) => `Line ${at}`,
  place: 'Place in the picture',
  height: 'Height',
  bottom: 'Bottom',
  middle: 'Middle',
  top: 'Top',
  side: 'Side',
  left: 'Left',
  centre: 'Centre',
  right: 'Right',
});

/** They are loaded with these parts. */
export const phone = inLanguage('phone', {
  editCaption: (at: number) => `Caption ${at}: edit its text`,
  parts: { captions: 'Captions', check: 'Check', sound: 'Sound', tools: 'Tools' },
  phoneBar: 'Parts of the review',
  ready: 'Done',
});

/** They are loaded with the panels. */
export const panels = inLanguage('panels', {
  termsNone: 'No terms were corrected, and none need review.',
  termsHint: 'Heard → meant. Each is asked about once for the whole talk.',
  accept: 'Accept',
  reject: 'Reject',
  acceptLabel: (before: string, after: string, time: string) =>
    `Accept: ${before} becomes ${after}, at ${time}`,
  rejectLabel: (before: string, after: string, time: string) =>
    `Reject: ${before} stays, not ${after}, at ${time}`,
  acceptAll: (times: number) => `Accept all ${times}`,
  acceptAllLabel: (heard: string, meant: string, times: number) =>
    `Accept all ${times}: ${heard} becomes ${meant}`,
  /** Beside the sign that accepts one. */
  acceptEach: (times: number) => `All ${times}`,
  never: 'Never',
  neverLabel: (heard: string, meant: string) => `Never: ${heard} stays everywhere, not ${meant}`,
  neverHint: (heard: string) =>
    `Leave “${heard}” everywhere; later talks learn it when the review is finished`,
  packUsed: (title: string, heard: readonly string[], places: number) =>
    `The term pack ${title} was used because the talk speaks of ${heard.slice(0, 5).join(', ')}. ${places === 0 ? 'It changed nothing.' : `${count(places, 'place depends', 'places depend')} on it.`}`,
  packUndone: (title: string) => `The term pack ${title} is not used for this talk.`,
  packUndo: 'Do without it',
  packUndoLabel: (title: string) => `Do without it: the term pack ${title}`,
  packRedo: 'Use it again',
  packRedoLabel: (title: string) => `Use the term pack ${title} again`,
  termTimes: (times: number) => count(times, 'place', 'places'),
  termPlace: (time: string) => `Go to ${time}`,
  decisions: { accepted: 'accepted', rejected: 'rejected', open: 'to review' },
  confidence: (value: number) => `${Math.round(value * 100)}% sure`,
  warningsNone: 'No warnings: every caption is within its limits.',
  next: 'Next',
  previous: 'Previous',
  score: 'Format',
  scoreNote:
    'The format score measures whether the captions are within their limits. It says nothing about misheard words.',
  reportDoubt: 'Words',
  reportHearing: 'Hearing',
  reportRules: 'Checked against',
  reportCues: 'Captions',
  reportLongest: 'Longest line',
  reportFastest: 'Fastest',
  reportWarnings: 'Warnings',
  reportLength: 'Length',
  reportBy: 'Transcribed by',
  reportTerms: 'Terms corrected',
  reportOffers: 'Terms to decide',
  reportTook: 'Time taken',
  reportCps: (value: number) => `${value.toFixed(1)} characters a second`,
  reportChars: (value: number, most: number) => `${value} of ${most} characters`,
  chart: 'Reading speed over time',
  chartNote: (limit: number) => `Up to ${limit} characters a second are comfortable.`,
  fixEverything: 'Fix everything that can safely be fixed',
  unheard: (stretches: number) => `Sound without captions (${stretches.toLocaleString('en')})`,
  unheardHint: 'Play these: speech may be missing, or it is music, laughter or applause.',
  stretch: (from: string, to: string) => `${from} to ${to}`,
  playStretch: (stretch: string) => `Play ${stretch}`,
  captionStretch: (stretch: string) => `Insert a caption at ${stretch}`,
  captionIt: 'Insert a caption here and play it',
  nothingMissing: (stretch: string) => `Nothing is missing at ${stretch}`,
  nothingMissingShort: 'Nothing is missing',
  uncertain: (turns: number) => `Uncertain speakers (${turns.toLocaleString('en')})`,
  uncertainHint: 'Play these, and change the speaker if somebody else speaks.',
  speakerRight: 'The speaker is right',
  speakerRightLabel: (stretch: string) => `The speaker is right: ${stretch}`,
  doubtsUnknown: 'The recogniser reported no confidence for its words.',
  doubtLevel: 'Mark words with a confidence below',
  doubtsNone: 'No word is in doubt.',
  doubtsMore: (left: number) => `And ${left.toLocaleString('en')} more.`,
  sure: 'It is correct',
  sureLabel: (word: string) => `“${word}” is correct`,
  sureAll: (times: number) => `All ${times} are correct`,
  playWords: (words: string, time: string) => `Play “${words}”, at ${time}`,
  playWordsShort: 'Play it',
  percent: (value: number) => `${Math.round(value * 100)}%`,
});
