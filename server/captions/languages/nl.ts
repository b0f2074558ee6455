import type { LanguageWords } from '../language-words.ts';

/** Dutch. */
export const nl: LanguageWords = {
  articles: "de het een 't",
  possessives: 'mijn jouw je zijn haar ons onze hun uw',
  determiners:
    'deze dit die dat geen elke elk ieder iedere alle veel weinig sommige enkele meerdere andere ander zulke welke twee drie vier vijf zes zeven acht negen tien honderd duizend eerste',
  prepositions:
    'aan achter bij binnen boven buiten door in langs met na naar naast om onder op over per rond sinds te tegen ten ter tijdens tot tussen uit van vanaf via volgens voor zonder',
  conjunctions:
    'en of maar want dus omdat hoewel als toen terwijl zodat voordat nadat wanneer waar wie wat hoe',
  auxiliaries:
    'is was waren ben bent geweest heeft hebben heb had hadden wordt worden werd werden kan kunnen kon zal zullen zou zouden moet moeten wil willen mag mogen',
  pronouns: 'ik jij hij zij ze wij we jullie u men er',
  objectPronouns: 'ze jullie u er',
  modifiers:
    'heel erg zeer niet ook nog al altijd nooit bijna zo te meer minder echt alleen nieuwe grote goede kleine mooie oude korte lange jonge eigen laatste hele belangrijke',
  modifierEndings: 'lijk lijke ige ische',
  units:
    'euro dollar jaar jaren maanden weken dagen dag uur uren minuten seconden kilometer meter procent miljoen miljard duizend keer',
  titles: 'dhr. mevr. dr. prof. ir. drs. mr. st.',
  counters: 'nr. blz. art. ca. p.',
  abbreviations: 'bijv. bv. enz. o.a. d.w.z. m.b.t. i.p.v. evt. etc.',
};
