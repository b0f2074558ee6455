/** Finds the person and the company in a line of a programme, such as "Jane Doe – CEO, Acme GmbH". */

/** Matches words between the parts of a name ("Bank of America"). */
export const INSIDE =
  /^(?:of|de|van|von|der|den|dem|da|di|do|dos|du|la|le|al|bin|ibn|ten|ter|zu|y)$/;

/** Matches the beginning of a word of a name: a capital, perhaps after an article ("al-Masri"). */
export const CAPITAL = /^(?:(?:a[dlnrstz]|ash|el|d)[-'’])?\p{Lu}/u;

/** Headings above lists of people. */
const PEOPLE =
  /^(?:(?:our|the|your|keynote|invited|featured) )?(?:speakers?|presenters?|panel|panell?ists?|hosts?|guests?|moderators?|authors?|team|people|participants?|attendees?|referent(?:en|innen)?|sprecher(?:innen)?|intervenants?)$/i;

/** Whether a line is a heading above a list of people. */
export const isPeopleHeading = (line: string): boolean =>
  PEOPLE.test(line.replace(/[^\p{L}\s]+/gu, '').trim());

/** Words of programmes and slides that are not part of names. */
const HEADING_WORDS: ReadonlySet<string> = new Set(
  `agenda abstract speaker speakers slide slides talk talks session sessions keynote welcome introduction outline
   overview summary conclusion conclusions questions question answers answer thanks thank part chapter figure table
   note notes ok tbd tba faq q a q&a bio about contact contacts appendix references background motivation roadmap
   timeline schedule programme program workshop tutorial panel discussion break lunch dinner coffee registration
   opening closing remarks day track room hall agenda objectives goals takeaways recap demo results features benefits
   challenges lessons learned next steps key getting started conference summit meetup webinar episode pm am ceo cfo cto
   coo cmo cio vp svp evp`.split(/\s+/),
);

/** Whether a word is one of programmes and slides: Agenda, Overview, Q&A. */
export const isHeadingWord = (word: string): boolean => HEADING_WORDS.has(word.toLowerCase());

/** Words of which positions consist. */
const ROLE =
  /(?<!\p{L})(?:c[efimotps]{1,2}o|chief|president|vice|chair(?:man|woman|person)?|(?:managing |executive )?director|manager|head|lead|leader|(?:co-?)?founder|engineer|developer|architect|designer|scientist|researcher|analyst|consultant|professor|prof|lecturer|teacher|editor|author|writer|journalist|minister|secretary|officer|[es]?vp|principal|fellow|student|owner|evangelist|advocate|specialist|strategist|moderator|host|speaker|keynote|geschäftsführer(?:in)?|vorstand|leiter(?:in)?|professorin|gründer(?:in)?|directeur|directrice|fondat(?:eur|rice)|gerente|directora?|代表取締役|社長|教授)(?!\p{L})/iu;

const ROLE_LAST = new RegExp(`${ROLE.source}$`, 'iu');
/** Whether words say what somebody does, such as Technology Officer. */
export const isPosition = (words: string): boolean => ROLE_LAST.test(words);

const ROLES_FIRST = new RegExp(`^(?:${ROLE.source}[\\s&,]{0,5}(?:(?:and|und)\\s)?)+`, 'iu');

/** What the names of companies and institutions end with, or contain. */
const COMPANY =
  /(?:^|\s|,)(?:inc|ltd|limited|llc|llp|plc|corp|corporation|company|co|gmbh|ag|se|kg|kgaa|ohg|ug|e\.?v|s\.?a|sas|sarl|srl|s\.?p\.?a|b\.?v|n\.?v|oyj?|ab|asa?|a\/s|aps|pty|pte|group|holdings?|bank|university|college|institute|labs?|laborator(?:y|ies)|foundation|ventures|capital|technologies|industries|airlines|pharmaceuticals|universität|hochschule|université|universidad)\.?$|^(?:university|bank|institute|universität|université|universidad) |株式会社|有限公司|大学/iu;

/** Whether a name is that of a company or institution, by its form. */
export const isCompany = (name: string): boolean => COMPANY.test(name);

/** What may stand before the name of a person. */
const BEFORE =
  /^(?:[-*–—•·▪◦‣]\s*|\d{1,3}[.)]\s+|\d{1,2}[:.]\d\d(?:\s*(?:am|pm))?(?:\s*[-–—]\s*\d{1,2}[:.]\d\d(?:\s*(?:am|pm))?)?\s+)+/iu;
const LABEL =
  /^(?:(?:keynote |invited )?(?:speakers?|presenters?|hosts?|moderators?|moderated|panel(?:l?ists?)?|guests?|authors?|chairs?|sprecher(?:in)?|referent(?:in)?|moderation)\s*(?::|by\s)|(?:presented |hosted |a talk )?(?:by|mit|avec)\s)\s*/i;
const TITLES = /^(?:(?:dr|prof|mr|mrs|ms|mx|sir|dame|herr|frau|dipl|ing|rer|nat|med|h\.c)\.?\s+)+/i;
/** What separates the parts of a line. */
const SEPARATORS =
  /\s[-–—|/@]\s|[–—|•·;\t、，]|,\s(?!(?:inc|ltd|llc|llp|plc|corp|co|gmbh|ag|s\.?a|b\.?v)\b)|[()（）]|:\s|\s(?:at|from|bei|chez)\s(?=\p{Lu}|\p{Lo})/iu;

const LATIN_NAME = new RegExp(`${CAPITAL.source}[\\p{L}\\p{M}'’.-]*$`, 'u');
/** Matches words such as PolyGlyph, which are names of products rather than of people. */
const JOINED = /^\p{Lu}\p{Ll}{3,}\p{Lu}/u;
/** Matches what follows a person's name as often as a company. */
const DEPARTMENT =
  /^(?:product|engineering|marketing|sales|design|research|operations|finance|legal|support|communications|security|data|strategy)$/i;
/** Matches a name in a script without capitals. */
const OTHER_NAME =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー・\s]{2,12}|[\p{Lo}\p{M}]{2,20}(?:\s[\p{Lo}\p{M}]{2,20}){1,3})$/u;

