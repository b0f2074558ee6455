/** The numbers and units of a sentence that its translation lost, added or changed. */
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

/** Matches hours of the afternoon. */
const AFTERNOON = /\p{Nd}\s?p\.?\s?m\b/iu;

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
  const isAfternoon = AFTERNOON.test(source);
  const isSameYear = (year: string): boolean =>
    year.length === 2 &&
    Array.from(wholes).some((each) => each.length === 4 && each.endsWith(year));
  return (withoutAddresses(source).match(NUMBER) ?? []).filter(
    (number) =>
      !wholes.has(digitsOf(number)) &&
      !wholes.has(onOtherClock(number) ?? '') &&
      !isSameYear(number) &&
      !(isAfternoon && parts.has(String(Number(number) + 12))) &&
      !partsOf(number).every((part) => parts.has(part)),
  );
}

/**
 * Words for numbers, parts, dates and times in a sentence, which its translation may write in digits. Beginnings of words
 * are enough: where one occurs by chance, only a doubt is not raised.
 */
const COUNTING: Readonly<Record<string, RegExp>> = {
  ar: /صفر|واحد|أحد|إحدى|اثن|إثن|ثلاث|ثلث|[أا]ربع|ربع|خمس|ست[ةو]?|ست |سبع|ثمان|تسع|عش[ر]|مئة|مائة|مئت|مئات|[أآا]لف|[أآا]لاف|مليون|ملايين|مليار|نصف|[أا]ول|ثان|ثالث|كلا|كلتا|مرتين|زوج|مزدوج|ظهر|منتصف|عقد|قرن|يناير|فبراير|مارس|[أا]بريل|مايو|يوني|يولي|[أا]غسطس|سبتمبر|[أا]كتوبر|نوفمبر|ديسمبر/u,
  en: /\b(?:zero|once|twice|thrice|two|three|four|five|six|seven|eight|nine|ten|eleven|twel|thirt|fift|twent|fort[iy]|sixt|sevent|eight|ninet|hundred|thousand|million|billion|trillion|dozen|first|second|third|half|halves|quarter|both|couple|pair|single|sole|double|triple|twin|noon|midday|midnight|decade|centur|millenn|january|february|march|april|may|june|july|august|september|october|november|december)/iu,
  de: /zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|ßig|zig|hundert|tausend|million|milliard|dutzend|halb|hälfte|drittel|erste|beide|paar|einzig|doppel|zwilling|mittag|mitternacht|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember/iu,
  es: /\b(?:cero|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci|veint|treint|\p{L}+ent[ao]|cien|mil|docena|medi[oa]|mitad|cuart|terc|primer|segund|ambos|ambas|doble|único|medianoche|década|siglo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)/iu,
  fr: /(?<!\p{L})(?:zéro|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante|cinquante|soixante|cent|mille|million|milliard|douzaine|dizaine|demi|moitié|quart|tiers|premi|second|double|seul|couple|paire|midi|minuit|décennie|siècle|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)/iu,
  it: /\b(?:zero|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|dici|vent|trent|\p{L}+anta|cent|mill|milion|miliard|dozzina|mezz|metà|quart|terz|prim|second|entramb|doppi|unic|coppia|paio|decenni|secol|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)/iu,
  ja: /[〇零一二三四五六七八九十百千万億兆両双半倍][^\p{Script=Hiragana}]|[二三四五六七八九十百千]|ひと[つり]|ふた[つり]|みっつ|よっつ|いつつ|むっつ|ななつ|やっつ|ここのつ|とお|半分|初|ダブル|ダース|ペア|正午/u,
  ko: /하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|(?<!\p{L})(?:열|한|두|세|네|양)\s|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔|첫|절반|(?<!\p{L})반(?!\p{L})|[일이삼사오육칠팔구십백천만억조]\s?(?:년|월|일(?!\p{L})|개|명|번|시(?!\p{L})|분|초|원|층|회|세(?!\p{L})|살|주|달|퍼센트|도(?!\p{L})|장|권|마리|위|대|차|호|점|배|인분|가지|쪽)|[십백천만억조]|두\s?배|더블|쌍|정오|자정|세기/u,
  nl: /twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|twintig|tig|honderd|duizend|miljoen|miljard|dozijn|half|helft|kwart|derde|eerste|beide|paar|dubbel|enige|middag|middernacht|decenni|eeuw|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december/iu,
  pl: /(?<!\p{L})(?:zero|jed[ne]|raz(?!em)|dw[aóuoi]|trz|cztere?|czwart|czwór|pięć|piąt|pięci|sześ|szóst|siedem|siedm|siódm|osiem|ośm|ósm|dziewię|dziewią|dziesię|dziesią|\p{L}*naście|\p{L}*nast|sto(?!\p{L})|stu|setk|set(?!\p{L})|tysi|milion|miliard|tuzin|pół|połow|ćwier|kwadrans|pierwsz|drug|trzec|oba|obie|oboj|par[aęy](?!\p{L})|podwój|poczwór|potrój|południ|północ|dekad|wiek|stulec|stycz|lut|marc|marz|kwie|maj|czerw|lip|sierp|wrześ|paździer|listopad|grud)/iu,
  pt: /\b(?:zero|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|catorze|quatorze|quinze|vinte|trinta|\p{L}+enta|cem|cent|mil|dúzia|mei[oa]|metade|quart|terc|primeir|segund|ambos|ambas|dobro|dupl|únic|casal|década|século|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)/iu,
  ru: /(?<!\p{L})(?:ноль|нул|один|одн|раз(?!\p{L})|дв[аоеух]|тр[иеёо]|четыр|четв|пят|шест|сем[ьи]|седьм|вос[ье]м|девят|десят|\p{L}*надцат|сорок|девяност|сот|сто(?!\p{L})|ст[аоу](?!\p{L})|двест|трист|тысяч|миллион|миллиард|дюжин|пол(?:овин|тор|ов|год|час|день|ноч)|втор|перв|трет|оба|обе|пар[аыу](?!\p{L})|пополам|век|столет|десятилет|полдень|полноч|январ|феврал|март|апрел|ма[йяе](?!\p{L})|июн|июл|август|сентябр|октябр|ноябр|декабр)/iu,
  zh: /[〇零二三四五六七八九十百千万萬億亿两兩双雙半]|一(?!些|样|樣|定|直|起|般|切|旦|致|下)|第/u,
};
/** Matches a Roman number, which other languages may write in digits. */
const ROMAN = /(?<!\p{L})(?:[IVX]{2,}|[VX])(?!\p{L})/u;
/** Matches a Latin letter: a number beside it is part of a name, or has an ending. */
const LETTER = /\p{Script=Latin}/u;

