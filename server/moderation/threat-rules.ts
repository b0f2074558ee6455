/** Rules against clear threats: speakers say that they will harm people, or call on others to do so. */
import { type Rule, REPORTED, DISOWNED, PLAY, REPORTED_ELSEWHERE } from './rule.ts';

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
    [REPORTED_ELSEWHERE],
  ),
  threat(`\\b(?:je vais|on va|nous allons) (?:te|vous|les) (?:tuer|egorger|poignarder|buter)\\b`, [
    REPORTED_ELSEWHERE,
  ]),
  threat(
    `\\b(?:ich bringe|wir bringen) (?:dich|euch) (?:alle )?um\\b|\\b(?:ich werde|wir werden) (?:dich|euch|sie alle) (?:alle )?(?:toten|umbringen|abstechen|erschiessen)\\b`,
    [REPORTED_ELSEWHERE],
  ),
  threat(
    `\\b(?:eu )?(?:vou|vamos) (?:te matar|matar voce|matar voces|matar todos voces|esfaquear voce)\\b`,
    [REPORTED_ELSEWHERE],
  ),
  threat(`\\b(?:ti|vi) (?:ammazzo|uccidero|ammazzero|sgozzo)\\b`, [REPORTED_ELSEWHERE]),
];
