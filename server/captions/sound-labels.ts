/** Finds the sounds that speech services write among the words: `[Music]`, `(applause)`, `♪`. */

/** A sound has at most this many words: “[audience laughs and applauds]”. */
const MAX_WORDS = 6;
const NOTES = /^[#*]*[♩♪♫♬][♩♪♫♬#*]*$/u;
const OPENS = /^[[(（［【]/u;
const CLOSES = /[\])）］】][.,;:!?…]*$/u;
/** Matches a placeholder for a word that was removed or not understood. */
const FOR_WORDS =
  /inaudible|unclear|unintelligible|indistinct|crosstalk|redacted|bleep|\bsic\b|unverständlich|inintelligible|incomprensibile|ininteligible|inaudível/iu;
const REDACTED = /^\p{Lu}+(?:_[\p{Lu}\d]+)+$|^\p{Lu}*\d+$/u;
/** Words that a sound in parentheses must contain, because parentheses also hold speech. */
const SOUND_WORDS =
  /\b(?:music|song|sing(?:s|ing)|applaus\w*|applaud\w*|clap(?:s|ping)|cheer(?:s|ing)|laugh(?:s|ing|ter)?|chuckl\w+|giggl\w+|sigh(?:s|ing)?|cough(?:s|ing)?|sneez\w+|breath(?:es|ing)|gasp(?:s|ing)?|cr(?:ies|ying)|sob(?:s|bing)|groan\w*|scream\w*|shout\w*|whistl\w+|knock\w*|ring(?:s|ing)|bell|beep\w*|buzz\w*|door|footsteps|thunder|wind|rain|bark(?:s|ing)|silence|pause|noise|static|click(?:s|ing)?|musik|beifall|applaus|gelächter|lacht|lachen|stille|musique|applaudissements|rires?|toux|silence|música|aplausos|risas?|risos?|silencio|silêncio|musica|applausi|risate|silenzio|muziek|gelach|stilte)\b/iu;
/** The text that whisper.cpp writes for silence. */
const BLANK = /^blank_audio$/i;

/** A sound: the words from `from` up to but not including `to`. */
interface SoundSpan {
  from: number;
  to: number;
}

/**
 * The sounds among words, in order. Whisper writes sounds in brackets or parentheses, and notes around songs.
 * AssemblyAI's Universal-3 models write them in square brackets unless `remove_audio_tags` is set. ElevenLabs marks them
 * as `audio_event`, in parentheses. (From the services' documentation, November 2026.) A placeholder for words, such as
 * `[PERSON_NAME]` or `[inaudible]`, is not a sound but part of the sentence.
 * @param texts the words, one by one; the brackets of a sound may be on different words
 * @example
 * soundsOf(['Thanks.', '[upbeat', 'music]', 'So']); // => [{ from: 1, to: 3 }]
 */
export function soundsOf(texts: readonly string[]): SoundSpan[] {
  const sounds: SoundSpan[] = [];
  for (let from = 0; from < texts.length; from += 1) {
    const to = soundEnd(texts, from);
    if (to === from) continue;
    sounds.push({ from, to });
    from = to - 1;
  }
  return sounds;
}

/** Whether a word may be a sound or its first word. */
export const mayBeginSound = (text: string): boolean => NOTES.test(text) || OPENS.test(text);

/**
 * Whether a single word is a sound.
 * @example
 * isSound('[applause]'); // => true
 */
export const isSound = (text: string): boolean => soundEnd([text], 0) === 1;

/** The index after the sound that begins at a word; the word's own index if none does. */
function soundEnd(texts: readonly string[], from: number): number {
  const first = texts[from]!;
  if (NOTES.test(first)) return from + 1;
  if (!OPENS.test(first)) return from;
  const last = Math.min(texts.length, from + MAX_WORDS);
  for (let at = from; at < last; at += 1) {
    if (at > from && OPENS.test(texts[at]!)) return from;
    if (!CLOSES.test(texts[at]!)) continue;
    const inside = texts
      .slice(from, at + 1)
      .join(' ')
      .replace(OPENS, '')
      .replace(CLOSES, '')
      .trim();
    return describesSound(inside, /^[([]/.exec(first)?.[0] === '(') ? at + 1 : from;
  }
  return from;
}

function describesSound(inside: string, inParentheses: boolean): boolean {
  if (BLANK.test(inside)) return true;
  if (!/\p{L}/u.test(inside) || REDACTED.test(inside) || FOR_WORDS.test(inside)) return false;
  return !inParentheses || SOUND_WORDS.test(inside);
}