/**
 * The numbers of a translation that its sentence does not have, neither in digits nor in words. Times on the other clock
 * and shorter forms of years are the same; a sentence with any word for a number has every number.
 * @param from the language of the sentence; in others than those of COUNTING, no number is found
 * @example
 * addedNumbers('We met at 3:30.', 'Wir trafen uns um 15:30 in Haus 47.', 'en'); // => ['47']
 */
export function addedNumbers(source: string, text: string, from: string | null): string[] {
  const counting = from === null ? undefined : COUNTING[baseOf(from)];
  if (!counting || counting.test(source) || ROMAN.test(source)) return [];
  const own = [...(source.match(NUMBER) ?? []).flatMap(partsAndWhole), ...myriadsIn(source)];
  const isOwn = (part: string): boolean =>
    own.some((each) => {
      const [shorter, longer] = each.length < part.length ? [each, part] : [part, each];
      const isClock = Math.abs(Number(each) - Number(part)) === 12;
      return (
        isClock || (shorter.length > 1 && longer.endsWith(shorter)) || Number(each) === Number(part)
      );
    });
  const shown = withoutAddresses(text);
  const myriads = myriadsIn(shown);
  return Array.from(shown.matchAll(NUMBER)).flatMap(({ 0: number, index }) => {
    const isBeside =
      LETTER.test(shown[index - 1] ?? ' ') || LETTER.test(shown[index + number.length] ?? ' ');
    const isSmall = Number(digitsOf(number)) < 2;
    const parts = partsOf(number).filter((part) => Number(part) > 0);
    const isKnown = isSmall || isOwn(digitsOf(number)) || parts.every(isOwn) || myriads.some(isOwn);
    return isBeside || isKnown ? [] : [number];
  });
}

const partsAndWhole = (number: string): string[] => [digitsOf(number), ...partsOf(number)];

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
