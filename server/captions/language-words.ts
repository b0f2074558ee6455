/** The small words of each language. */
import { en, type LanguageWords } from './english-words.ts';

/** Arabic. The article and several prepositions are written as part of the next word. */
const ar: LanguageWords = {
  prepositions: 'في من إلى على عن مع بين عند حتى منذ بعد قبل',
  conjunctions: 'لكن أو ثم أن إن لأن إذا الذي التي لأنها',
  auxiliaries: 'لا لم لن قد',
  modifiers: 'هذا هذه كل مدينة',
  enclitics: 'جدا',
};

/** German. */
const de: LanguageWords = {
  verbsLast: true,
  articles: 'der die das den dem des ein eine einen einem einer eines',
  possessives:
    'mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren euer eure meines deiner deinem deines seines ihres unserem unserer unseres eurem euren eurer eures',
  determiners:
    'dieser diese dieses diesen diesem jeder jede jedes jeden jedem kein keine keinen keinem keiner alle allen aller manche viele vielen einige mehrere andere anderen welche welcher welches solche zwei drei vier fünf sechs sieben acht neun zehn hundert tausend erste ersten dies jener jene jenes jenen jenem mancher manches manchen manchem keines solcher solches solchen solchem welchen welchem beide beiden beider beides sämtliche sämtlichen mehreren einigen einiger viel vieler wenig wenige wenigen weniger etliche irgendein irgendeine irgendeinen irgendwelche derselbe dieselbe dasselbe denselben derjenige diejenige dasjenige diejenigen elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig zweite zweiten dritte dritten anderer anderes anderem erster erstes',
  prepositions:
    'an am auf aus außer bei beim bis durch für gegen gegenüber hinter im in ins mit nach neben ohne seit trotz über um unter von vom vor während wegen zu zum zur zwischen anstatt aufs ans anhand aufgrund außerhalb binnen fürs gemäß hinterm innerhalb mithilfe mittels oberhalb samt übers überm ums unters unterm unterhalb vors vorm diesseits jenseits',
  conjunctions:
    'und oder aber denn sondern dass weil obwohl wenn als ob damit sodass bevor nachdem wo wie was wer sowie falls sobald solange sooft soweit sofern indem indes insofern obgleich obschon wenngleich wohingegen weder entweder dessen deren warum wieso weshalb wann wen wem wessen woher wohin worauf wodurch womit',
  auxiliaries:
    'ist sind war waren bin bist seid sein habe hat haben hatte hatten wird werden wurde wurden worden kann können konnte soll sollen sollte muss müssen musste will wollen wollte darf dürfen möchte wäre wären wärst wart hast habt hätte hätten hättest wirst werdet würde würden würdest kannst könnt konnten könnte könnten könntest sollst sollt sollten muß musst müsst mussten müsste müssten willst wollt wollten darfst dürft durfte durften dürfte dürften mag mögen mochte möchten lässt lassen ließ sei seien',
  pronouns:
    'ich du er sie es wir man sich mich dich uns euch mir dir ihm ihn ihnen einander jemand niemand etwas nichts',
  objectPronouns:
    'sie es sich mich dich uns euch mir dir ihm ihn ihnen einander jemand niemand etwas nichts',
  modifiers:
    'sehr nicht nur auch noch schon immer nie ganz so zu mehr weniger fast etwa ziemlich wirklich neue neuen neuer neues große großen gute guten kleine kleinen kurze kurzen lange langen junge alte alten eigene eigenen letzte letzten ganze ganzen wichtige wichtigen',
  pairs: {
    wenn: 'auch selbst immer',
    dass: 'so',
  },
  modifierEndings: 'lich liche lichen licher ige igen iger ische ischen ischer',
  units:
    'euro dollar jahre jahren jahr monate wochen tage tagen tag stunden stunde minuten sekunden kilometer meter prozent millionen million milliarden tausend mal',
  titles: 'hr. fr. dr. prof. st. dipl. ing.',
  counters: 'nr. s. art. bd. abs. kap. ca.',
  abbreviations: 'z.b. d.h. u.a. usw. bzw. evtl. ggf. inkl. str. o.ä. v.a. etc. z. b. d. h.',
};

