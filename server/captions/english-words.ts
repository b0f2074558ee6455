/** The small words of English, which browsers have from the start; those of other languages come with captions in them. */

/** The words of a language that show where a phrase begins or ends, in lower case, separated by spaces. */
export interface LanguageWords {
  articles?: string;
  possessives?: string;
  /** Precede a noun, though they may stand alone: “these”, “many”, “two”. */
  determiners?: string;
  prepositions?: string;
  /** Prepositions that join a noun to the noun before them: the “de” of “um copo de água”. */
  genitives?: string;
  conjunctions?: string;
  auxiliaries?: string;
  /** Subject pronouns. */
  pronouns?: string;
  /** Pronouns that may also be objects. */
  objectPronouns?: string;
  /** Words after which such a pronoun is the subject: “if you”, “what it”. */
  beforeSubjects?: string;
  /** Precede the word that they modify: “very”, “new”. */
  modifiers?: string;
  /** Belong to a preposition after them: the “because” of “because of”, “depois” of “depois de”. */
  beforePrepositions?: string;
  /** The first words of conjunctions of two, by the second: `that: 'so now'` for “so that” and “now that”. */
  pairs?: Readonly<Record<string, string>>;
  /** Most adjectives follow their noun, as in “une voiture rouge”. */
  adjectivesFollow?: boolean;
  /** The verb ends a subordinate clause, as in “weil wir dort waren”. */
  verbsLast?: boolean;
  /** Endings of modifiers and of participles. */
  modifierEndings?: string;
  participleEndings?: string;
  /** Attached to the previous word. */
  enclitics?: string;
  /** Follow a number. */
  units?: string;
  /** Words whose full stop does not end a sentence: before a name, before a number, or anywhere. */
  titles?: string;
  counters?: string;
  abbreviations?: string;
}

/** English. */
export const en: LanguageWords = {
  articles: 'a an the',
  possessives: 'my your his her its our their whose',
  determiners:
    'this these those some any every each no all both many much few several another other such most more less own half enough one two three four five six seven eight nine ten hundred thousand million billion trillion first second third',
  prepositions:
    'about above across against along amid among around at behind below beneath beside between beyond by despite during except for from in inside into like near of off on onto out outside over past per regarding through throughout to toward towards under up upon via with within without',
  conjunctions:
    'and but or nor so yet because although though while whereas if unless when than whether as since until till before after once that which what who whom where how why',
  auxiliaries:
    "am is are was were be been being have has had do does did will would shall should can could may might must cannot isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't",
  pronouns:
    "i you he she it we they i'm you're he's she's it's we're they're i've you've we've they've i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd there's that's here's what's who's let's how's where's",
  objectPronouns: 'it you',
  beforeSubjects:
    'if when because although though while whereas unless whether where how why what which that',
  modifiers:
    'not never very too really quite just only even still also almost already always often pretty rather far maybe perhaps then now ever well soon new big little good great same last next whole different small large old young long high low best better real right wrong true early late hard easy free full deep dark strong clear able important possible common single major simple special certain short open recent human likely dead huge popular cool crazy amazing smart tiny giant vast ready',
  beforePrepositions: 'because instead according due thanks out away ahead',
  pairs: {
    that: 'so now except given',
    'if though': 'even',
    as: 'such',
    than: 'rather other',
  },
  modifierEndings: 'ly ous ful less ive al ic able ible ary ish',
  participleEndings: 'ed ing',
  units:
    'percent euros euro dollars dollar pounds cents years year months month weeks week days day hours hour minutes minute seconds second miles mile meters metres feet kilometers kilometres million billion trillion thousand hundred times',
  titles: 'mr. mrs. ms. mx. dr. prof. st. gen. sen. rep. gov. capt. lt. sgt. rev. hon.',
  counters: 'no. nos. fig. vol. ch. sec. p. pp. art. eq. approx. ca.',
  abbreviations:
    'vs. etc. e.g. i.e. cf. u.s. u.s.a. u.k. u.n. e.u. d.c. inc. ltd. co. corp. jr. sr. a.m. p.m. ph.d. b.c. a.d. et. al. dept. est. min. max. jan. feb. aug. sept. oct. nov. dec.',
};
