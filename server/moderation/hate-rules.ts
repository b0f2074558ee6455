/** Rules against hate: dehumanising groups of people, or wishing them harm. */
import { type Rule, REPORTED, DISOWNED } from './rule.ts';

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
