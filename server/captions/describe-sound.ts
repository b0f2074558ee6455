/** Describes sounds that matter in captions: in the language of the talk, in the form that a publisher asks for. */
import { baseOf } from './language-tag.ts';

/** The sounds that have a label of their own. */
export type Sound = 'applause' | 'laughter' | 'music';

/** Applause, laughter and music by language, as subtitlers there write them. */
const LABELS: Readonly<
  Record<string, readonly [applause: string, laughter: string, music: string]>
> = {
  ar: ['تصفيق', 'ضحك', 'موسيقى'],
  cs: ['potlesk', 'smích', 'hudba'],
  da: ['bifald', 'latter', 'musik'],
  de: ['Applaus', 'Gelächter', 'Musik'],
  en: ['applause', 'laughter', 'music'],
  es: ['aplausos', 'risas', 'música'],
  fi: ['aplodeja', 'naurua', 'musiikkia'],
  fr: ['applaudissements', 'rires', 'musique'],
  it: ['applausi', 'risate', 'musica'],
  ja: ['拍手', '笑い', '音楽'],
  ko: ['박수', '웃음', '음악'],
  nb: ['applaus', 'latter', 'musikk'],
  nl: ['applaus', 'gelach', 'muziek'],
  no: ['applaus', 'latter', 'musikk'],
  pl: ['oklaski', 'śmiech', 'muzyka'],
  pt: ['aplausos', 'risos', 'música'],
  ru: ['аплодисменты', 'смех', 'музыка'],
  sv: ['applåder', 'skratt', 'musik'],
  tr: ['alkış', 'gülüşme', 'müzik'],
  uk: ['оплески', 'сміх', 'музика'],
  zh: ['掌声', '笑声', '音乐'],
};

const SOUNDS: readonly Sound[] = ['applause', 'laughter', 'music'];

/**
 * The label of a sound, empty inside its brackets where a person has to write it. The DCMP and most others ask for square
 * brackets (https://dcmp.org/learn/602-captioning-key---sound-effects-and-music), the BBC for capitals
 * (https://www.bbc.co.uk/accessibility/forproducts/guides/subtitles/#Sound-effects).
 * @param sound null for any other sound
 * @param language BCP 47
 * @param profile the publisher whose rules are followed
 * @example
 * soundLabel('applause', 'fr-CA', 'dcmp'); // => '[applaudissements]'
 * soundLabel('laughter', 'en', 'bbc'); // => 'LAUGHTER'
 * soundLabel(null, 'en', ''); // => '[]'
 */
export function soundLabel(sound: Sound | null, language: string, profile: string): string {
  const tag = baseOf(language);
  const word = sound === null ? '' : (LABELS[tag]?.[SOUNDS.indexOf(sound)] ?? '');
  return profile === 'bbc' && word !== '' ? word.toLocaleUpperCase(tag) : `[${word}]`;
}
