/** The language of the app's texts: English where they stand, until another language takes their places. */

/** What a part's texts are in another language: the same keys; functions of the same values give texts. */
export type In<Texts> = Texts extends string
  ? string
  : Texts extends (...values: infer Values) => unknown
    ? (...values: Values) => string
    : { readonly [Key in keyof Texts]?: In<Texts[Key]> };

/** The texts of parts, by the names under which they were declared. */
export type Parts = Readonly<Record<string, object>>;

const shown = new Map<string, object>();
const spoken = new Map<string, object>();
let tag = 'en';

/**
 * Declares the texts of a part, in English. Another language takes their places in this very object, now or when it
 * is loaded; so read them where they are shown, and keep none in a constant of a module of the first screen.
 * @param part a name that no other part has, under which the files of other languages hold these texts
 */
export function inLanguage<Texts extends object>(part: string, english: Texts): Texts {
  shown.set(part, english);
  const others = spoken.get(part);
  if (others) replace(english, others);
  return english;
}

/** Texts by keys of which others may turn up while the app runs. */
export const keyed = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  texts;

/** Shows the texts of another language, of parts that are declared already or will be. @param language BCP 47 */
export function speak(language: string, parts: Parts): void {
  tag = language;
  for (const [part, others] of Object.entries(parts)) {
    spoken.set(part, others);
    const english = shown.get(part);
    if (english) replace(english, others);
  }
}

/** The language of the texts. BCP 47 */
export const language = (): string => tag;

/**
 * The language for the platform's formats. Digits are those of the time codes beside them, which are the same in all
 * languages.
 */
export const locale = (): string => `${tag}-u-nu-latn`;

/** The texts that are declared now, by part: for checks of all languages. */
export const declaredTexts = (): ReadonlyMap<string, object> => shown;

function replace(texts: object, others: object): void {
  for (const [key, other] of Object.entries(others)) {
    const text: unknown = Reflect.get(texts, key);
    if (typeof text === 'object' && text !== null) replace(text, other);
    else Reflect.set(texts, key, other);
  }
}
