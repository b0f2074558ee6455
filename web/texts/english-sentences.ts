/** The sentences that the program makes in English, and how those of another language are made of their values. */
import { languageName, number, sentence } from './format.ts';

/** The sentences; `*` stands for a value. Of two that fit, the first counts. */
const SENTENCES = {
  givenName: '"*" sounds like *, which was given for this talk.',
  soundsLike: '"*" sounds like *.',
  mishearing: '"*" is a known mishearing of *.',
  doubtedSubject:
    '"*" is ordinary English but was recognised with low confidence, and * belongs to the subject of the talk.',
  ordinaryNear: '"*" is ordinary English and may be *: "*" is nearby.',
  doubtedNear: '"*" was recognised with low confidence and is *: "*" is nearby.',
  orLetters: '"*" may be * or a list of letters.',
  orLetter: '"*" may be * or a letter next to a word.',
  orWords: '"*" may be the name * or ordinary words.',
  elsewhere: '"*" is the name *, which was said elsewhere too.',
  ofSubject: '"*" is the name *, which belongs to the subject of the talk.',
  nameNear: '"*" is the name *: * is nearby.',
  near: '"*" is *: "*" is nearby.',
  written: '"*" is written *.',
  modelReads: 'A language model reads "*" as *.',
  lineLength: 'has a line of * characters; at most *',
  lineCount: 'has * lines; at most *',
  noDashes: 'has two speakers without the dashes of its language',
  notTwoLines: 'has two speakers, but not two lines',
  speakers: 'has * speakers',
  tooShort: 'is shown for *; at least *',
  tooLong: 'is shown for *; at most *',
  characters: 'reads at * characters a second; at most *',
  words: 'reads at * words a minute; at most *',
  overlaps: 'overlaps the next caption by *',
  noGap: 'leaves no gap before the next caption; at least *',
  gap: 'leaves a gap of * before the next caption; at least *',
  gapOrNone: 'leaves a gap of * before the next caption; none, or at least *',
  gapOr: 'leaves a gap of * before the next caption; *, or at least *',
  offFrames: 'does not begin and end on frames',
  beginsBefore: 'begins * before a shot change',
  beginsAfter: 'begins * after a shot change',
  endsBefore: 'ends * before a shot change',
  endsAfter: 'ends * after a shot change',
  adults: '*, for adults',
  children: '*, for children',
  partsLost: 'The file of * does not hold the * of *.',
  onlyBottom: 'iTT has captions at the top and at the bottom only: it is at the bottom.',
  sccRate: 'SCC has 29.97 frames a second: times are those of that rate, not of *.',
  stlRate: 'EBU-STL has no * frames a second: times are those of * frames a second.',
  stlFew: 'EBU-STL is defined for 25 and 30 frames a second; not every program reads *.',
  late: 'It appears * s late: its words take that long to send.',
  rows: 'It has * rows; decoders show *.',
  rowCut: 'A row of * characters is longer than the * that fit: its end is lost.',
  rowLong: 'A row of * characters is longer than the * that fit.',
  plainLetters: 'CEA-608 has no *: plain letters or question marks are written instead.',
  questionMarks: 'EBU-STL has no *: question marks are written instead.',
  notWritten: 'It is not written: the time code of EBU-STL ends at 23:59:59.',
  colourSpace: 'A colour that begins within a word gets a space before it.',
  textCut: 'Its text is longer than EBU-STL holds, and is cut off.',
  unsureRough: '* of * words unsure (rough fallback engine)',
  unsure: '* of * words unsure',
  noConfidenceRough: '* words, the engine reports no confidence (rough fallback engine)',
  noConfidence: '* words, the engine reports no confidence',
  wrong: 'About * % of the words are probably wrong (* to * %).',
  worst: 'Heard worst from *.',
  noWords: '* % of the speech has no words.',
  spoken: '* is spoken from *, and was recognised as that.',
  notLikeUnsure: 'This does not sound like *: * % of the words are unsure.',
  notLike: 'This does not sound like *.',
  partNotLikeUnsure: 'What is said from * does not sound like *: * % of the words are unsure.',
  partNotLike: 'What is said from * does not sound like *.',
  soundsAs: 'It sounds like *.',
  noTimesAbove: 'there are no times above it',
  captionWithoutTimes: 'its caption has no times that can be read',
  captionTimesInvalid: 'its caption has no valid times',
  timesUnread: 'its times cannot be read',
  timeUnread: 'its time cannot be read',
  noTime: 'it has no time',
  timesOrTextUnread: 'its times or its text cannot be read',
  timeCodeUnread: 'its time code cannot be read',
  timeCodeOrWordsUnread: 'its time code or its words cannot be read',
  timeCodeOfOtherRate: 'its time code is not one of * frames',
  framesUnread: 'its frames cannot be read',
  notWebVtt: 'its times are not those of WebVTT',
  beforeRecording: 'it is over before the recording begins',
  captionBeforeRecording: 'its caption is over before the recording begins',
  overBeforeBeginning: 'it is over before the beginning',
  beforeBeginning: 'it is before the beginning',
  beforeAbove: 'it is over before the subtitle above it',
  endsFirst: 'it ends before it begins',
  endsFirstButShown: 'it ends before it begins: it is shown until the next',
  outsideClock: 'its times are before the beginning, or after 99:59:59,999',
  xmlDamaged: 'the file is damaged: <*> is not closed before it',
  jsonDamaged: 'the JSON is damaged: what follows may be missing',
  blockIncomplete: 'its block is not complete',
  lastIncomplete: 'the last subtitle is not complete',
  notWhole: 'it is no whole caption',
  noSetting: 'it is no setting',
  noEvent: 'it is no event',
  isComment: 'it is a comment',
  notDisplayed: 'it is not displayed',
  switchedOff: 'it is switched off',
  lastsNoTime: 'it lasts no time in its sequence',
  afterTextEnd: 'it is after the end of its text',
  aboveTimes: 'it stands above the times of a caption',
  inNoCaption: 'it is in no caption',
  moreOften: 'the file has it more often than its captions',
  otherChannel: 'it is of another channel than the first',
  otherLanguage: 'it is of another language than the first',
  otherText: 'its text is not that of its lines',
  noKnownText: 'it has no text by a name that is known',
  partNoText: 'a part of it is no text of a caption',
  partInTags: 'a part of it is in tags that are not known',
  partInMarkup: 'a part of it is in markup that is not known',
  partInBlocks: 'a part of it is in blocks that are not known',
  afterWords: 'it is after the first * words',
  textWithoutTimes:
    'the text has no times: its captions follow one another at * characters a second',
  framesRead: 'its times have frames, which are read as * a second',
  timeIgnored: 'its * is no time, and is ignored',
  headDamaged: 'bytes of its head *: its rate, rows and language may be others',
  notShown: 'the editor does not show the * of * of its captions; downloads keep them',
  singleWords: 'Its * of single words are lost: a line has one look.',
  countsDropped:
    'EBU-STL does not say that no numbers are dropped: most programs count as if they were.',
  reportTooLong: 'It is too long for a report.',
  notJson: 'It is not JSON.',
  notSigned: 'It is not a signed report.',
  reformatted: 'It is not written as the service writes it: it was changed, or reformatted.',
  signatureUnknown: 'Its signature is not one that this program knows.',
  noEd25519: 'Its signature cannot be checked here: Ed25519 is not known.',
  signatureWrong: 'Its signature does not fit: the report was changed.',
  reportUnknown: 'It is signed, but no report on captions that is known here.',
  offersMore: '* → *, * places: * and * more',
  offers: '* → *, * places: *',
  offer: '* → *, 1 place: *',
  limitsTogether: 'at most * key terms of * tokens together; the recording is sent in one piece',
  limitsWords: 'key terms of at most * words; the recording is sent in one piece',
  limitsPieces: 'key terms of * tokens in total; the recording is sent in pieces of chunkBytes',
  limitsHere:
    'Moonshine, Whisper and small transducers listen for key terms; the audit uses them with every model; nothing leaves this host',
  packIdentity: 'Identity and authentication',
  packIdentityAbout: 'Authentication, authorization and identity-federation vocabulary.',
  packAgents: 'AI agents',
  packAgentsAbout: 'LLM agents, models, evaluation and developer tooling.',
  packSaasAbout:
    'Selling and operating multi-tenant software for companies (enterprise readiness, metrics, compliance).',
  packNightAbout:
    'Community evening with talks and demos about the Model Context Protocol, agents and agent auth.',
  packProtocolAbout:
    'Open protocol that connects AI applications to tools and data through MCP servers (JSON-RPC 2.0, stdio and Streamable HTTP).',
  packCloudflareAbout: 'Cloudflare developer platform names.',
  packWorkosAbout:
    'WorkOS products and vocabulary (AuthKit, SSO, Directory Sync, Radar, FGA, Vault, Admin Portal).',
  profileNotJson: 'The file is not JSON.',
  profileFormat: 'The file is not a profile: its "format" must be "*".',
  profileOrder: 'minDuration must be at most maxDuration, which is *',
  profileWhole: '* must be a whole number from * to *',
  profileNumberOrNull: '* must be a number from * to *, or null',
  profileNumber: '* must be a number from * to *',
  profileObjectOrNull: '* must be an object with *, or null',
  profileObject: '* must be an object with *',
  profileText: '* must be a text of 1 to * characters in one line',
  profileMissing: '* is missing',
  profileUnknown: '* is not a known field',
  profileOneOf: '* must be *',
} as const;

