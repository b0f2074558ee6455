import type { LanguageWords } from '../language.ts';

export const nl: LanguageWords = {
  articles: "de het een 't deze dit die dat geen",
  possessives: 'mijn jouw je zijn haar ons onze jullie hun uw',
  prepositions:
    'aan achter bij binnen boven buiten door in langs met na naar naast om onder op over per rond sinds te tegen ten ter tijdens tot tussen uit van vanaf via volgens voor zonder',
  conjunctions:
    'en of maar want dus dat omdat hoewel als toen terwijl zodat voordat nadat wanneer waar die',
  auxiliaries:
    'is zijn was waren ben bent heeft hebben had hadden wordt worden werd werden kan kunnen zal zullen moet moeten wil willen mag',
  pronouns: 'ik jij je hij zij ze het wij we jullie u men',
  abbreviations: 'dhr. mevr. dr. prof. bijv. enz. o.a. d.w.z. nr.',
};
