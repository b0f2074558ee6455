/** Formats figures for display in the language of the texts, and reads times as people type them. */
import { LATEST_MS } from '../../server/captions/timestamps.ts';
import { inLanguage, language, locale } from './language.ts';

/** The texts of units and keys. */
export const units = inLanguage('units', {
  /** After a figure in minutes and seconds, or hours, minutes and seconds. */
  seconds: (value: string) => `${value} s`,
  minutes: (clock: string) => `${clock} min`,
  hours: (clock: string) => `${clock} h`,
  megabytes: (value: string) => `${value} MB`,
  /** As they are printed on the keys. */
  keys: {
    Ctrl: 'Ctrl',
    Alt: 'Alt',
    Shift: 'Shift',
    Enter: 'Enter',
    Escape: 'Escape',
    Space: 'Space',
    Backspace: 'Backspace',
    Delete: 'Delete',
    Home: 'Home',
    End: 'End',
    PageUp: 'PageUp',
    PageDown: 'PageDown',
    Tab: 'Tab',
  },
});

/** What writes numbers, by language and decimals: it takes longer to make than to use. */
const numbers: Record<string, Intl.NumberFormat> = {};

/** A number in the language of the texts: `3,000`, `0.5`. */
export const number = (value: number, most = 3): string =>
  (numbers[`${locale()}${most}`] ??= new Intl.NumberFormat(locale(), {
    maximumFractionDigits: most,
  })).format(value);

/** A share of one: `50%`. @param decimals exactly so many */
export const percent = (share: number, decimals = 0): string =>
  share.toLocaleString(locale(), {
    style: 'percent',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });

/** Things one after the other: `a, b and c`, `a, b or c`. */
export const list = (things: readonly string[], joined: 'and' | 'or' = 'and'): string =>
  new Intl.ListFormat(locale(), {
    type: joined === 'and' ? 'conjunction' : 'disjunction',
  }).format(things);

/** The forms of a text by the count in it, which stands where `#` is; `other` where a language has one form only. */
export type Forms<Category extends string> = Readonly<Record<Category | 'other', string>>;

/**
 * Makes the function that gives a count its noun in the language of the texts.
 * @example
 * const untertitel = counted<'one'>(); // the categories of the language, besides `other`
 * untertitel(3, { one: '# Untertitel fällt', other: '# Untertitel fallen' });
 */
export const counted =
  <Category extends Intl.LDMLPluralRule = never>() =>
  (value: number, forms: Forms<Category>): string => {
    const found: Partial<Record<Intl.LDMLPluralRule, string>> = forms;
    const form = found[new Intl.PluralRules(language()).select(value)] ?? forms.other;
    return form.replaceAll('#', number(value));
  };

/** The order of names in the language of the texts. */
export const byName = (one: string, other: string): number =>
  one.localeCompare(other, locale(), { numeric: true });

/** A count with its noun in English: `1 run`, `3 runs`. */
export const count = (value: number, one: string, many: string): string =>
  `${value.toLocaleString('en')} ${value === 1 ? one : many}`;

