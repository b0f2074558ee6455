import type { LanguageWords } from '../language-words.ts';

/** Italian. */
export const it: LanguageWords = {
  adjectivesFollow: true,
  articles: "il lo la i gli le l' un uno una un'",
  possessives:
    'mio mia miei mie tuo tua tuoi suo sua suoi sue nostro nostra nostri vostro vostra loro',
  determiners:
    "questo questa questi queste quest' quel quello quella quei quegli quelle ogni tutto tutta tutti tutte alcuni alcune qualche altro altra altri altre molto molta molti molte poco pochi vari varie due tre quattro cinque sei sette otto nove dieci cento mille primo prima",
  prepositions:
    "a ad al allo alla ai agli alle all' con contro da dal dalla dallo dai dall' di d' del dello della dei degli delle dell' dopo durante fra in nel nella nello nei negli nelle nell' per senza sopra sotto su sul sulla sui sulle sull' tra verso",
  conjunctions:
    "e ed o ma però né che ch' se quando mentre perché poiché dove come cui quale quali chi quindi",
  auxiliaries:
    "è sono era erano essere ha hanno aveva avevano ho hai abbiamo sta stanno stava può possono potrebbe viene va vanno deve devono c'è",
  pronouns: "io tu lui lei noi voi essi si mi ti ci vi ne non s' m' t'",
  objectPronouns: 'lui lei noi voi loro',
  modifiers:
    'più meno così bene anche già quasi solo ancora sempre mai molto grande gran buon bella bel nuovo nuova breve piccolo piccola vecchio stesso stessa proprio propria ultimo ultima',
  participleEndings: 'ando endo',
  units:
    'euro dollari anni anno mesi mese settimane giorni giorno ore ora minuti secondi chilometri metri milioni milione miliardi mila per cento volte',
  titles: 'sig. sig.ra sig.na dott. dott.ssa prof. prof.ssa ing. avv.',
  counters: 'n. pag. art. cap. vol.',
  abbreviations: 'ecc. es. p.es. a.c. d.c. s.p.a. cfr.',
};