/** Spanish. */
const es: LanguageWords = {
  adjectivesFollow: true,
  articles: 'el la los las lo un una unos unas',
  possessives:
    'mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra vuestros vuestras',
  determiners:
    'este esta estos estas ese esa esos esas aquel aquella aquellos aquellas cada todo toda todos todas algún alguna algunos algunas ningún ninguna otro otra otros otras mucho mucha muchos muchas pocos pocas varios varias tanto tanta cuyo cuya dos tres cuatro cinco seis siete ocho nueve diez cien mil primer primera ningunos ningunas poco poca tantos tantas cuanto cuanta cuantos cuantas cualquier cualquiera tal tales ambos ambas diversos diversas cierto cierta ciertos ciertas sendos cuyos cuyas once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa ciento doscientos doscientas trescientos trescientas primeros primeras tercer tercera qué',
  prepositions:
    'a al ante bajo con contra desde durante en entre hacia hasta mediante para por según sin sobre tras excepto salvo versus',
  genitives: 'de del',
  conjunctions:
    'y e o u ni pero sino porque aunque si cuando mientras donde como que pues cual cuales quien quienes conque mas adonde cuál cuáles quién quiénes dónde cuándo cómo',
  auxiliaries:
    'es son era eran fue fueron ser ha han había habían he hemos está están estaba estaban puede pueden podemos podría va van vamos debe deben hay soy eres somos sois eras éramos fui fuiste fuimos seré será seremos serán sería seríamos serían sea seas seamos sean fueran fuese fuesen siendo sido estoy estás estamos estuve estuvo estuvimos estuvieron estará estarán estaría estarían esté estemos estén estuviera estuvieran estar has habíamos hube hubo hubieron habré habrá habremos habrán habría habríamos habrían haya hayamos hayan hubiera hubiéramos hubieran hubiese haber voy vas iba íbamos iban vaya vayamos vayan ir puedo puedes podía podíamos podían pude pudo pudimos pudieron podré podrá podremos podrán podríamos podrían pueda podamos puedan pudiera pudieran debo debes debemos debía debíamos debían deberá deberán debería deberíamos deberían suele suelen solía solían',
  pronouns:
    'yo tú él ella nosotros ellos ellas usted ustedes se me te le les nos no vosotros vosotras nosotras os esto eso aquello mí ti sí conmigo contigo consigo ello',
  objectPronouns:
    'él ella nosotros ellos ellas usted ustedes vosotros vosotras nosotras esto eso aquello mí ti sí conmigo contigo consigo ello',
  modifiers:
    'muy más menos tan bien también ya casi solo sólo aún todavía gran buen mal nuevo nueva breve mejor peor mayor último última mismo misma propio propia antiguo antigua',
  beforePrepositions:
    'antes después además dentro fuera cerca lejos junto gracias debido través pesar acerca alrededor',
  pairs: {
    que: 'ya así antes después siempre puesto dado mientras ahora',
    como: 'tal así',
    si: 'incluso',
  },
  participleEndings: 'ando iendo',
  units:
    'euros euro dólares pesos años año meses mes semanas días día horas hora minutos segundos kilómetros metros millones millón mil por ciento veces',
  titles: 'sr. sra. srta. dr. dra. d. dña. prof. ing. lic.',
  counters: 'núm. n.º pág. art. cap. vol.',
  abbreviations: 'ud. uds. p.ej. etc. ee.uu. a.c. d.c. s.a.',
};

