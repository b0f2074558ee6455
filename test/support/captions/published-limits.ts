/**
 * The publishers' limits as literal numbers, copied from their pages and not from the program: Netflix's guides of each
 * language, BBC 1.2.3, DCMP's guidelines, YouTube's help, and the service's own documents.
 */

/** The dashes of two speakers in one caption: at the start of both lines or of the second alone. */
export interface Dashes {
  both: boolean;
  dash: string;
}

/** The limits of a publisher for a language. */
export interface Limits {
  chars: number;
  /** Whether Latin letters, spaces and punctuation count as half a character of a line. */
  halves: boolean;
  lines: number;
  /** Characters per second, or words per minute. */
  cps?: number;
  wpm?: number;
  /** Seconds. */
  shortest?: number;
  longest?: number;
  /** The frames between captions, and the seconds below which a longer gap is closed. */
  gapFrames: number;
  smallGap: number;
  /** The number of frames before a shot change at which a caption ends. */
  outBefore?: number;
  /** If the publisher has a rule for two speakers. */
  speakers?: Dashes;
}

/** Characters a second of Netflix by audience; `other` for languages without a limit of their own. */
const NETFLIX_SPEEDS: Record<string, Record<string, number>> = {
  netflix: { en: 20, ar: 20, hi: 22, ko: 12, zh: 9, ja: 4, other: 17 },
  'netflix-children': { en: 17, ar: 17, hi: 18, ko: 9, zh: 7, ja: 4, other: 13 },
  'netflix-sdh': { ar: 23, hi: 25, ko: 14, zh: 11, ja: 7, other: 20 },
  'netflix-sdh-children': { ar: 20, hi: 20, ko: 11, zh: 9, ja: 7, other: 17 },
};
/** Characters a line of Netflix, where it is not 42. */
const NETFLIX_LINES: Record<string, number> = { ru: 39, th: 35, ko: 16, zh: 16, ja: 13 };
const FULL_WIDTH = new Set(['ja', 'ko', 'zh']);

/** From the sections on dual speakers in Netflix's guides; everywhere else both lines have a hyphen without a space. */
const SPACED = new Set(['ar', 'es', 'fr', 'it', 'ko', 'pt', 'ru', 'th']);
const SECOND_ONLY = new Set(['nl', 'he']);

const dashesOf = (language: string): Dashes => ({
  both: !SECOND_ONLY.has(language),
  dash: SPACED.has(language) ? '- ' : '-',
});

const netflix = (name: string, language: string): Limits => ({
  chars: language === 'ja' && name.includes('sdh') ? 16 : (NETFLIX_LINES[language] ?? 42),
  halves: FULL_WIDTH.has(language),
  lines: 2,
  cps: NETFLIX_SPEEDS[name]![language] ?? NETFLIX_SPEEDS[name]!['other']!,
  shortest: 5 / 6,
  longest: 7,
  gapFrames: 2,
  smallGap: 0.5,
  outBefore: 2,
  speakers: dashesOf(language),
});

const dcmp = (wpm: number): Limits => ({
  chars: 32,
  halves: false,
  // DCMP has no rule on the number of lines and none on gaps.
  lines: Number.POSITIVE_INFINITY,
  wpm,
  shortest: 2,
  gapFrames: 0,
  smallGap: 0,
});

const service = (language: string): Limits => ({
  chars: FULL_WIDTH.has(language) ? 21 : 42,
  halves: FULL_WIDTH.has(language),
  lines: 2,
  cps: FULL_WIDTH.has(language) ? 9 : 20,
  shortest: 0.8,
  longest: 6,
  gapFrames: 0,
  smallGap: 0,
});

/**
 * The limits of a profile.
 * @param name that of the program's profile
 * @param language its first part: en, pt
 */
export function limitsOf(name: string, language: string): Limits {
  if (Object.hasOwn(NETFLIX_SPEEDS, name)) return netflix(name, language);
  switch (name) {
    case 'bbc':
      return {
        chars: 37,
        halves: false,
        lines: 2,
        wpm: 200,
        gapFrames: 0,
        smallGap: 1,
        outBefore: 0,
        speakers: dashesOf(language),
      };
    case 'dcmp':
      return dcmp(225);
    case 'dcmp-children':
      return dcmp(150);
    case 'youtube':
      // YouTube says only that captions do not overlap.
      return {
        chars: Number.POSITIVE_INFINITY,
        halves: false,
        lines: Number.POSITIVE_INFINITY,
        gapFrames: 0,
        smallGap: 0,
      };
    case 'default':
      return service(language);
    default:
      throw new Error(`there are no limits for ${name}`);
  }
}
