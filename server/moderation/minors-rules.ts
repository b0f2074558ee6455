/** Rules against sexual content about minors: desire, and acts or images that are wished for, offered or enjoyed. */
import type { Rule } from './rule.ts';

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
