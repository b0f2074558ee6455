import type { LanguageWords } from '../language-words.ts';

/** Portuguese. */
export const pt: LanguageWords = {
  adjectivesFollow: true,
  articles: 'o a os as um uma uns umas',
  possessives: 'meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas',
  determiners:
    'este esta estes estas esse essa esses essas isso aquele aquela aqueles aquelas cada todo toda todos todas algum alguma alguns algumas nenhum nenhuma outro outra outros outras muito muita muitos muitas poucos vários várias dois duas três quatro cinco seis sete oito nove dez cem mil primeiro primeira',
  prepositions:
    'ao aos à às ante após até com contra de do da dos das desde durante em no na nos nas entre para pelo pela pelos pelas por pra sem sob sobre num numa',
  conjunctions:
    'e ou mas nem porém porque pois que se quando enquanto embora onde como cujo cuja qual quais quem',
  auxiliaries:
    'é são era eram foi foram ser há tem têm tinha tinham está estão estava estavam pode podem vai vão vamos deve devem',
  pronouns: 'eu tu ele ela nós eles elas você vocês me te lhe lhes não',
  objectPronouns: 'ele ela nós eles elas você vocês',
  modifiers:
    'mais menos tão bem também já quase só ainda grande bom boa novo nova breve pequeno pequena melhor pior maior último última mesmo mesma próprio própria',
  participleEndings: 'ando endo indo',
  units:
    'euros reais dólares anos ano meses mês semanas dias dia horas hora minutos segundos quilômetros metros milhões milhão bilhões mil por cento vezes',
  titles: 'sr. sra. srta. dr. dra. prof. profa. eng.',
  counters: 'n.º nº pág. art. cap. vol.',
  abbreviations: 'etc. p.ex. av. ex. a.c. d.c. s.a. ltda.',
};
