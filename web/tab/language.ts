/** The language of the app: the one in the page's address, the one chosen in this browser, or the first that the browser asks for. */
import { bestLanguage, directionOf, ownName } from '../../server/contract/best-language.ts';
import { storeText, storedText } from '../storage/web-storage.ts';
import { LANGUAGES, speakFirst } from '../texts/languages/languages.ts';

const KEPT = 'captioner.language';
/** The parameter of a link that carries a language. */
const CARRIED = 'lang';
const TAGS = ['en', ...Object.keys(LANGUAGES)];

/** The choice in this browser; `system` for the browser's languages. */
export const languageChoice = (): string => carried() ?? kept() ?? 'system';

/** The languages to choose from, each by its own name. */
export const languageOptions = (): (readonly [tag: string, name: string])[] =>
  TAGS.map((tag) => [tag, ownName(tag)]);

/** Chooses a language in this browser, and loads the page in it. @param choice `system` for the browser's own */
export function chooseLanguage(choice: string): void {
  storeText('localStorage', KEPT, choice === 'system' ? null : choice);
  const address = new URL(location.href);
  address.searchParams.delete(CARRIED);
  history.replaceState(history.state, '', address);
  location.reload();
}

/**
 * Shows the app in the language of its user.
 * @returns what to wait for, if texts have to be loaded
 */
export function speakChosenLanguage(): Promise<void> | null {
  const tag = carried() ?? kept() ?? bestLanguage(navigator.languages, TAGS) ?? 'en';
  if (tag !== 'en') return speakInPage(tag);
  markPage('en');
  return null;
}

async function speakInPage(tag: string): Promise<void> {
  try {
    await speakFirst(tag);
  } catch {
    // English stands in the app itself.
    markPage('en');
    return;
  }
  markPage(tag);
}

/** The server's page is in the language that the browser asks for, which need not be the one that was chosen. */
function markPage(tag: string): void {
  document.documentElement.lang = tag;
  document.documentElement.dir = directionOf(tag);
}

const offered = (tag: string | null): string | null => bestLanguage(tag ? [tag] : [], TAGS);
const carried = (): string | null => offered(new URLSearchParams(location.search).get(CARRIED));
const kept = (): string | null => offered(storedText('localStorage', KEPT));
