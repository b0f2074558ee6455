import type { LanguageWords } from '../language-words.ts';

/** French. */
export const fr: LanguageWords = {
  adjectivesFollow: true,
  articles: "le la les l' un une des du d'un d'une",
  possessives: 'mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs',
  determiners:
    'ce cet cette ces chaque tout toute tous toutes quelque quelques plusieurs aucun aucune autre autres même mêmes beaucoup quel quelle quels quelles deux trois quatre cinq six sept huit neuf dix cent mille premier première aucuns aucunes certain certains certaine certaines divers diverses différents différentes tel telle tels telles nul nulle maint maints onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante cents premiers premières second troisième combien',
  prepositions:
    "à au aux après avant avec chez contre dans de d' depuis derrière dès devant durant en entre envers hors jusque jusqu' malgré par parmi pendant pour sans sauf selon sous sur vers d'après excepté hormis lors moyennant nonobstant outre via concernant",
  conjunctions:
    "et ou mais donc or ni car que qu' quand lorsque lorsqu' si comme puisque puisqu' quoique où qui dont parce quoiqu' puis lequel laquelle lesquels lesquelles auquel auxquels auxquelles duquel desquels desquelles pourquoi comment combien sinon soit",
  auxiliaries:
    "est sont était étaient être a ont avait avaient suis es sommes êtes ai as avons avez sera seront va vont peut peuvent doit doivent faut n'est n'a c'est c'était fus fut furent fûmes serai seras serons serez serais serait serions seraient sois soit soyons soyez soient fût étais étions étiez étant eus eut eurent aurai auras aura aurons aurez auront aurais aurait aurions auraient aie aies ait ayons ayez aient eût avais avions aviez ayant avoir vais vas allons allez allais allait allions allaient ira iront irait iraient aille aillent aller peux pouvons pouvez pouvais pouvait pouvions pouvaient put pourrai pourras pourra pourrons pourrez pourront pourrais pourrait pourrions pourriez pourraient puisse puissions puissent dois devons devez devais devait devions devaient devra devrons devront devrais devrait devrions devraient doive fallait faudra faudrait veux veut voulons voulez veulent voulais voulait voulions voulaient voudrais voudrait voudraient",
  pronouns:
    "je j' tu il elle on nous vous ils elles se s' me m' te t' y lui ne n' ça ceci cela celui celle ceux celles moi toi soi eux l'un l'une",
  objectPronouns: "nous vous elle elles lui ça ceci cela moi toi soi eux l'un l'une",
  modifiers:
    'très plus moins si aussi bien trop peu presque déjà encore toujours jamais pas petit petite grand grande bon bonne nouveau nouvelle beau belle vieux vieille court courte long longue jeune gros grosse propre dernier dernière',
  beforePrepositions: 'près loin grâce quant afin autour lieu cause travers',
  pairs: {
    "que qu'": 'alors tandis bien ainsi afin avant depuis pendant dès maintenant',
    "si s'": 'même',
  },
  participleEndings: 'ant',
  units:
    'euros euro dollars ans an années mois semaines jours jour heures heure minutes secondes kilomètres mètres millions milliards pour cent pourcent fois',
  titles: 'm. mm. mme. mlle. dr. pr. me.',
  counters: 'n° no. p. pp. art. chap. vol.',
  abbreviations: 'p.ex. etc. av. apr. j.-c. env. cf.',
};
