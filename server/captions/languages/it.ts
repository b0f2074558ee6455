import type { LanguageWords } from '../language.ts';

export const it: LanguageWords = {
  articles:
    "il lo la i gli le l' un uno una un' questo questa questi queste quel quello quella quei",
  possessives: 'mio mia miei mie tuo tua suo sua suoi sue nostro nostra nostri vostro vostra loro',
  prepositions:
    "a al allo alla ai agli alle con contro da dal dalla dai di del dello della dei degli delle dell' dopo durante fra in nel nella nei per senza sopra sotto su sul sulla tra verso",
  conjunctions: 'e ed o ma però né che se quando mentre perché poiché dove come cui quale',
  auxiliaries: 'è sono era erano ha hanno aveva ho hai abbiamo sta stanno può possono viene va',
  pronouns: 'io tu lui lei noi voi essi si mi ti ci vi',
  abbreviations: 'sig. sig.ra dott. prof. ecc. es. p.es.',
};