/** A value for each `*`. */
type Values<Sentence extends string> = Sentence extends `${string}*${infer Rest}`
  ? [value: string, ...Values<Rest>]
  : [];

/** The sentences of a language, whole ones, of the same values. */
type Sentences = {
  readonly [Name in keyof typeof SENTENCES]: (
    ...values: Values<(typeof SENTENCES)[Name]>
  ) => string;
};

/** What stands among the values. */
interface Words {
  /** A number of frames. */
  readonly frames: (count: number) => string;
  /** The parts of captions that a file may lack, by their English names. */
  readonly parts: Readonly<Record<(typeof PARTS)[number], string>>;
  /** A number of captions. */
  readonly captions: (count: number) => string;
}

const PARTS = [
  'italics',
  'colours',
  'names of speakers',
  'positions',
  'exact rows',
  'columns (vertical text)',
  'readings beside characters',
  'dots of emphasis',
  'times of words',
] as const;

/**
 * What is said in a language for the sentences in English; one that is not known stays in English.
 * @param around puts marks around a value, which may be of another direction
 */
export function saidIn(
  sentences: Sentences,
  words: Words,
  around = (value: string): string => value,
): { sentence: (english: string) => string; violation: (english: string) => string } {
  const find = (english: string): string | null => {
    for (const [name, template] of Object.entries(SENTENCES)) {
      const values =
        valuesOf(template, english, 'lastIndexOf') ?? valuesOf(template, english, 'indexOf');
      if (!values) continue;
      const say: (...said: string[]) => string = sentences[name as keyof Sentences];
      return say(...values.map((value) => around(valueIn(value, words))));
    }
    return null;
  };
  return {
    sentence: (english) => find(english) ?? around(english),
    violation: (english) => find(english) ?? around(sentence(english)),
  };
}

