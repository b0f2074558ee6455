import type { LanguageWords } from '../language.ts';

export const pt: LanguageWords = {
  articles: 'o a os as um uma uns umas este esta estes estas esse essa esses essas aquele aquela',
  possessives: 'meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas',
  prepositions:
    'a ao aos à às ante após até com contra de do da dos das desde durante em no na nos nas entre para pelo pela por pra sem sob sobre num numa',
  conjunctions: 'e ou mas nem porém porque pois que se quando enquanto embora onde como cujo qual',
  auxiliaries: 'é são era eram foi foram há tem têm tinha está estão estava pode podem vai vão ser',
  pronouns: 'eu tu ele ela nós eles elas você vocês se me te lhe',
  abbreviations: 'sr. sra. dr. dra. prof. etc. p.ex. av.',
};