/** The longest line that is looked at. */
const MAX_LINE = 400;

/** The names in a line; in a list of people, a line may also hold only the position of the one before. */
interface PersonLine {
  person?: string;
  company?: string;
}

/**
 * The person that a line presents, and the company.
 * @param isListed whether the line is in a list of people; otherwise the line needs a position, a company or a label
 * @param isCommon whether a word is among the most common ones
 */
export function personIn(
  line: string,
  isListed: boolean,
  isCommon: (word: string) => boolean,
): PersonLine | null {
  if (line.length > MAX_LINE) return null;
  const bare = line.trim().replace(/ {2,}/g, ' ').replace(BEFORE, '');
  const named = bare.replace(LABEL, '');
  const parts = named
    .split(SEPARATORS)
    .map((part) =>
      part
        .trim()
        .replace(/^[“"'«]{1,3}|[”"'».,:;]{1,3}$/g, '')
        .trim(),
    )
    .filter((part) => part !== '');
  if (parts.length > 8) return null;
  const hasRole = parts.some((part) => ROLE.test(part));
  const isTold = isListed || named !== bare;
  const names = parts.map((part) => (ROLE.test(part) ? null : nameOf(part, isTold, isCommon)));
  const at = names.findIndex((name) => name !== null);
  // A person comes first, or after the position or the company.
  const person = at <= 1 ? (names[at] ?? undefined) : undefined;
  if (person === undefined && !(isListed && hasRole)) return null;
  const others = parts.filter((_, other) => other !== at);
  const isKnown = hasRole || others.some(isCompany);
  if (!isKnown && !isTold) return null;
  const company = others.map(companyOf).find((found) => found !== null);
  // "Product Strategy – Head of Product" names nobody.
  const isBare = !isTold && company == null && others.length < 2;
  if (isBare && person?.split(' ').every(isCommon)) return null;
  return { ...(person !== undefined && { person }), ...(company != null && { company }) };
}

/**
 * A part of a line as the name of a person; null if it is none.
 * @param isTold whether the line or those around it say that it has one
 */
function nameOf(part: string, isTold: boolean, isCommon: (word: string) => boolean): string | null {
  const name = part.replace(TITLES, '');
  if (OTHER_NAME.test(name)) return isCompany(name) ? null : name;
  if (isCompany(name)) return null;
  const words = name.split(/\s+/);
  if (words.length < 2 || words.length > 5) return null;
  const isName = words.every((word) => LATIN_NAME.test(word) || INSIDE.test(word));
  if (!isTold && words.some((word) => JOINED.test(word))) return null;
  const full = words.filter((word) => LATIN_NAME.test(word) && word.length > 1);
  // Four common words are a heading rather than a name.
  const isLong = full.length > 3 && full.every(isCommon);
  return isName && full.length >= 2 && full.length <= 4 && !isLong && !full.some(isHeadingWord)
    ? name
    : null;
}

/** The company in a part of a line: the part itself, or what follows a position ("CEO of Acme"). */
function companyOf(part: string): string | null {
  const of = /(?<!\p{L})(?:of|at|von|bei|für|for|de|chez)\s+(?:the\s+)?(\p{Lu}.*)$/u.exec(
    part,
  )?.[1];
  if (ROLE.test(part)) {
    if (of !== undefined && !ROLE.test(of) && /^\p{Lu}/u.test(of)) {
      // "Head of Product" is a position, "Head of Product of Acme" and "CEO of Acme" name a company.
      return isCompany(of) || /(?<!\p{L})(?:c[efimotps]{1,2}o|founder|president)\s/iu.test(part)
        ? of
        : null;
    }
    const rest = part.replace(ROLES_FIRST, '');
    return rest !== part && isCompany(rest) && /^\p{Lu}/u.test(rest) ? rest : null;
  }
  if (/\d{3}|@|^https?:/.test(part)) return null;
  if (isHeadingWord(part) || DEPARTMENT.test(part)) return null;
  const words = part.split(/\s+/);
  const isName = words.every(
    (word) =>
      /^[\p{Lu}\p{N}&]/u.test(word) ||
      INSIDE.test(word) ||
      /^(?:and|und|&|the)$/.test(word) ||
      isCompany(word),
  );
  return (words.length <= 6 && isName) ||
    isCompany(part) ||
    /^\p{L}*\p{Ll}\p{Lu}\p{L}*$/u.test(part)
    ? part
    : null;
}