/** The file's name in the key of a recording: its last part. */
export const fileName = (key: string): string => key.replace(/^.*\//, '');

/** A duration in seconds: `40 s`, `3:20 min`, `1:02:05 h`. */
export function duration(length: number): string {
  const whole = wholeSeconds(length);
  if (whole < 60) return units.seconds(number(whole));
  return whole < 3600 ? units.minutes(clock(whole)) : units.hours(clock(whole));
}

/** A duration in seconds as a player shows it: `0:40`, `3:20`, `1:02:05`. */
export function clock(length: number): string {
  const whole = wholeSeconds(length);
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  const rest = pad(whole % 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`;
}

const wholeSeconds = (length: number): number => Math.max(0, Math.round(length));

/** A position in a recording, in seconds: `00:41.2`, `1:02:05.0`. */
export function position(time: number): string {
  const tenths = Math.max(0, Math.floor(time * 10 + 1e-6));
  const pad = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(tenths / 36_000);
  const rest = `${pad(Math.floor(tenths / 600) % 60)}:${pad(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** Seconds with at most one decimal: `0.8 s`. */
export const seconds = (value: number): string => units.seconds(number(value, 1));

/**
 * A number that is on the other side of a limit, with as many decimals (at least `least`, at most
 * three) as it takes to look like it: 20.3 beside 20, but 24 for 24.3.
 */
export function apart(value: number, limit: number, least = 1): number {
  const rounded = [0, 1, 2, 3].map((decimals) => Number(value.toFixed(decimals)));
  return rounded.find((shown, decimals) => decimals >= least && shown !== limit) ?? value;
}

/** A difference in seconds: `+0.5`, `−0.084`. */
export const signed = (value: number): string =>
  `${value < 0 ? '−' : '+'}${number(Math.abs(value))}`;

/** Bytes in millions: `0.6 MB`. */
export const megabytes = (bytes: number): string => units.megabytes(megabyteFigure(bytes));

/** Those bytes without their unit: `0.6`. */
export function megabyteFigure(bytes: number): string {
  const decimals = bytes < 1e7 ? 1 : 0;
  return (bytes / 1e6).toLocaleString(locale(), {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** Turns a phrase into a sentence. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** The name of a language, in that of the texts; its tag if it has none. @param tag BCP 47 */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([locale()], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * A date and time. In English, which is the language of those whose own is not there, in the format of the user's
 * browser.
 */
export const dateTime = (instant: string | number): string =>
  new Date(instant).toLocaleString(dateLocale(), { dateStyle: 'medium', timeStyle: 'short' });

/** A day. @param date such as 2026-12-01 */
export const day = (date: string): string =>
  new Date(`${date}T12:00:00`).toLocaleDateString(dateLocale(), { dateStyle: 'medium' });

/** A time of day: `14:05`. */
export const timeOfDay = (instant: number): string =>
  new Date(instant).toLocaleTimeString(dateLocale(), { timeStyle: 'short' });

const dateLocale = (): string | undefined => (language() === 'en' ? undefined : locale());

/** Optional hours and minutes, then seconds with an optional fraction. */
const TIME = /^(?:(?:(\d+):)?(\d+):)?(\d+)(?:[.,](\d*))?$/;

/**
 * Reads a time in seconds: `12.5`, `0:13`, `1:02:03,5`, `00:01:02,500`, with a point or a comma.
 * Null if it is not a time, has more than 59 seconds next to minutes (or minutes next to hours), or
 * is past the end of the caption clock.
 */
export function readTime(typed: string): number | null {
  const match = TIME.exec(typed.trim());
  if (!match) return null;
  const [, hours, minutes, seconds = '0', fraction = ''] = match;
  if (minutes !== undefined && Number(seconds) > 59) return null;
  if (hours !== undefined && Number(minutes) > 59) return null;
  const whole = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
  const ms = Math.round(whole * 1000 + Number(`0.${fraction || '0'}`) * 1000);
  return ms <= LATEST_MS ? ms / 1000 : null;
}

/**
 * Reads a difference in seconds: a time with an optional `+`, `-` or `−`. Null if it is not one.
 */
export function readDifference(typed: string): number | null {
  const [, sign = '', rest = ''] = /^([+\-−–]?)(.*)$/s.exec(typed.trim()) ?? [];
  // Half a second may be typed as .5.
  const time = readTime(rest.trim().replace(/^(?=[.,]\d)/, '0'));
  return time === null ? null : sign === '' || sign === '+' ? time : -time;
}

/** Whether the keyboard is a Mac's: Option types characters there, and Command is the key for commands. */
export const isMac = (): boolean => /^(?:Mac|iP)/.test(globalThis.navigator?.platform ?? '');

/**
 * The keys in a text as this keyboard and the language name them. A Mac keeps Command+Space and Command+H for itself,
 * so there these are with Control.
 */
export const keyNames = (words: string): string =>
  (isMac()
    ? words
        .replace(/\bCtrl(?=\+(?:Space|H)$)/g, 'Control')
        .replace(/\bCtrl\b/g, 'Command')
        .replace(/\bAlt\b/g, 'Option')
    : words
  ).replace(
    /\b(?:Ctrl|Alt|Shift|Enter|Escape|Space|Backspace|Delete|Home|End|PageUp|PageDown|Tab)\b/g,
    (key) => units.keys[key as keyof typeof units.keys],
  );

/** The signs of file formats that are not their ids in capitals. */
const FORMAT_SIGNS: Readonly<Record<string, string>> = {
  'stl-teletext': 'STL (teletext)',
  itt: 'iTT',
  avid: 'Avid DS',
  sub: 'MicroDVD',
  smi: 'SAMI',
  podcast: 'Podcast JSON',
};

/** The sign of a file format on a button: `SRT`, `STL (teletext)`. */
export const formatSign = (id: string): string => FORMAT_SIGNS[id] ?? id.toUpperCase();
