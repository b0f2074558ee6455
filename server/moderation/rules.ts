/**
 * The moderator on this host: rules for clear cases of threats, hate and sexual content about minors, which need no
 * model. News, medicine, history, quoted speech and profanity pass. The rules cover English, and only a few plain
 * phrases in Spanish, French, German, Portuguese and Italian.
 */
import { uncounted } from '../compute.ts';
import { moderateChunks, type Moderator, moderationChunks } from './moderator.ts';
import { endsSentence } from '../captions/punctuation.ts';

/** The version of the rules; it changes whenever the same transcript may be judged differently. */
export const RULES_MODEL = 'edge-rules-1';

/** A kind of content that is not published. Patterns match folded sentences (`foldedSentences`). */
interface Rule {
  category: RuleCategory;
  severity: 'medium' | 'high';
  /** A global pattern without nested repetition, so that it takes linear time. */
  pattern: RegExp;
  /**
   * Exceptions. The words pass if one of these precedes the match in the sentence or, with `anywhere`, is anywhere in
   * it.
   */
  unless: readonly Exception[];
}

interface Exception {
  pattern: RegExp;
  where: 'before' | 'anywhere';
}

/** An exception is searched at most so many characters before the match (about ten words). */
const REACH = 60;

/** Somebody else's words: reported, quoted, sung, played, or discussed as words. "I said" does not count. */
const REPORTED: Exception = {
  where: 'before',
  pattern:
    /(?<!\b(?:i|we|i've|we've) (?:already |just |also |have )?)\b(?:said|says|saying|told|tells|telling|wrote|writes|writing|written|tweeted|posted|texted|shouted|shouting|screamed|screaming|yelled|yelling|chanted|chanting|claimed|claims|claiming|believed|believes|thought|threatened|threatening|threats?|warned|quote|quoted|quoting|quotes|called|reads|read|declared|argued|preached|insisted|was like|goes like|sings|sang|lyrics?|verse|song|movie|film|novel|character|villain|slogans?|propaganda|posters?|pamphlets?|headline|phrase|sentence|slur|letter|caller|voicemail|stereotype|myth|lie|idea that|notion that|rhetoric|ideology|racists?|bigots?|nazis|extremists?|trolls?|comments? like|things like|stuff like)\b/g,
};

