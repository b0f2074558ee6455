/** The glossaries with which the audit of a call is measured: its names as people give them, well or badly. */

/** The names of a call, and those of all the others without them. */
interface Names {
  own: readonly string[];
  others: readonly string[];
}

/** The names of others in a glossary that has some. */
const SOME = 150;
/** The names in a long glossary. */
const MANY = 1000;
/** One name in so many has a typing error. */
const ONE_MISTYPED_IN = 10;

/** Given names that differ in spelling and hardly in sound, which stand in many glossaries together. */
const TWINS = new Map(
  `alan allen, allen alan, anne ann, ann anne, brian bryan, bryan brian, carl karl, catherine katherine, kathy cathy,
  chris kris, columbia colombia, eric erik, geoff jeff, jeff geoff, john jon, jon john, keith keath, mark marc, marc mark,
  mike myke, michael mikael, neal neil, neil neal, philip phillip, sara sarah, sarah sara, sean shawn, stephen steven,
  steven stephen, teresa theresa, tony toni, thomas tomas`
    .split(/,\s+/)
    .map((pair) => pair.split(' ') as [string, string]),
);

/** So many of the names of others, so that each call contributes some. */
const spread = (others: readonly string[], count: number): string[] =>
  Array.from(
    { length: Math.min(count, others.length) },
    (_, turn) => others[Math.floor((turn * others.length) / Math.min(count, others.length))]!,
  );

/** A name with two letters of its longest word exchanged, one left out, or one written twice, in turns. */
function mistyped(name: string, turn: number): string {
  const word = name.split(/[^\p{L}]+/u).reduce((a, b) => (b.length > a.length ? b : a));
  const at = Math.floor(word.length / 2);
  const [head, one, two, tail] = [
    word.slice(0, at - 1),
    word[at - 1]!,
    word[at]!,
    word.slice(at + 1),
  ];
  if (word.length < 4) return name;
  return name.replace(word, head + [two + one, two, one + one + two][turn % 3]! + tail);
}

/** The names with one word exchanged for another that sounds like it. */
const twins = (names: readonly string[]): string[] =>
  names.flatMap((name) =>
    name.split(' ').flatMap((word) => {
      const other = TWINS.get(word.toLowerCase());
      return other ? [name.replace(word, other[0]!.toUpperCase() + other.slice(1))] : [];
    }),
  );

const usual = ({ own, others }: Names): string[] => [...own, ...spread(others, SOME)];

/** The glossary with which the figures by recogniser and by call are measured, and others. */
export const GLOSSARIES = {
  'its names and 150 of other calls': usual,
  'its names alone': ({ own }: Names) => [...own],
  'in capitals': (names: Names) => usual(names).map((name) => name.toUpperCase()),
  'in small letters': (names: Names) => usual(names).map((name) => name.toLowerCase()),
  'one in ten mistyped': (names: Names) =>
    usual(names).map((name, at) =>
      at % ONE_MISTYPED_IN === 0 ? mistyped(name, at / ONE_MISTYPED_IN) : name,
    ),
  'others that sound alike too': (names: Names) => [...usual(names), ...twins(names.own)],
  '1,000 names': ({ own, others }: Names) => [...own, ...spread(others, MANY - own.length)],
  'no name of its own': ({ others }: Names) => spread(others, SOME),
} satisfies Record<string, (names: Names) => string[]>;
