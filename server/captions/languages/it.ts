import type { LanguageWords } from '../language-words.ts';

/** Italian. */
export const it: LanguageWords = {
  adjectivesFollow: true,
  articles: "il lo la i gli le l' un uno una un'",
  possessives:
    'mio mia miei mie tuo tua tuoi suo sua suoi sue nostro nostra nostri vostro vostra loro tue nostre vostri vostre',
  determiners:
    "questo questa questi queste quest' quel quello quella quei quegli quelle ogni tutto tutta tutti tutte alcuni alcune qualche altro altra altri altre molto molta molti molte poco pochi vari varie due tre quattro cinque sei sette otto nove dieci cento mille primo prima quell' alcun alcuno alcuna qualsiasi qualunque ciascun ciascuno ciascuna nessun nessuno nessuna poca poche parecchi parecchie tanto tanta tanti tante quanto quanta quanti quante tale tali certo certa certi certe diversi diverse entrambi entrambe ambedue undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta primi prime seconda terzo terza tutt' altr'",
  prepositions:
    "a ad al allo alla ai agli alle all' con contro da dal dalla dallo dai dall' dopo durante fra in nel nella nello nei negli nelle nell' per senza sopra sotto su sul sulla sui sulle sull' tra verso sugli col coi collo colla cogli colle eccetto entro malgrado mediante presso salvo tranne attraverso",
  genitives: "di d' del dello della dei degli delle dell'",
  conjunctions:
    "e ed o ma però né che ch' se quando mentre perché poiché dove come cui quale quali chi quindi anzi bensì dunque ebbene eppure affinché benché finché giacché purché sebbene siccome oppure ovvero nonché neppure neanche allorché dov' com' quand' laddove ovunque perciò",
  auxiliaries:
    "è sono era erano essere ha hanno aveva avevano ho hai abbiamo sta stanno stava può possono potrebbe viene va vanno deve devono c'è siamo siete ero eri eravamo eravate fui fu furono fummo sarò sarà saremo saranno sarei sarebbe saremmo sarebbero sia siano fosse fossero fossimo essendo avevo avevi avevamo avete ebbe ebbero avrò avrà avremo avranno avrei avrebbe avremmo avrebbero abbia abbiano avesse avessero avere avendo sto stai stiamo stavo stavano starà stia stare vado vai andiamo andava posso puoi possiamo potete potevo poteva potevamo potevano potrò potrà potremo potranno potrei potremmo potrebbero possa possano potesse potessero devo devi dobbiamo dovete dovevo doveva dovevano dovrà dovremo dovranno dovrei dovrebbe dovremmo dovrebbero debba debbano voglio vuoi vuole vogliamo vogliono voleva volevano vorrei vorrebbe vorremmo venire vengono veniva venivano verrà verranno c'era c'erano n'è",
  pronouns:
    "io tu lui lei noi voi essi si mi ti ci vi ne non s' m' t' egli ella esso essa esse me te sé ciò v' ce ve gliel'",
  objectPronouns: 'lui lei noi voi loro me te sé ciò esso essa esse',
  modifiers:
    'più meno così bene anche già quasi solo ancora sempre mai molto grande gran buon bella bel nuovo nuova breve piccolo piccola vecchio stesso stessa proprio propria ultimo ultima',
  beforePrepositions:
    'prima insieme vicino lontano accanto davanti invece oltre fino grazie intorno riguardo causa',
  pairs: {
    che: 'visto dato prima dopo ora nonostante oltre',
    se: 'anche',
    come: 'così',
  },
  participleEndings: 'ando endo',
  units:
    'euro dollari anni anno mesi mese settimane giorni giorno ore ora minuti secondi chilometri metri milioni milione miliardi mila per cento volte',
  titles: 'sig. sig.ra sig.na dott. dott.ssa prof. prof.ssa ing. avv.',
  counters: 'n. pag. art. cap. vol.',
  abbreviations: 'ecc. es. p.es. a.c. d.c. s.p.a. cfr.',
};