/** Words that the speaker rejects: "nobody should say that …". */
const DISOWNED: Exception = {
  where: 'before',
  pattern:
    /\b(?:not|never|don't|doesn't|didn't|won't|can't|cannot|wouldn't|shouldn't|nobody|no one) (?:(?:should|would|could|can|ever|to|i|you|we) )*(?:say|think|believe|claim|argue|suggest|accept|agree|mean|teach|hear)\b|\b(?:wrong to|wrong that|false that|untrue that|absurd that|condemn|condemns|refuse to believe|instead of)\b/g,
};

/** A game, a match or a stage, where nobody is harmed. */
const PLAY: Exception = {
  where: 'anywhere',
  pattern:
    /\b(?:games?|gaming|level|boss fight|npcs?|respawn|respawns|minecraft|fortnite|chess|checkers|paintball|laser tag|video game|multiplayer|scene|in character|dungeon|dragons?|zombies?|orcs?|goblins?|playoffs?|tournament|scoreboard|improv|stand up comedy|karaoke|debate club|dance battle|rap battle|trivia|mario kart|scrabble|ping pong|tennis|the match|this match)\b/g,
};

/** Whether a folded sentence violates a rule. */
function breaksRule(sentence: string, rule: Rule): boolean {
  for (const match of sentence.matchAll(rule.pattern)) {
    const before = sentence.slice(Math.max(0, match.index - REACH), match.index);
    const passes = rule.unless.some(({ pattern, where }) =>
      (where === 'before' ? before : sentence).match(pattern),
    );
    if (!passes) return true;
  }
  return false;
}

// Hate: dehumanising groups of people, or wishing them harm.

/** Groups by origin, religion, colour, sex, orientation or disability. */
const GROUP =
  '(?:jews|jewish people|muslims|muslim people|christians|hindus|sikhs|buddhists|blacks|black people|black men|black women|black folks|whites|white people|asians|asian people|chinese people|the chinese|mexicans|latinos|hispanics|arabs|africans|indians|pakistanis|turks|kurds|poles|russians|ukrainians|palestinians|israelis|roma|gypsies|immigrants|migrants|refugees|foreigners|asylum seekers|gays|gay people|gay men|homosexuals|lesbians|queers|trans people|transgender people|trans women|trans men|women|disabled people|the disabled|autistic people|indigenous people|native americans|aboriginals)';
const ALL = '(?:all |all the |all of the |all those |those |these |these damn |every |the |you )?';
const LOW =
  '(?:vermin|rats|cockroaches|roaches|parasites|subhumans?|sub human|less than human|not (?:even |really |fully )?human(?: beings)?|not (?:even )?people|animals|savages|apes|monkeys|filth|scum|a plague|a disease|a cancer|a virus|pests|an inferior race|an inferior people|genetically inferior|racially inferior|born criminals|worthless|a stain on humanity)';
const WIPE =
  '(?:kill|murder|gas|exterminate|lynch|hang|shoot|behead|eradicate|eliminate|annihilate|wipe out|purge|cleanse|burn|slaughter|castrate|sterilize|enslave)';

const hate = (
  severity: Rule['severity'],
  pattern: string,
  unless: Rule['unless'] = [REPORTED, DISOWNED],
): Rule => ({
  category: 'hate',
  severity,
  pattern: new RegExp(pattern, 'g'),
  unless,
});

/** Contexts in which such words are the subject of discussion: history, law, teaching. */
const TOLD = {
  where: 'anywhere' as const,
  pattern:
    /\b(?:history|historians?|historical|museum|century|in 19\d\d|in 18\d\d|holocaust memorial|genocide|court|trial|convicted|charged|police|investigation|research|researchers|study|studies|survivors?|documentary|education|textbook|regime|the third reich|the nazi party|crowds?|soldiers|troops|militias?|ordered|order to|attempt to|attempts to|tried to|plan to|plans to|campaign to|used to|wanted to|allies)\b/g,
};

const MEANT = [REPORTED, DISOWNED, TOLD];

/** Slurs used against people; a slur alone, discussed as a word, does not match. */
const SLUR =
  '(?:nigg(?:er|ers)|kikes?|faggots?|wetbacks?|spics?|chinks?(?! in )|gooks?|ragheads?|sandniggers?|towelheads?|pakis)';

/** The rules: of high severity for calls to harm and dehumanisation, of medium severity for contempt and slurs. */
export const HATE_RULES: readonly Rule[] = [
  hate(
    'high',
    `\\b${ALL}${GROUP} (?:are|is|aren't|is all|are all|are nothing but|are just|are nothing more than|are basically|are like) (?:all |just |nothing but |a bunch of |a race of |basically |dirty |filthy |fucking )*${LOW}\\b`,
    MEANT,
  ),
  hate(
    'high',
    `\\b(?:${WIPE}|get rid of) (?:all |all the |all of the |every |every last one of the |every single one of the |those |these )${GROUP}\\b`,
    MEANT,
  ),
  hate('high', `\\b(?:${WIPE}) (?:the )?${GROUP}(?: now| all| already| like| one by one|$)`, MEANT),
  hate(
    'high',
    `\\b${ALL}${GROUP} (?:(?:should|must|need to|needs to|ought to|deserve to|deserves to|have to) (?:all )?(?:die|burn|be (?:all )?(?:killed|exterminated|gassed|wiped out|hanged|hung|shot|lynched|burned|burnt|eradicated|eliminated|put down|sterilized|enslaved|castrated|purged))|don't deserve to (?:live|exist|breathe)|do not deserve to (?:live|exist|breathe)|have no right to (?:live|exist)|should not be allowed to (?:live|exist|breed)|shouldn't be allowed to (?:live|exist|breed))\\b`,
    MEANT,
  ),
  hate('high', `\\bdeath to (?:all |all the |the )?${GROUP}\\b`, MEANT),
  hate(
    'high',
    `\\b(?:hitler was right|hitler should have finished|the holocaust should (?:happen again|have finished)|finish what hitler started|gas the (?:jews|kikes)|we need another holocaust|white power forever|fourteen words to live by|race war now|heil hitler (?:brothers|my|and death)|the white race must)\\b`,
    MEANT,
  ),
  hate(
    'medium',
    `\\b(?:i|we) (?:really |truly |fucking |absolutely |just |all )?(?:hate|despise|detest|loathe) (?:all |all the |all of the |those |these |every |fucking |the )?${GROUP}(?! (?:who|that|in the))\\b`,
    MEANT,
  ),
  hate(
    'medium',
    `\\b${GROUP} (?:are|is) (?:all |just |nothing but )?(?:disgusting|an abomination|evil by nature|thieves and|criminals and|rapists|stupid by nature|lazy by nature|too stupid)\\b`,
    MEANT,
  ),
  hate(
    'high',
    `\\b(?:kill|hang|lynch|gas|shoot|burn|exterminate) (?:all |all the |all those |the |those |these |every )?${SLUR}\\b`,
    MEANT,
  ),
  hate(
    'medium',
    `\\b(?:you|you're a|you are a|you fucking|you dirty|you filthy|you little|those|these|these fucking|those fucking|all the|all these|dirty|filthy|fucking|stupid|bunch of|shut up|hate|hate all|no more) ${SLUR}\\b`,
    [REPORTED, DISOWNED, TOLD],
  ),
  hate(
    'medium',
    `\\b${SLUR} (?:are|should|must|need to|deserve|don't|get out|go home|go back)\\b`,
    MEANT,
  ),
  // Only a few plain phrases in other languages; the rules do not cover more of them.
  hate(
    'high',
    `\\bhay que (?:matar|exterminar) a (?:todos )?los (?:judios|moros|negros|inmigrantes|gitanos|maricones)\\b`,
    [],
  ),
  hate(
    'high',
    `\\bmort aux (?:juifs|arabes|noirs|musulmans)\\b|\\bil faut (?:tuer|exterminer) (?:tous )?les (?:juifs|arabes|noirs|musulmans|migrants)\\b`,
    [],
  ),
  hate(
    'high',
    `\\bjuden (?:raus|ins gas|vergasen)\\b|\\b(?:alle )?(?:juden|muslime|auslander|turken|fluchtlinge) (?:vergasen|toten|abknallen|ausrotten)\\b`,
    [
      {
        where: 'anywhere',
        pattern:
          /\b(?:parole|riefen|rief|schrien|nazis|geschichte|verurteilt|polizei|1938|prozess)\b/g,
      },
    ],
  ),
  hate(
    'high',
    `\\b(?:tem que|temos que|e preciso) (?:matar|exterminar) (?:todos )?os (?:judeus|negros|gays|muculmanos|imigrantes)\\b`,
    [],
  ),
  hate(
    'high',
    `\\bmorte agli (?:ebrei|arabi|immigrati)\\b|\\bbisogna (?:uccidere|sterminare) (?:tutti )?gli (?:ebrei|arabi|immigrati|zingari)\\b`,
    [],
  ),
];

// Sexual content about minors: desire, and acts or images that are wished for, offered or enjoyed.

const YOUNG =
  '(?:a |the |an |my |your |her |his |these |those |some |little |young |cute |small |sweet |two |three ){0,5}(?:child|children|kids?|minors?|toddlers?|bab(?:y|ies)|infants?|little (?:girls?|boys?)|young (?:girls?|boys?)|preteens?|pre teens?|underage (?:girls?|boys?|teens?|kids?)|schoolgirls?|schoolboys?|middle schoolers?|elementary schoolers?|(?:[1-9]|1[0-7]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen) year olds?(?: (?:girls?|boys?|kid|child|daughter|son))?)';
const IMAGES =
  '(?:nudes|nude (?:pics|photos|pictures|images|videos)|naked (?:pics|photos|pictures|images|videos)|sex tapes?|sexual (?:pics|photos|pictures|images|videos)|porn|pornography|explicit (?:photos|images|videos|pictures))';
const WANT =
  "(?:i|we|i'd|i've) (?:(?:really|always|would|just|secretly|have|had|so) )*(?:want|wants|love|like|enjoy|enjoyed|loved|wanted|crave|dream of|fantasize about|fantasise about|get off on|am into|prefer|miss|had|have|having|got away with)";

/** The contexts of people who protect, heal, report or judge. They do not excuse a speaker's own desire. */
const PROTECTIVE = {
  where: 'anywhere' as const,
  pattern:
    /\b(?:arrest|arrested|police|convicted|charged|charges|sentenced|prison|jail|court|trial|prosecutors?|law|laws|illegal|crime|crimes|criminal|report|reported|reporting|detect|detects|detection|prevent|prevents|prevention|protect|protecting|protection|victims?|survivors?|abused?|abuse material|trafficking|investigat\w+|moderation|moderators?|charity|safeguarding|therapists?|doctors?|pediatric\w*|paediatric\w*|education|research\w*|study|studies|banned|ban|remove|removed|block|blocks|blocked|offenders?|predators?|accused|allegations?|allegedly|fight|fights|fighting|stop|combat|condemn\w*|wrong|never|not|documentary|novel)\b/g,
};
const REFUSED = {
  where: 'before' as const,
  pattern:
    /\b(?:said|told|wrote|confessed|admitted|accused|character|novel|transcript|testified|not|never)\b/g,
};

const minors = (pattern: string, unless: Rule['unless'] = [PROTECTIVE]): Rule => ({
  category: 'minors',
  severity: 'high',
  pattern: new RegExp(pattern, 'g'),
  unless,
});

/** Reported speech in these languages. */
function OTHERS(): Rule['unless'] {
  return [
    {
      where: 'before',
      pattern:
        /\b(?:dijo|dice|grito|decia|amenazo|cancion|pelicula|dit|disait|crie|menace|chanson|sagte|sagt|schrie|drohte|lied|disse|diz|gritou|musica|filme|ha detto|diceva|urlo|canzone)\b/g,
    },
  ];
}

/** The rules, all of high severity. */
export const MINORS_RULES: readonly Rule[] = [
  minors(
    `\\b${WANT} (?:to )?(?:have |having )?(?:sex|intercourse|to have sex|sexual (?:fun|encounters|contact)) with ${YOUNG}\\b`,
    [REFUSED],
  ),
  // "Sleep with" is restricted, because parents sleep next to their babies.
  minors(
    `\\b${WANT} (?:to )?(?:sleep|sleeping) with (?:\\w+ )?(?:minors|underage|preteens?|schoolgirls?|schoolboys?|young girls|young boys|little girls|little boys)\\b`,
    [REFUSED],
  ),
  minors(
    `\\b${WANT} (?:to )?(?:fuck|fucking|molest|molesting|rape|raping|fondle|fondling|seduce|seducing) ${YOUNG}\\b`,
    [REFUSED],
  ),
  minors(
    `\\b${WANT} (?:to )?(?:touch|touching) ${YOUNG} (?:sexually|down there|in private parts)\\b`,
    [REFUSED],
  ),
  minors(
    `\\b(?:hot|sexy) (?:little |young )*(?:underage|preteen|minor) (?:girls?|boys?|teens?|children|kids)\\b`,
  ),
  minors(
    `\\b(?:i(?:'m| am)|we(?:'re| are)|gets? me|makes? me) (?:so |really |very |always |sexually )*(?:attracted to|turned on by|aroused by|horny (?:for|around|watching)|hot for) ${YOUNG}\\b`,
    [REFUSED],
  ),
  minors(`\\b${YOUNG} (?:turn|turns|turned) me on\\b`, [REFUSED]),
  minors(
    `\\b(?:send|sending|trade|trading|sell|selling|share|sharing|buy|buying|swap|got|have|download|downloading|watch|watching|want|looking for|collect|collecting|link to|links to) (?:me |you |us |my |some |more |any |new |good |hot )*(?:child|kiddie|underage|preteen|minor|toddler|teen boy|little girl|little boy) ${IMAGES}\\b`,
  ),
  minors(
    `\\b(?:send|sending|trade|trading|sell|selling|share|sharing|buy|buying|swap|got|have|download|watch|watching|want|looking for|collect) (?:me |you |us |my |some |more |any |new |your )*${IMAGES} (?:of|with) ${YOUNG}\\b`,
  ),
  minors(
    `\\b(?:sexy|horny|slutty|erotic|seductive) (?:little |young |underage |preteen )*(?:child|children|kids|toddlers?|preteens?|little girls?|little boys?|underage girls?|underage boys?|schoolgirls?|(?:[1-9]|1[0-7]|ten|eleven|twelve|thirteen|fourteen|fifteen) year olds?)\\b(?! (?:in the (?:process|tree|list)|of the (?:node|process|tree)|costume|costumes|outfit|trope|chili|peppers?))`,
  ),
  minors(
    `\\b(?:children|kids|toddlers|preteens|little girls|little boys|underage girls|underage boys) are (?:so |really |very |just )*(?:sexy|erotic|sexually (?:attractive|ready|available))\\b`,
  ),
  minors(
    `\\b(?:she|he)(?:'s| is| was)(?: only| just)? (?:[1-9]|1[0-5]|nine|ten|eleven|twelve|thirteen|fourteen|fifteen)(?: years old)? (?:and|but) (?:so |already |really |very )*(?:sexy|horny|great in bed|hot in bed|good in bed)\\b`,
  ),
  minors(
    `\\b(?:sex|sleeping|intercourse) with (?:children|kids|minors|toddlers|little girls|little boys|preteens) (?:is|should be) (?:fine|good|great|natural|normal|okay|ok|fun|beautiful|legal|allowed|healthy)\\b`,
    [REFUSED, { ...PROTECTIVE, where: 'before' }],
  ),
  // Only a few plain phrases in other languages; the rules do not cover more of them.
  minors(
    `\\b(?:quiero|me gusta) (?:tener )?sexo con (?:ninos|ninas|menores)\\b|\\b(?:vendo|busco|cambio) (?:porno|pornografia) infantil\\b`,
    [REFUSED],
  ),
  minors(
    `\\bje (?:veux|aime) (?:coucher|faire l'amour) avec des? (?:enfants?|mineurs?|gamines?)\\b`,
    [REFUSED],
  ),
  minors(
    `\\bich (?:will|mag|mochte) sex mit (?:kindern|minderjahrigen)\\b|\\b(?:verkaufe|tausche|suche) kinderpornos?\\b`,
    [REFUSED],
  ),
  minors(
    `\\bquero (?:fazer )?sexo com (?:criancas|menores)\\b|\\bvoglio (?:fare )?sesso con (?:bambini|minori|bambine)\\b`,
    [REFUSED],
  ),
];

// Clear threats: speakers say that they will harm people, or call on others to do so.

const WILL =
  "(?:i'm|i am|im|we're|we are) (?:really |actually |just |so |fucking |seriously )?(?:going to|gonna|gon|about to|coming to|ready to|planning to)|(?:i|we)(?:'ll| will| shall|'m gonna|'re gonna| gonna| am gonna)|(?:i|we) (?:want|plan|intend|mean|need) to|i(?:'m| am) finna|(?:i|we) swear (?:i'll|i will|we'll|we will|to god i'll|to god i will)";
const MANNER =
  '(?: (?:fucking|really|personally|slowly|definitely|literally|just|all|hunt down and|track down and|find and|find you and|come over and|go and|come and|finally))*';
/** Harm that is done only to people. */
const HARM_TO_PEOPLE =
  '(?:murder|slaughter|behead|strangle|stab|rape|assassinate|massacre|lynch|disembowel|dismember|slit the throats? of|cut the throats? of|break the legs of|put a bullet in|put a knife in)';
/** Harm that is also done to processes, caches and budgets. */
const HARM = '(?:kill|shoot|execute|torture|poison|gut|set fire to|burn down|blow up|bomb|beat up)';
const PEOPLE =
  "(?:you(?!')|u|ya|him|her(?= (?:and|when|if|tonight|tomorrow|for|with|before|because|at|in|on|now|then|after|so|right|like|there|i|we|he|she|they)\\b|$)|y'all|everyone(?!')|everybody(?!')|people|my (?:wife|husband|ex|boss|neighbors?|neighbours?|girlfriend|boyfriend|teacher|classmates|coworkers|landlord|family|kids|children)|your (?:wife|husband|mother|father|mom|dad|kids|children|family|brother|sister|son|daughter|whole family|entire family)|(?:all|every one|every single one|each one) of you|(?:all )?(?:those|these|the) (?:people|men|women|boys|girls|kids|children|teachers?|students|cops|police officers?|politicians|judges?|doctors|nurses|reporters|journalists|traitors|president|prime minister|mayor|senators?|governor)|that (?:woman|man|girl|boy|bitch|bastard|judge|teacher|guy|cop|traitor)|(?:his|her|their) (?:wife|husband|family|kids|children))";
const THEM = `(?:them|all of them|every one of them|${PEOPLE})`;
const PLACES =
  '(?:(?:this|that|the|your|my|our|a) (?:\\w+ )?(?:school|church|mosque|synagogue|temple|office|building|house|home|hospital|airport|embassy|courthouse|mall|stadium|clinic|parliament|capitol|train station|police station|campus)(?! (?:pages?|screen|network|directory|suite|hours|fund|prices?)))';

/** With these words around it, "going to kill you" is about tickling, a joke or a photograph. */
const FIGURATIVE = {
  where: 'anywhere' as const,
  pattern:
    /\b(?:with kindness|with laughter|just kidding|only joking|joking|process(?:es)?|servers?|containers?|threads?|jobs?|daemons?|pods?|figuratively|metaphorically|photos?|pictures?|portraits?|camera|lens|natural light|studio|film it|footage|video of|the scene|vaccine|flu shot|with questions|inbox|with love)\b/g,
};

/** Jokes among colleagues. */
const AT_WORK = {
  where: 'before' as const,
  pattern:
    /\bif (?:you|anyone|anybody|someone|somebody) (?:deploys?|push|pushes|merges?|commits?|ships?|uses?|writes?|breaks? the build|touch my code|touches my code|asks? me|mentions?)\b/g,
};

/** At work, people shoot each other an email or a message. */
const NOT_MAIL =
  '(?! (?:an?|the|some|another|over|my|our) (?:\\w+ )?(?:emails?|messages?|texts?|notes?|links?|dms?|ping|line|invites?|reply|copy|details|draft))';

const threat = (pattern: string, unless: Rule['unless'] = STANDARD): Rule => ({
  category: 'threat',
  severity: 'high',
  pattern: new RegExp(pattern, 'g'),
  unless,
});

const STANDARD = [REPORTED, DISOWNED, PLAY, FIGURATIVE, AT_WORK];

/** The rules, all of high severity. Talk about games, jokes and computers passes. */
export const THREAT_RULES: readonly Rule[] = [
  threat(`\\b(?:${WILL})${MANNER} ${HARM} ${PEOPLE}(?!\\w)${NOT_MAIL}`),
  threat(`\\b(?:${WILL})${MANNER} ${HARM_TO_PEOPLE} ${THEM}(?!\\w)`),
  threat(`\\b(?:${WILL})${MANNER} (?:blow up|bomb|burn down|shoot up|set fire to) ${PLACES}\\b`),
  threat(
    `\\b(?:${WILL})${MANNER} (?:beat|burn|choke|bash|smash|cut|hack) ${PEOPLE} (?:to death|alive|to pieces|into pieces|up into pieces)\\b`,
  ),
  threat(
    `\\b(?:${WILL}) (?:slit|cut|break|crush|snap|put a bullet in|put a knife in|blow off|bash in|smash) (?:your|his|her|their) (?:throat|throats|neck|skull|head|heads|face|legs|brains)\\b`,
  ),
  threat(
    `\\b(?:${WILL}) (?:bring|take|carry) (?:a|my|the) (?:gun|rifle|knife|bomb|pistol|ar 15)s? to (?:school|work|class|church|the office|the rally)\\b`,
  ),
  threat(
    `\\b(?:i|we)(?:'ve| have)? (?:planted|hidden|put|placed|left|hid) (?:a|the|several|two|three) (?:bombs?|explosives?|pipe bombs?) (?:in|at|under|inside|on) ${PLACES}\\b`,
  ),
  threat(
    `\\bthere(?:'s| is) a bomb (?:in|at|under|inside|on) ${PLACES} (?:and (?:it|you|i|we)|set to|that will|unless|it will)\\b`,
  ),
  threat(
    `\\b(?:i|we) know where (?:you|your (?:kids|children|family|mother|wife)) (?:live|lives|sleep|go to school|goes to school|works?) and (?:i|we)(?:'ll| will|'m| am|'re| are)\\b`,
  ),
  threat(
    `\\byou(?:'re| are) going to (?:die|bleed)(?: out)? (?:tonight|tomorrow|today|screaming|when i|if you (?:talk|tell|go to|speak|testify))\\b`,
  ),
  threat(
    `\\b(?:watch your back|sleep with one eye open|say goodbye to your (?:kids|family|children)|you won't live to see|you will not live to see) (?:because )?(?:i|we|tomorrow|i'm|we're|another|next)\\b`,
    [REPORTED, PLAY],
  ),
  threat(
    `\\b(?:someone|somebody|we|you) (?:should|must|need to|needs to|has to|have to|ought to) (?:just )?(?:(?:kill|shoot|execute) ${PEOPLE}|(?:murder|stab|assassinate|behead|lynch) ${THEM})(?!\\w)${NOT_MAIL}`,
  ),
  threat(
    `\\b(?:let's|lets|go and|go out and|everyone go) (?:(?:kill|shoot|burn) ${PEOPLE}|(?:murder|stab|lynch|behead|hang) ${THEM})(?!\\w)${NOT_MAIL}`,
  ),
  // Only a few plain phrases in other languages; the rules do not cover more of them.
  threat(
    `\\b(?:te|os|los|lo|la) (?:voy|vamos) a (?:matar|degollar|apunalar)\\b|\\b(?:voy|vamos) a (?:matarte|mataros|matarlos|degollarte)\\b`,
    OTHERS(),
  ),
  threat(
    `\\b(?:je vais|on va|nous allons) (?:te|vous|les) (?:tuer|egorger|poignarder|buter)\\b`,
    OTHERS(),
  ),
  threat(
    `\\b(?:ich bringe|wir bringen) (?:dich|euch) (?:alle )?um\\b|\\b(?:ich werde|wir werden) (?:dich|euch|sie alle) (?:alle )?(?:toten|umbringen|abstechen|erschiessen)\\b`,
    OTHERS(),
  ),
  threat(
    `\\b(?:eu )?(?:vou|vamos) (?:te matar|matar voce|matar voces|matar todos voces|esfaquear voce)\\b`,
    OTHERS(),
  ),
  threat(`\\b(?:ti|vi) (?:ammazzo|uccidero|ammazzero|sgozzo)\\b`, OTHERS()),
];

const RULES: readonly Rule[] = [...MINORS_RULES, ...THREAT_RULES, ...HATE_RULES];

/** The most severe rule that a text violates, and the first of equals; null if there is none. */
export function findBrokenRule(text: string): Rule | null {
  let worst: Rule | null = null;
  for (const sentence of foldedSentences(text)) {
    for (const rule of RULES) {
      if (worst?.severity === 'high') return worst;
      if (worst && rule.severity === worst.severity) continue;
      if (breaksRule(sentence, rule)) worst = rule;
    }
  }
  return worst;
}

/** Creates the moderator. */
export const createRulesModerator = (): Moderator => ({
  model: RULES_MODEL,
  moderate({ words }, context) {
    const { compute = uncounted } = context;
    return compute(() =>
      moderateChunks(
        {
          model: RULES_MODEL,
          chunks: moderationChunks(words),
          atOnce: 1,
          check: async ({ text }) => findBrokenRule(text),
        },
        context,
      ),
    );
  },
});

/** Folds a sentence: single spaces, straight apostrophes, no other punctuation. */
function foldSentence(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[^\p{L}\p{N}']+/gu, ' ')
    .trim();
}

/** The words of a text, divided at the ends of sentences. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let open: string[] = [];
  for (const word of text.split(/\s+/)) {
    open.push(word);
    if (!endsSentence(word)) continue;
    sentences.push(open.join(' '));
    open = [];
  }
  return [...sentences, open.join(' ')];
}

/** The longest stretch without a sentence end that counts as one sentence, in words. */
const MAX_SENTENCE_WORDS = 40;

/**
 * The sentences of a text. Text without punctuation has no sentence ends, so a stretch of more than 40 words is divided
 * into pieces that overlap by half.
 */
function foldedSentences(text: string): string[] {
  return sentencesOf(text)
    .map(foldSentence)
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => {
      const words = sentence.split(' ');
      const pieces: string[] = [];
      let at = 0;
      for (; at + MAX_SENTENCE_WORDS < words.length; at += MAX_SENTENCE_WORDS / 2) {
        pieces.push(words.slice(at, at + MAX_SENTENCE_WORDS).join(' '));
      }
      return [...pieces, words.slice(at).join(' ')];
    });
}

type RuleCategory = 'threat' | 'hate' | 'minors';
