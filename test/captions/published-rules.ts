/**
 * An independent checker of captions, written from the publishers' pages and sharing no code with
 * the program: it repeats the limits, and represents captions as arrays of lines with milliseconds.
 */

/** A caption as read from a file. */
export interface Shown {
  start: number;
  end: number;
  lines: readonly string[];
}

/** The limits of a publisher for a language. */
export interface Limits {
  chars: number;
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
}

const netflix = (chars: number, cps: number): Limits => ({
  chars,
  lines: 2,
  cps,
  shortest: 5 / 6,
  longest: 7,
  gapFrames: 2,
  smallGap: 0.5,
  outBefore: 2,
});
const bbc: Limits = {
  chars: 37,
  lines: 2,
  wpm: 200,
  gapFrames: 0,
  smallGap: 1,
  outBefore: 0,
};
const dcmp = (wpm: number): Limits => ({
  chars: 32,
  lines: 2,
  wpm,
  shortest: 2,
  gapFrames: 0,
  // DCMP has no rule on gaps.
  smallGap: 0,
});

const youtube: Limits = {
  chars: Number.POSITIVE_INFINITY,
  lines: Number.POSITIVE_INFINITY,
  gapFrames: 0,
  smallGap: 0,
};
const service: Limits = {
  chars: 42,
  lines: 2,
  cps: 20,
  shortest: 0.8,
  longest: 6,
  gapFrames: 0,
  smallGap: 0,
};

/**
 * The limits of each publisher for the languages tested: Netflix's guides, BBC 1.2, DCMP's
 * guidelines.
 */
export const LIMITS: Record<string, Record<string, Limits>> = {
  netflix: {
    en: netflix(42, 20),
    fr: netflix(42, 17),
    de: netflix(42, 17),
    pt: netflix(42, 17),
    ar: netflix(42, 20),
    hi: netflix(42, 22),
    ru: netflix(39, 17),
    th: netflix(35, 17),
    ko: netflix(16, 12),
    zh: netflix(16, 9),
    ja: netflix(23, 4),
  },
  'netflix-children': {
    en: netflix(42, 17),
    fr: netflix(42, 13),
    ar: netflix(42, 17),
    ko: netflix(16, 9),
    zh: netflix(16, 7),
    ja: netflix(23, 4),
    hi: netflix(42, 18),
  },
  'netflix-sdh': {
    en: netflix(42, 20),
    fr: netflix(42, 20),
    ar: netflix(42, 23),
    hi: netflix(42, 25),
    ko: netflix(16, 14),
    zh: netflix(16, 11),
    ja: netflix(23, 7),
  },
  'netflix-sdh-children': {
    en: netflix(42, 17),
    hi: netflix(42, 20),
    ko: netflix(16, 11),
    zh: netflix(16, 9),
    ja: netflix(23, 7),
  },
  bbc: { en: bbc },
  dcmp: { en: dcmp(225) },
  'dcmp-children': { en: dcmp(150) },
  // YouTube says only that captions do not overlap.
  youtube: { en: youtube, th: youtube },
  // The service's own rules, as its documents state them.
  default: { en: service, nl: service, he: service },
};

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const lengthOf = (text: string): number => Array.from(segmenter.segment(text)).length;
const ms = (seconds: number): number => Math.round(seconds * 1000);

/** A fault: its rule and its caption. */
export interface Found {
  rule: string;
  at: number;
}

/** The faults of captions, for a picture with a frame rate and shots that start at these frames. */
export function publishedFaults(
  cues: readonly Shown[],
  limits: Limits,
  rate: number | null,
  shotFrames: readonly number[] = [],
): Found[] {
  const found: Found[] = [];
  /** The time of a frame as written to files, in milliseconds. */
  const frameMs = (frame: number): number => Math.round((frame * 1000) / (rate ?? 1000));
  for (const [at, cue] of cues.entries()) {
    const say = (rule: string, isSo: boolean) => {
      if (isSo) found.push({ rule, at });
    };
    const [start, end] = [ms(cue.start), ms(cue.end)];
    const shown = end - start;
    const lengths = cue.lines.map(lengthOf);
    say('line_count', cue.lines.length > limits.lines);
    say('line_length', Math.max(...lengths) > limits.chars);
    say('min_duration', limits.shortest !== undefined && shown < limits.shortest * 1000 - 1);
    say('max_duration', limits.longest !== undefined && shown > limits.longest * 1000 + 1);
    // A line break is read as a space.
    const characters = lengths.reduce((sum, length) => sum + length + 1, -1);
    const words = cue.lines
      .join(' ')
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    say(
      'reading_speed',
      limits.cps !== undefined && (characters * 1000) / (shown + 1) > limits.cps + 1e-6,
    );
    say(
      'reading_speed',
      limits.wpm !== undefined && (words * 60_000) / (shown + 1) > limits.wpm + 1e-6,
    );
    const next = cues[at + 1];
    const frames = (time: number): number => Math.round((time * (rate ?? 1000)) / 1000);
    if (next && rate !== null) {
      const gap = frames(ms(next.start)) - frames(end);
      say('gap', gap < limits.gapFrames);
      say('small_gap', gap > limits.gapFrames && gap < limits.smallGap * rate);
    } else if (next) {
      const gap = ms(next.start) - end;
      say('gap', gap < 0);
      say('small_gap', gap > 0 && gap < limits.smallGap * 1000);
    }
    if (rate === null) continue;
    say('on_frames', frameMs(frames(start)) !== start || frameMs(frames(end)) !== end);
    if (limits.outBefore === undefined || shotFrames.length === 0) continue;
    const half = Math.round(rate / 2);
    const near = (frame: number) => shotFrames.filter((shot) => Math.abs(shot - frame) < half);
    const [begins, ends] = [frames(start), frames(end)];
    say('shot_in', near(begins).length > 0 && !shotFrames.includes(begins));
    say('shot_out', near(ends).length > 0 && !shotFrames.includes(ends + limits.outBefore));
  }
  return found;
}
