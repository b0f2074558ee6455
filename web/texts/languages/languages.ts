/**
 * The languages of the app besides English, a row each. The bundler gives each of the two pieces of a language a file
 * of its own, so that the first screen waits for few texts.
 */
import { language, speak } from '../language.ts';
import type { FirstTexts, OtherTexts } from '../every-text.ts';

/** A language besides English. */
interface Language {
  readonly first: () => Promise<{ readonly first: FirstTexts }>;
  readonly others: () => Promise<{ readonly others: OtherTexts }>;
}

/** The languages by their BCP 47 tags. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  ar: { first: () => import('./ar.ts'), others: () => import('./ar.ts') },
  pl: { first: () => import('./pl.ts'), others: () => import('./pl.ts') },
  es: { first: () => import('./es.ts'), others: () => import('./es.ts') },
  fr: { first: () => import('./fr.ts'), others: () => import('./fr.ts') },
  de: { first: () => import('./de.ts'), others: () => import('./de.ts') },
  it: { first: () => import('./it.ts'), others: () => import('./it.ts') },
  nl: { first: () => import('./nl.ts'), others: () => import('./nl.ts') },
  'pt-BR': { first: () => import('./pt-BR.ts'), others: () => import('./pt-BR.ts') },
  ja: { first: () => import('./ja.ts'), others: () => import('./ja.ts') },
  'zh-Hans': { first: () => import('./zh-Hans.ts'), others: () => import('./zh-Hans.ts') },
  ko: { first: () => import('./ko.ts'), others: () => import('./ko.ts') },
};

/** Loads and shows the texts of the first screen. */
export async function speakFirst(tag: string): Promise<void> {
  const first = await LANGUAGES[tag]?.first();
  if (first) speak(tag, first.first);
}

let rest: Promise<void> | null = null;

/** Loads and shows all other texts of the language of the first screen, once. */
export function speakWholly(): Promise<void> {
  rest ??= load(language()).catch((error: unknown) => {
    // It is tried again with the next part.
    rest = null;
    throw error;
  });
  return rest;
}

async function load(tag: string): Promise<void> {
  const others = await LANGUAGES[tag]?.others();
  if (others) speak(tag, others.others);
}
