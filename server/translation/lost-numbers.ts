/** The numbers and units of a sentence that its translation lost or changed. */
import { baseOf } from '../captions/language-tag.ts';
import { withoutAddresses } from './lost-names.ts';

const NUMBER = /\p{Nd}+(?:[.,:٫٬'’]\p{Nd}+|[ \u00a0\u202f]\p{Nd}{3}(?!\p{Nd}))*/gu;

/** The digits of a number without separators: `1,234.5` is `12345`. */
const digitsOf = (number: string): string =>
  Array.from(number.replace(/\P{Nd}/gu, ''), (digit) => {
    const point = digit.codePointAt(0)!;
    if (point < 128) return digit;
    // The digits of every script are ten code points in a row, and the first one is not preceded by a digit.
    let zero = point;
    while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return String(point - zero);
  }).join('');

/** Ten thousand, and a hundred million, as Chinese, Japanese and Korean write them after a number. */
const MYRIADS: Readonly<Record<string, number>> = {
  万: 1e4,
  萬: 1e4,
  만: 1e4,
  億: 1e8,
  亿: 1e8,
  억: 1e8,
};
const IN_MYRIADS = /(?<![\p{Nd}.])(\p{Nd}+(?:\.\p{Nd}+)?)\s?([万萬만億亿억])/gu;

/** The digits of the numbers of a text that are written with such a word: those of `2万` are `20000`. */
const myriadsIn = (text: string): string[] =>
  Array.from(text.matchAll(IN_MYRIADS), ([, number = '', word = '']) =>
    String(Math.round(Number(number) * MYRIADS[word]!)),
  );

/** A time of the afternoon by the other clock: `3:30` is `15:30`. */
const onOtherClock = (number: string): string | null => {
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d\d)$/.exec(number) ?? [];
  return hour === '' ? null : `${(Number(hour) + 12) % 24}${minute}`;
};

const partsOf = (number: string): string[] => number.split(/\P{Nd}+/u).map(digitsOf);

/**
 * The numbers of a text that are missing in its translation, whatever digits and separators that uses.
 * @example
 * lostNumbers('1,200 of 5', '1.200 von fünf'); // => ['5']
 */
export function lostNumbers(source: string, text: string): string[] {
  const found = text.match(NUMBER) ?? [];
  if (found.length === 0) return withoutAddresses(source).match(NUMBER) ?? [];
  const wholes = new Set([...found.map(digitsOf), ...myriadsIn(text)]);
  const parts = new Set(found.flatMap(partsOf));
  return (withoutAddresses(source).match(NUMBER) ?? []).filter(
    (number) =>
      !wholes.has(digitsOf(number)) &&
      !wholes.has(onOtherClock(number) ?? '') &&
      !partsOf(number).every((part) => parts.has(part)),
  );
}

/** A text without its numbers. */
export const withoutNumbers = (text: string): string => text.replace(NUMBER, ' ');

/** Units that are written as signs, and the beginnings of their names. */
const UNITS: readonly (readonly [sign: string, pattern: RegExp, names: RegExp])[] = [
  [
    '%',
    /\p{Nd}\s?[%％٪]/u,
    /[%％٪]|pro[czs]ent|per\s?cent|por\s?cien|por\s?cento|pour\s?cent|per\s?cento|per\s?cent|процент|відсот|퍼센트|프로|パーセント|割|百分|प्रतिशत|المئة|المائة|אחוז|เปอร์เซ็นต์|ร้อยละ/iu,
  ],
  [
    '€',
    /€\s?\p{Nd}|\p{Nd}\s?€/u,
    /€|euro|eur\b|евро|євро|유로|ユーロ|欧元|歐元|यूरो|يورو|אירו|ยูโร/iu,
  ],
  [
    '$',
    /\$\s?\p{Nd}|\p{Nd}\s?\$/u,
    /\$|d[oóò]l+[aà]r|usd|доллар|долар|달러|ドル|美元|美金|डॉलर|دولار|דולר|ดอลลาร์|元/iu,
  ],
];
/** The languages whose names of units are among them. */
const UNITS_KNOWN = new Set(
  'ar ca da de en es fr he hi it ja ko nb nl no pl pt ru sv th uk zh'.split(' '),
);

/** The units of numbers that are missing in a translation. */
export const lostUnits = (source: string, text: string, to: string): string[] =>
  UNITS_KNOWN.has(baseOf(to))
    ? UNITS.flatMap(([sign, pattern, names]) =>
        pattern.test(source) && !names.test(text) ? sign : [],
      )
    : [];

/**
 * Units of the same kind, after a number: of the one system and of the other. Their names in the languages that are
 * translated most; one that is not known raises no doubt.
 */
const MEASURES: readonly (readonly [name: string, pattern: RegExp])[][] = [
  [
    [
      'miles',
      /\p{Nd}[\s-]?(?:miles?|Meilen?|mill?[ae]s?|milhas?|miglia|mijl|mil[ae]?|миль|мил[яи]|マイル|英里|哩|마일)(?!\p{Ll})/u,
    ],
    [
      'kilometres',
      /\p{Nd}[\s-]?(?:km|[KkQq]u?il[oôó]m[eèéê]t\p{L}{1,4}|chilometr[io]|километр\p{L}{0,3}|км|キロ(?!グラム)|公里|千米|킬로미터)(?!\p{Ll})/u,
    ],
  ],
  [
    [
      'feet',
      /\p{Nd}[\s-]?(?:f(?:ee|oo)?t|Fu(?:ß|ss)|pieds?|pies?|pés?|pied[ei]|voet|фут\p{L}{0,2}|フィート|英尺|피트)(?!\p{Ll})/u,
    ],
    [
      'metres',
      /\p{Nd}[\s-]?(?:m|[Mm][eèé]t(?:ers?|res?|ros?|ri|rów|ry)|метр\p{L}{0,2}|メートル|米|미터)(?!\p{L})/u,
    ],
  ],
  [
    [
      'pounds',
      /\p{Nd}[\s-]?(?:lbs?|pounds?|Pfund|libras?|livres?|libbre|фунт\p{L}{0,2}|ポンド|磅|파운드)(?!\p{Ll})/u,
    ],
    [
      'kilograms',
      /\p{Nd}[\s-]?(?:kg|kilos?|[KkQq]u?ilo(?:gram\p{L}{0,3})?|chil[io](?:gramm[io])?|килограмм\p{L}{0,2}|кг|キログラム|公斤|千克|킬로그램)(?!\p{Ll})/u,
    ],
  ],
  [
    ['degrees Fahrenheit', /\p{Nd}\s?(?:°\s?F|℉)(?!\p{L})|Fahrenheit|Фаренгейт|華氏|华氏|화씨/u],
    [
      'degrees Celsius',
      /\p{Nd}\s?(?:°\s?C|℃)(?!\p{L})|Celsius|[Cc]entigrad|Цельси|摂氏|攝氏|摄氏|섭씨/u,
    ],
  ],
];

/** The units that a translation names instead of those of the sentence, as pairs. */
export const changedUnits = (
  source: string,
  text: string,
): (readonly [was: string, is: string])[] =>
  MEASURES.flatMap((kind) =>
    kind.flatMap(([was, pattern]) =>
      pattern.test(source) && !pattern.test(text)
        ? kind.flatMap(([is, other]) =>
            other.test(text) && !other.test(source) ? [[was, is] as const] : [],
          )
        : [],
    ),
  );
