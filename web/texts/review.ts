/** The texts of the review that are needed as soon as it opens. */
import { apart, count, formatSign, keyNames, seconds, signed } from './format.ts';
import { inLanguage, keyed } from './language.ts';
import { text as shell } from './shell.ts';

/** The labels of the playback buttons, by the name of their command. */
export const transportKeys = inLanguage('transportKeys', {
  play: 'Play or pause',
  back5: 'Back 5 seconds',
  back1: 'Back 1 second',
  on1: 'Forward 1 second',
  on5: 'Forward 5 seconds',
  replay: 'Play this caption',
  loop: 'Loop this caption, on or off',
  patient: 'Pause while I type, on or off',
});

const review = inLanguage('review', {
  title: (name: string) => name.replace(/\.\w{1,5}$/, ''),
  loading: 'Loading the captions…',
  noneYet: 'No captions yet.',
  firstCaption: 'Write the first caption here',
  restored: (changes: number) => `Your ${count(changes, 'change was', 'changes were')} restored.`,
  overlaps: (captions: number) =>
    `${count(captions, 'caption overlaps', 'captions overlap')} the next. The times are as in the file; see Warnings.`,
  dropped: 'Some earlier changes no longer apply and were left out.',
  player: 'Recording',
  play: 'Play',
  pause: 'Pause',
  rate: 'Speed',
  seek: 'Position',
  mute: 'Mute',
  unmute: 'Unmute',
  fullScreen: 'Full screen',
  openMedia: 'Open the recording',
  openVideo: 'Open the video',
  opened: (name: string) => `Opened ${name}.`,
  noMedia: 'Open the recording to hear it here. It stays on this device.',
  notHere: (name: string) =>
    `No sound stays with this run: it was deleted after its transcription, or when the review was finished. Open “${shortened(name)}” to hear it here.`,
  signInToHear: (name: string) =>
    `Sign in to hear the sound that stays with this run, or open “${shortened(name)}”.`,
  notSent: (name: string) =>
    `No sound: the recording was not sent with this link. Open “${shortened(name)}” if you have it, or ask whoever sent the link.`,
  arriving: (fraction: number) => `Loading the recording: ${Math.round(fraction * 100)}%`,
  mediaFails: 'This browser cannot play this file. Open another format of it, such as MP3.',
  waveform: 'Timeline: click to go there, drag captions and their edges to change times',
  waveformLoading: 'Reading the audio…',
  waveformNone: 'No waveform: the audio of this file cannot be read here.',
  splitters: {
    columns: 'Width of the recording and the captions. Enter for the usual.',
    picture: 'Height of the picture. Enter for the usual.',
    timeLine: 'Height of the timeline. Enter for the usual.',
  },
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  cues: 'Captions',
  cue: (at: number) => `Caption ${at}`,
  goTo: (at: number) => `Caption ${at}: play from here`,
  cueText: (at: number) => `Text of caption ${at}`,
  cueStart: (at: number) => `Start of caption ${at}`,
  cueEnd: (at: number) => `End of caption ${at}`,
  start: 'Start',
  both: 'Both',
  end: 'End',
  earlier: 'Earlier by 0.1 s',
  later: 'Later by 0.1 s',
  startEarlier: 'Start 0.1 s earlier',
  startLater: 'Start 0.1 s later',
  endEarlier: 'End 0.1 s earlier',
  endLater: 'End 0.1 s later',
  startHere: 'Start at the playhead',
  endHere: 'End at the playhead',
  badTime: 'Enter a time as 12.5, 0:13 or 00:01:02,500.',
  badTimeCode: (first: string) => `Enter a time as 12.5, 0:13 or time code from ${first} on.`,
  speed: (cps: number) => `${Math.round(cps)} cps`,
  lengths: (lengths: readonly number[]) => lengths.join(' · '),
  flags: keyed({
    duration_below_minimum: 'too short',
    duration_above_maximum: 'too long',
    line_count_above_maximum: 'too many lines',
    line_length_above_maximum: 'line too long',
    reading_speed_high: 'reads too fast',
    dangling_line_break: 'awkward break',
    overlaps_next: 'overlaps the next',
  }),
  fix: 'Fix',
  noFix: 'Fix this caption yourself.',
  split: 'Split',
  merge: 'Merge',
  insert: 'Insert',
  delete: 'Delete',
  shift: 'Shift',
  wordBack: 'Word to previous caption',
  wordOn: 'Word to next caption',
  closeGap: 'Close gap to next caption',
  lines: 'Re-break lines',
  more: 'More',
  undo: 'Undo',
  redo: 'Redo',
  find: 'Find',
  compare: 'Compare',
  transcript: 'Transcript',
  translate: 'Translate…',
  keys: 'Shortcuts',
  download: 'Download SRT',
  downloadAs: 'Download as another format',
  downloadIn: (format: string) =>
    format === 'csv'
      ? 'Download the report as CSV'
      : format === 'html'
        ? 'Download the report to print'
        : `Download ${formatSign(format)}`,
  karaoke: (format: string) => `Download ${format} as karaoke`,
  notLoaded: 'This part could not be loaded. Try again once you are online.',
  copySrt: 'Copy SRT',
  share: 'Ask for comments…',
  work: 'Versions and approval…',
  burn: 'Video with captions…',
  addVideo: 'Add a small video to the run…',
  copied: 'SRT copied to the clipboard.',
  notCopied: 'The browser did not allow copying. Download the file instead.',
  downloaded: (name: string) => `Downloaded ${name}.`,
  did: keyed({
    text: 'Text changed',
    times: 'Times changed',
    split: 'Split',
    merge: 'Merged',
    insert: 'Inserted',
    sound: 'Sound described',
    delete: 'Deleted',
    shift: 'Shifted',
    word: 'Word moved',
    lines: 'Lines re-broken',
    italics: 'Italics changed',
    fix: 'Fixed',
    replace: 'Replaced',
    sure: 'Marked as correct',
    nothing: 'Marked: nothing is missing',
    speaker: 'Speaker changed',
    speakerName: 'Speaker renamed',
    place: 'Position changed',
    rebuild: 'Captions rebuilt',
    script: 'Script aligned',
    accept: 'Accepted',
    reject: 'Rejected',
    pack: 'Pack used again',
    noPack: 'Pack not used',
    colleague: 'A colleague’s changes',
    version: 'Earlier version brought back',
  }),
  undone: (what: string) => `Undid “${what}”.`,
  redone: (what: string) => `Redid “${what}”.`,
  cannot: 'That is not possible here.',
  linesRight: 'These line breaks are already right.',
  moveLimits: {
    previous: (before: number, limit: string) =>
      `Caption ${before} would be too short. Earliest start: ${limit}.`,
    next: (after: number, limit: string) =>
      `Caption ${after} would be too short. Latest end: ${limit}.`,
    moved: (neighbour: number, limit: number) =>
      limit === 0
        ? `Caption ${neighbour} is already as short as possible.`
        : `Caption ${neighbour} would be too short. ${signed(limit)} s is the limit here.`,
    own: 'A caption must end after it starts.',
    stays: (neighbour: number) => `Caption ${neighbour} begins or ends there and does not move.`,
    many: (limit: number) =>
      limit === 0
        ? 'Captions that are not selected are in the way.'
        : `Captions that are not selected are in the way: ${signed(limit)} s is the limit.`,
    clock:
      'A caption starts at 00:00:00,000 at the earliest and ends at 99:59:59,999 at the latest.',
  },
  noRoom: 'There is no room: the captions on both sides are already as short as possible.',
  elsewhere: 'This review is being edited in another tab. Choose “Edit here” first.',
  readOnly: 'You can read this review, but not change it.',
  current: (at: number) => `Caption ${at}`,
  tabs: {
    label: 'Side panel',
    comments: (open: number) => (open === 0 ? 'Comments' : `Comments (${open})`),
    speakers: 'Speakers',
    terms: (found: number) => `Terms (${found})`,
    warnings: (found: number) => `Warnings (${found})`,
    doubts: (found: number) => `Doubts (${found})`,
    /** How the captions fit their limits, and how well they were heard. */
    report: 'Quality',
  },
  termGone: 'These words are no longer in the captions. Fix this caption yourself.',
  warning: {
    duration_below_minimum: (is: number, limit: number) =>
      `Shown for ${apart(is, limit)} s; ${limit} s is the minimum.`,
    duration_above_maximum: (is: number, limit: number) =>
      `Shown for ${apart(is, limit)} s; ${limit} s is the maximum.`,
    line_count_above_maximum: (is: number, limit: number) =>
      `Has ${count(is, 'line', 'lines')}; ${limit} is the maximum.`,
    line_length_above_maximum: (is: number, limit: number) =>
      `A line of ${is} characters; ${limit} is the maximum.`,
    reading_speed_high: (is: number, limit: number) =>
      `${apart(is, limit, 0)} characters a second to read; ${limit} is comfortable.`,
    dangling_line_break: () => 'A line ends in a small word that belongs on the next line.',
    overlaps_next: (is: number) => `Overlaps the next caption by ${apart(is, 0)} s.`,
  },
  replaced: (times: number) => `Replaced ${count(times, 'time', 'times')}.`,
  leftTerms: (left: number) => count(left, 'term', 'terms'),
  leftDoubts: (left: number) => count(left, 'doubt', 'doubts'),
  leftWarnings: (left: number) => count(left, 'format warning', 'format warnings'),
  done: 'Done: nothing is left to check.',
  tools: 'Tools',
  toolGroups: { edit: 'Captions', time: 'Times', history: 'History', find: 'Find' },
  grid: 'Dense grid',
  retime: 'Change all times…',
  frames: 'Frames and time code…',
  transport: 'Playback',
  timeButtons: 'Caption times',
  selected: (captions: number) => `${count(captions, 'caption', 'captions')} selected`,
  findingShots: 'Looking for shot changes…',
  foundShots: (shots: number) => `Found ${count(shots, 'shot change', 'shot changes')}.`,
  noShots: 'Open the video first: shot changes are detected in the picture.',
  shotsSoFar: (fraction: number) => `Looking for shot changes: ${Math.floor(fraction * 100)}%`,
  rateNow: (rate: number) => `Playing at ${rate}×.`,
  loopOn: 'Looping this caption.',
  loopOff: 'No longer looping.',
  unheardHere: (length: number) =>
    `Sound without captions for ${seconds(length)}. Play it: speech may be missing.`,
  /** On the timeline. */
  unheard: 'No captions',
  noneLeft: 'Nothing of this kind is left to check.',
  wrapped: (isOn: boolean) =>
    isOn ? 'Back at the first: no more after that one.' : 'At the last: none before that one.',
  nothingToDecide: 'There is no open term or doubtful word here.',
  notTogether: 'Only adjacent captions can be merged.',
  noneToFix: 'Nothing here can be fixed automatically.',
  fixedMany: (captions: number) => `Fixed ${count(captions, 'caption', 'captions')}.`,
  deletedMany: (captions: number) => `Deleted ${count(captions, 'caption', 'captions')}.`,
  in: 'In',
  out: 'Out',
  inHere: 'In: start at the playhead',
  outHere: 'Out: end at the playhead',
  sooner: 'Earlier',
  laterShort: 'Later',
  timing: 'Timing',
  modes: {
    push: 'Neighbours make room',
    roll: 'Roll: both sides of a cut move together',
    ripple: 'Ripple: all later captions move too',
    free: 'Free: no other caption moves',
  },
  timingOptions: {
    seekSelects: 'Select the caption at the playhead when seeking',
    snapSpeech: 'Snap to speech',
    snapShots: 'Snap to shot changes',
    snapFrames: 'Snap to frames',
    snapNeighbours: 'Snap to neighbours while dragging',
  },
  italics: 'Italics',
  selectAll: 'Select all captions',
  /** The name of a speaker that the recogniser distinguished and nobody has named. */
  unnamedSpeaker: (at: number) => `Speaker ${at}`,
  noSuchSpeaker: (at: number) => `There is no speaker ${at} yet. Add one under Speakers.`,
  rebuild: 'Rebuild captions…',
  script: 'Align a script…',
  commands: 'Commands',
  cueSelected: (at: number) => `Caption ${at}, selected`,
  goToHint: (at: number) =>
    keyNames(`Caption ${at}: play from here. Hold Shift or Ctrl to select captions.`),
});

/** The texts of the app, including those of the review. */
export const text = { ...shell, review };

/** A name that is too long for a sentence, cut. */
function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
