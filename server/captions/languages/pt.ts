import type { LanguageWords } from '../language-words.ts';

/** Portuguese. */
export const pt: LanguageWords = {
  adjectivesFollow: true,
  articles: 'o a os as um uma uns umas',
  possessives:
    'meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas teus tuas vosso vossa vossos vossas',
  determiners:
    'este esta estes estas esse essa esses essas aquele aquela aqueles aquelas cada todo toda todos todas algum alguma alguns algumas nenhum nenhuma outro outra outros outras muito muita muitos muitas poucos vários várias dois duas três quatro cinco seis sete oito nove dez cem mil primeiro primeira nenhuns nenhumas poucas pouco pouca diversos diversas certo certa certos certas tanto tanta tantos tantas quanto quanta quantos quantas qualquer quaisquer tal tais ambos ambas onze doze treze catorze quatorze quinze dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cento duzentos duzentas trezentos trezentas primeiros primeiras terceiro terceira',
  prepositions:
    'ao aos à às ante após até com contra desde durante em no na nos nas entre para pelo pela pelos pelas por pra sem sob sobre num numa dum duma duns dumas nuns numas deste desta destes destas desse dessa desses dessas daquele daquela daqueles daquelas neste nesta nestes nestas nesse nessa nesses nessas naquele naquela naqueles naquelas àquele àquela àqueles àquelas pro pros pras conforme consoante exceto mediante perante',
  genitives: 'de do da dos das',
  conjunctions:
    'e ou mas nem porém porque pois que se quando enquanto embora onde como cujo cuja qual quais quem contudo todavia entretanto portanto aonde donde cujos cujas porquanto senão',
  auxiliaries:
    'é são era eram foi foram ser há tem têm tinha tinham está estão estava estavam pode podem vai vão vamos deve devem sou és somos sois eras éramos fui foste fomos serei será seremos serão seria seríamos seriam seja sejam sejamos fosse fossem fôssemos for forem formos sendo sido estou estás estamos estavas estávamos estive esteve estivemos estiveram estarei estará estaremos estarão estaria estariam esteja estejam estejamos estivesse estivessem estiver estiverem estar tenho tens temos tinhas tínhamos tive teve tivemos tiveram terei terá teremos terão teria teríamos teriam tenha tenhamos tenham tivesse tivessem tiver tiverem tivermos ter tendo tido hei havemos hão havia haviam houve haverá haveria haja houvesse houver haver vou vais ia íamos iam irei irá iremos irão iria iríamos iriam vá ir posso podes podemos podia podíamos podiam pude pôde pudemos puderam poderei poderá poderemos poderão poderia poderíamos poderiam possa possamos possam pudesse pudéssemos pudessem puder puderem devo deves devemos devia devíamos deviam deveria deveríamos deveriam deverá deverão',
  pronouns:
    'eu tu ele ela nós eles elas você vocês me te lhe lhes não vós vos isto isso aquilo disto disso daquilo nisto nisso naquilo dele dela deles delas nele nela neles nelas mim ti comigo contigo consigo conosco connosco convosco',
  objectPronouns:
    'ele ela nós eles elas você vocês vós isto isso aquilo disto disso daquilo nisto nisso naquilo dele dela deles delas nele nela neles nelas mim ti comigo contigo consigo conosco connosco convosco',
  modifiers:
    'mais menos tão bem também já quase só ainda grande bom boa novo nova breve pequeno pequena melhor pior maior último última mesmo mesma próprio própria',
  beforePrepositions:
    'antes depois além apesar através acerca cerca dentro perto longe junto graças devido partir',
  pairs: {
    que: 'já assim antes depois ainda mesmo sempre só visto dado logo agora',
    como: 'tal assim bem',
    se: 'mesmo',
  },
  participleEndings: 'ando endo indo',
  units:
    'euros reais dólares anos ano meses mês semanas dias dia horas hora minutos segundos quilômetros metros milhões milhão bilhões mil por cento vezes',
  titles: 'sr. sra. srta. dr. dra. prof. profa. eng.',
  counters: 'n.º nº pág. art. cap. vol.',
  abbreviations: 'etc. p.ex. av. ex. a.c. d.c. s.a. ltda.',
};
