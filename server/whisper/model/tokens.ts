/** Whisper's tokens: text tokens and special tokens. */

/** The languages in the order of their tokens (openai-whisper, tokenizer.py); `yue` was added in large-v3. */
export const WHISPER_LANGUAGES = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr ' +
  'bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn ' +
  'yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
).split(' ');

/** The special tokens of a model. */
export interface Marks {
  /** The end of the transcript. */
  end: number;
  start: number;
  /** The token of the first language; the others follow. */
  firstLanguage: number;
  languages: number;
  transcribe: number;
  previous: number;
  noSpeech: number;
  noTimes: number;
  multilingual: boolean;
}

/** The number of timestamp tokens: 0.00 to 30.00 s in steps of 0.02 s. */
const TIMES = 1501;
/** The number of control tokens: translate, transcribe, startoflm, startofprev, nospeech, notimestamps. */
const STEERING = 6;
/** The number of text tokens. English models have one less, but also have the language tokens. */
const TEXT_ENGLISH = 50_256;
const TEXT_MULTILINGUAL = 50_257;

/** The special tokens of a model, from the size of its vocabulary; null if no Whisper model has that size. */
export function marksOf(vocabulary: number): Marks | null {
  for (const [end, multilingual] of [
    [TEXT_ENGLISH, false],
    [TEXT_MULTILINGUAL, true],
  ] as const) {
    for (const languages of multilingual ? [99, 100] : [99]) {
      const firstLanguage = end + 2;
      const steering = firstLanguage + languages;
      if (vocabulary !== steering + STEERING + TIMES) continue;
      return {
        end,
        start: end + 1,
        firstLanguage,
        languages,
        transcribe: steering + 1,
        previous: steering + 3,
        noSpeech: steering + 4,
        noTimes: steering + 5,
        multilingual,
      };
    }
  }
  return null;
}

/** Reads the bytes of each text token from the lines of a model's tokens.txt: base64, a space or a tab, the id. */
export function readTokens(table: string): Uint8Array[] {
  const tokens: Uint8Array[] = [];
  for (const line of table.split('\n')) {
    const [text, id] = line.trim().split(/[ \t]/);
    if (text === undefined || id === undefined) continue;
    tokens[Number(id)] = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  }
  return tokens;
}

const SYMBOLS = [
  ...'"#()*+/:;<=>@[\\]^_`{|}~「」『』',
  ...'<< >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(' '),
];
const MUSIC = [...'♩♪♫♬♭♮♯'];

/**
 * The tokens that annotate sounds and speakers ("[Music]", "♪", " - "), which are suppressed. The list is that of
 * openai-whisper (non_speech_tokens).
 */
export function unspokenTokens(tokens: readonly Uint8Array[]): number[] {
  const encoder = new TextEncoder();
  const ids = new Map(tokens.map((bytes, id) => [bytes?.join() ?? '', id]));
  const idOf = (text: Uint8Array): number | undefined => ids.get(text.join());
  const found = new Set<number>();
  const add = (id: number | undefined) => {
    if (id !== undefined) found.add(id);
  };
  add(idOf(encoder.encode(' -')));
  add(idOf(encoder.encode(" '")));
  for (const symbol of [...SYMBOLS, ...MUSIC]) {
    for (const text of [symbol, ` ${symbol}`]) add(idOf(encoder.encode(text)));
  }
  for (const symbol of MUSIC) {
    // The first two bytes of these characters form a token.
    const bytes = encoder.encode(symbol);
    add(idOf(bytes.subarray(0, 2)));
    add(idOf(Uint8Array.of(32, ...bytes.subarray(0, 2))));
  }
  return [...found].toSorted((a, b) => a - b);
}
