/** Colours of captions: the eight of teletext by name, and those that files write in other ways. */

/** The eight colours that every captioning system has. */
export const EIGHT_COLOURS: Readonly<Record<string, string>> = {
  black: '#000000',
  red: '#ff0000',
  lime: '#00ff00',
  yellow: '#ffff00',
  blue: '#0000ff',
  magenta: '#ff00ff',
  cyan: '#00ffff',
  white: '#ffffff',
};

/** Other names that files use, of HTML and TTML. */
const MORE_COLOURS: Readonly<Record<string, string>> = {
  green: '#008000',
  silver: '#c0c0c0',
  gray: '#808080',
  grey: '#808080',
  maroon: '#800000',
  purple: '#800080',
  fuchsia: '#ff00ff',
  olive: '#808000',
  navy: '#000080',
  teal: '#008080',
  aqua: '#00ffff',
  orange: '#ffa500',
};

/**
 * A colour as `#rrggbb`, from a name, `#rgb`, `#rrggbb`, `#rrggbbaa`, `rrggbb` or `rgb(…)`; undefined for anything else.
 * @example
 * readColour('Yellow'); // => '#ffff00'
 * readColour('rgb(255, 255, 0)'); // => '#ffff00'
 */
export function readColour(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (Object.hasOwn(EIGHT_COLOURS, name)) return EIGHT_COLOURS[name];
  if (Object.hasOwn(MORE_COLOURS, name)) return MORE_COLOURS[name];
  const [, six] = /^#?([\da-f]{6})(?:[\da-f]{2})?$/.exec(name) ?? [];
  if (six) return `#${six}`;
  const [, three] = /^#([\da-f]{3})$/.exec(name) ?? [];
  if (three) return `#${Array.from(three, (digit) => digit + digit).join('')}`;
  const [, ...parts] =
    /^rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*[\d.]+\s*)?\)$/.exec(name) ?? [];
  if (parts.length < 3) return undefined;
  return `#${parts.map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0')).join('')}`;
}

/** The red, green and blue of `#rrggbb`, from 0 to 255. */
const partsOf = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/**
 * The name of the nearest of the eight colours.
 * @example
 * nearestColour('#fff010'); // => 'yellow'
 */
export function nearestColour(colour: string): string {
  const wanted = partsOf(colour);
  let best = 'white';
  let least = Number.POSITIVE_INFINITY;
  for (const [name, each] of Object.entries(EIGHT_COLOURS)) {
    const distance = partsOf(each).reduce((sum, part, at) => sum + (part - wanted[at]!) ** 2, 0);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}