/** The values of a sentence by its template; null if it is another sentence. @param find a value may contain what is between them */
function valuesOf(
  template: string,
  said: string,
  find: 'indexOf' | 'lastIndexOf',
): string[] | null {
  const [first = '', ...others] = template.split('*');
  if (others.length === 0) return said === template ? [] : null;
  if (!said.startsWith(first)) return null;
  const values: string[] = [];
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = index === others.length - 1;
    const end = isLast
      ? said.length - part.length
      : said[find](part, find === 'indexOf' ? at : said.length);
    if (end < at || !said.startsWith(part, end)) return null;
    values.push(said.slice(at, end));
    at = end + part.length;
  }
  return values;
}

/** The languages that the program names, which it does in English. */
const SPOKEN =
  'en de fr es pt it nl pl ja zh ko ar ru uk tr sv da no fi cs hu ro el he hi id vi th ca'.split(
    ' ',
  );
const ENGLISH_NAMES = new Intl.DisplayNames(['en'], { type: 'language' });

/** A value with its figures, units and words in the language. */
function valueIn(value: string, { frames, parts, captions }: Words): string {
  const part = PARTS.find((name) => name === value);
  if (part) return parts[part];
  if (value === 'one caption') return captions(1);
  if (value.startsWith('"') && value.endsWith('"'))
    return value.slice(1, -1).replaceAll('" or "', ' / ');
  if (value.startsWith('{')) return value.replaceAll('} or {', '} / {');
  if (/\d to \d/.test(value))
    return value.replaceAll(' to ', '–').replace(' and ', ' + ').replace(' more', '');
  const tag = SPOKEN.find((each) => ENGLISH_NAMES.of(each) === value);
  if (tag) return languageName(tag);
  const [figure = '', unit = '', bracket = '', ...more] = value.split(' ');
  const amount = Number(figure);
  if (figure === '' || !Number.isFinite(amount)) return value;
  const said = number(amount, 3);
  if (unit === '') return said;
  if (unit.startsWith('frame')) return frames(amount);
  if (unit === 'captions') return captions(amount);
  const counted = Number(bracket.slice(1));
  if (more.length > 0) return `${said} ${unit} (${frames(counted)})`;
  return unit === 's' || unit === 'ms' ? `${said} ${unit}` : value;
}