/** French. */
const fr: LanguageWords = {
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

/** Hebrew. The article and several prepositions are written as part of the next word. */
const he: LanguageWords = {
  prepositions: 'של את על עם אל מן בין לפני אחרי בלי כמו עד',
  conjunctions: 'אבל או כי אם אשר כדי',
  modifiers: 'כל לא',
  enclitics: 'מאוד מדי הזה',
};

/** Hindi: postpositions and auxiliaries belong to the word before them. */
const hi: LanguageWords = {
  enclitics:
    'का के की को से में ने तक ही भी है हैं था थी थे हो होगा गया रहा रही रहे सकता सकती सकते चाहिए लिए बाद साथ बारे',
  conjunctions: 'और या लेकिन क्योंकि कि जब अगर जो',
  modifiers: 'यह वह इस उस बहुत नहीं सबसे एक',
};

/** Italian. */
const it: LanguageWords = {
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

/** Japanese, in words as the segmenter divides them; particles and endings belong to the previous word. */
const ja: LanguageWords = {
  enclitics:
    'は が を に へ で と も の から まで より や ね よ か な さ わ ぞ ので のに けど けれど だけ しか ほど くらい ぐらい など って て た だ だった です でし でした ます まし ました ません しま した し する れる られ られる せる させ ない なかっ なく たい う ん ば たら なら ながら たり たち さん 的 化 性 者 年 月 日 時 分 秒 人 円 つ 個 回 いる い よう うち こと ところ みな け れ できる',
  modifiers: 'この その あの どの ある とても もっと 最も 約 第',
};

/**
 * Korean: bound nouns, auxiliaries and the words that follow a particle (“고객을 위해”) belong to the word before them;
 * a word that ends as modifiers of nouns do (“중요한”, “만드는”) belongs to the one after it.
 */
const ko: LanguageWords = {
  enclitics:
    '것 것은 것이 것을 것도 것으로 것처럼 것입니다 거 거라고 거예요 수 수가 수는 수도 줄 줄을 때 때문에 때문입니다 적 데 뿐 듯 만큼 대로 동안 등 있다 있는 있고 있어 있으며 있어요 있습니다 있는지 있는지에 있다고 없다 없는 없고 없습니다 않다 않는 않고 않습니다 싶다 싶습니다 합니다 주세요 보겠습니다 위해 위한 대해 대해서 대한 통해 따라 일은 일이 있게 있을 있을지 못한 보니 않으면 하면 했더니',
  modifiers:
    '이 그 더 가장 아주 매우 너무 정말 다시 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 첫 각 매 전 모든 여러 다른 어떤 이런 그런 같은 많은 좋은 새',
  modifierEndings: '하는 되는 한 된 할 될 적인 로운 만드는 쓰는',
  units: '년 월 일 시 시간 분 초 원 달러 명 개 번 퍼센트',
};

/** Dutch. */
const nl: LanguageWords = {
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

/** Portuguese. */
const pt: LanguageWords = {
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

/** Thai, in words as the segmenter divides them. */
const th: LanguageWords = {
  enclitics: 'ครับ ค่ะ คะ นะ ๆ ด้วย เลย แล้ว อยู่ ขึ้น ลง ไป มา นี้ นั้น',
  prepositions: 'ของ ใน จาก กับ ที่ บน ใต้ ถึง สำหรับ โดย ตาม แก่ ต่อ ระหว่าง',
  conjunctions: 'และ แต่ หรือ เพราะ ถ้า ซึ่ง ว่า เมื่อ ดังนั้น จึง เพื่อ',
  auxiliaries: 'เป็น คือ จะ ได้ ต้อง ควร อาจ กำลัง ให้ ก็ สามารถ',
  modifiers: 'ไม่ การ ความ',
};

/** Chinese, in words as the segmenter divides them; endings belong to the previous word. */
const zh: LanguageWords = {
  enclitics:
    '的 了 着 过 吗 呢 吧 啊 呀 嘛 们 地 得 之 等 里 上 下 中 内 外 后 前 年 月 日 号 个 些 次 种 位 女士 先生',
  prepositions: '在 从 把 被 对 向 往 给 跟 为 由 于 以 按 比 让 使 用',
  conjunctions:
    '和 与 或 及 但 而 并 且 因为 所以 如果 虽然 但是 不过 或者 而且 因此 然后 那么 就是 以及 来自于',
  auxiliaries: '是 有 会 能 可以 应该 必须 要 想 将 正在',
  determiners: '这 那 每 某 各 这个 那个 一个 这些 那些 一些 许多 很多 每个 所有',
  modifiers: '的 地 很 最 更 太 非常 不 没 没有 也 都 还 就 只 才 又 再 已经 新的',
  pronouns: '我 你 他 她 它 我们 你们 他们 她们 它们 您',
  objectPronouns: '我 你 他 她 它 我们 你们 他们 她们 它们 您',
};

/** The words of each language, by its tag. */
export const LANGUAGE_WORDS = { ar, de, en, es, fr, he, hi, it, ja, ko, nl, pt, th, zh };
