import type { LanguageWords } from '../language-words.ts';

/** Dutch. */
export const nl: LanguageWords = {
  verbsLast: true,
  articles: "de het een 't",
  possessives: "mijn jouw je zijn haar ons onze hun uw m'n z'n d'r",
  determiners:
    "deze dit die dat geen elke elk ieder iedere alle veel weinig sommige enkele meerdere andere ander zulke welke twee drie vier vijf zes zeven acht negen tien honderd duizend eerste dezelfde hetzelfde zo'n zulk menig menige verscheidene beide allerlei elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig tweede derde vele",
  prepositions:
    'aan achter bij binnen boven buiten door in langs met na naar naast om onder op over per rond sinds te tegen ten ter tijdens tot tussen uit van vanaf via volgens voor zonder behalve gedurende tegenover wegens ondanks vanwege namens omstreeks rondom dankzij niettegenstaande inzake krachtens middels qua',
  conjunctions:
    'en of maar want dus omdat hoewel als toen terwijl zodat voordat nadat wanneer waar wie wat hoe indien mits tenzij aangezien doordat opdat zoals alvorens naarmate zolang zodra waarom waarin waarop waarmee waardoor wiens wier waarvan ofwel hetzij',
  auxiliaries:
    'is was waren ben bent geweest heeft hebben heb had hadden wordt worden werd werden kan kunnen kon zal zullen zou zouden moet moeten wil willen mag mogen kunt konden zult moest moesten wilt wilde wilden wou mocht mochten gaat ga ging gingen laat liet lieten hoeft hoeven',
  pronouns:
    'ik jij hij zij ze wij we jullie u men er mij me jou hem hen elkaar zich iemand niemand iets niets',
  objectPronouns: 'ze jullie u er mij me jou hem hen zich elkaar iemand niemand iets niets',
  modifiers:
    'heel erg zeer niet ook nog al altijd nooit bijna zo te meer minder echt alleen nieuwe grote goede kleine mooie oude korte lange jonge eigen laatste hele belangrijke',
  pairs: {
    al: 'ook',
    als: 'ook net zelfs',
    zoals: 'net',
  },
  modifierEndings: 'lijk lijke ige ische',
  units:
    'euro dollar jaar jaren maanden weken dagen dag uur uren minuten seconden kilometer meter procent miljoen miljard duizend keer',
  titles: 'dhr. mevr. dr. prof. ir. drs. mr. st.',
  counters: 'nr. blz. art. ca. p.',
  abbreviations: 'bijv. bv. enz. o.a. d.w.z. m.b.t. i.p.v. evt. etc.',
};
