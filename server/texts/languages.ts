/** What people read outside the app, in their language: pages and mails. A language is one file and one row. */
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import ar from '../../content/languages/ar.md' with { type: 'text' };
import de from '../../content/languages/de.md' with { type: 'text' };
import en from '../../content/languages/en.md' with { type: 'text' };
import es from '../../content/languages/es.md' with { type: 'text' };
import fr from '../../content/languages/fr.md' with { type: 'text' };
import it from '../../content/languages/it.md' with { type: 'text' };
import ja from '../../content/languages/ja.md' with { type: 'text' };
import ko from '../../content/languages/ko.md' with { type: 'text' };
import nl from '../../content/languages/nl.md' with { type: 'text' };
import pl from '../../content/languages/pl.md' with { type: 'text' };
import ptBR from '../../content/languages/pt-BR.md' with { type: 'text' };
import zhHans from '../../content/languages/zh-Hans.md' with { type: 'text' };

/** The files, by their BCP 47 tags: texts before the guide, which is the document. */
const FILES: Readonly<Record<string, string>> = {
  en,
  de,
  fr,
  es,
  'pt-BR': ptBR,
  it,
  nl,
  pl,
  ja,
  'zh-Hans': zhHans,
  ko,
  ar,
};

type Texts = Readonly<Record<string, string>>;

/** The parts of the texts; English has no messages and names of formats, which stand where they are made. */
const PARTS = [
  'page',
  'links',
  'formats',
  'front',
  'errors',
  'messages',
  'app',
  'mail',
  'report',
] as const;

/** The texts of a language. */
export interface LanguageTexts extends Readonly<Record<(typeof PARTS)[number], Texts>> {
  /** The guide with its front matter. */
  readonly guide: string;
}

/** The languages in which people are spoken to. */
export const LANGUAGE_TAGS: readonly string[] = Object.keys(FILES);

const ENGLISH = read(en);
const ALL = new Map(LANGUAGE_TAGS.map((tag) => [tag, completed(read(FILES[tag] ?? en))]));

/** The texts of a language; those that it lacks, and those of a language that is not there, are English. */
export const textsIn = (tag: string): LanguageTexts => ALL.get(tag) ?? ENGLISH;

function completed(own: LanguageTexts): LanguageTexts {
  const parts = PARTS.map((part) => [part, { ...ENGLISH[part], ...own[part] }]);
  return { ...own, ...Object.fromEntries(parts) };
}

function read(file: string): LanguageTexts {
  const whole = file.replaceAll('\r\n', '\n');
  const head = whole.slice(0, whole.indexOf('\n---\n', 4));
  const texts = load(head.slice(4), { schema: FAILSAFE_SCHEMA }) as object;
  const none = Object.fromEntries(PARTS.map((part) => [part, {}])) as Record<
    (typeof PARTS)[number],
    Texts
  >;
  const { title = '', description = '', updated = '' } = texts as Texts;
  const matter = [`title: ${JSON.stringify(title)}`, `description: ${JSON.stringify(description)}`];
  const body = whole.slice(head.length);
  return { ...none, ...texts, guide: `---\n${matter.join('\n')}\nupdated: ${updated}${body}` };
}
