/** The words around a document for people, and those of errors, in German. */
import type { PageWords } from './page-words.ts';

/** German. */
export const GERMAN: PageWords = {
  skip: 'Zum Inhalt springen',
  site: 'Seiten',
  more: 'Mehr',
  onThisPage: 'Auf dieser Seite',
  languages: 'Sprachen',
  developers: 'Für Entwickler und Agenten (auf Englisch)',
  links: {
    '/': 'Dienst',
    '/app': 'App',
    '/guide': 'Anleitung',
    '/auth': 'Schlüssel erhalten',
    '/docs': 'API-Referenz',
    '/openai': 'Von whisper-1 wechseln',
    '/limits': 'Limits',
    '/privacy': 'Datenschutz',
    '/skills/captioner/SKILL.md': 'Agent Skill',
    '/openapi.json': 'OpenAPI',
    '/llms.txt': 'llms.txt',
  },
  changed: (day) => `Zuletzt geändert: ${day}.`,
  markdown: 'Diese Seite als Markdown',
  askFor: 'fordern Sie an:',
  titles: {
    401: 'Ein Schlüssel ist nötig',
    403: 'Ihr Schlüssel erlaubt das nicht',
    404: 'Seite nicht gefunden',
    405: 'Diese Adresse ist keine Seite',
    503: 'Gerade nicht möglich',
    400: 'Die Anfrage ist fehlgeschlagen',
    500: 'Etwas ist schiefgegangen',
  },
  messages: {
    not_found: 'Unter dieser Adresse gibt es nichts.',
    run_not_found: 'Diesen Auftrag gibt es nicht, oder er ist abgelaufen.',
    method_not_allowed: 'Diese Adresse lässt sich so nicht aufrufen.',
    missing_credential: 'Dafür ist ein Schlüssel nötig.',
    invalid_credential: 'Dieser Schlüssel gilt nicht oder nicht mehr.',
    insufficient_scope: 'Dieser Schlüssel erlaubt das nicht.',
    rate_limited: 'Das waren zu viele Anfragen. Warten Sie eine Weile.',
    unavailable: 'Der Dienst kann das gerade nicht. Versuchen Sie es gleich noch einmal.',
    internal: 'Auf dem Server ist etwas schiefgegangen.',
  },
  other: (message) => `Der Dienst meldet auf Englisch: „${message}“`,
};
