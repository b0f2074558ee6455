import type { LanguageWords } from '../language.ts';

export const fr: LanguageWords = {
  articles: "le la les l' un une des du ce cet cette ces",
  possessives: 'mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs',
  prepositions:
    'à au aux après avant avec chez contre dans de depuis derrière dès devant durant en entre envers hors jusque malgré par parmi pendant pour sans sauf selon sous sur vers',
  conjunctions:
    "et ou mais donc or ni car que qu' quand lorsque si comme puisque quoique où qui dont",
  auxiliaries:
    'est sont était étaient a ont avait avaient suis es sommes êtes ai as avons avez sera va vont peut',
  pronouns: "je j' tu il elle on nous vous ils elles se me te lui",
  abbreviations: 'm. mme. mlle. dr. p.ex. etc. av.',
};
