/** Reads JSON as language models bend it, in one pass: quotes and commas that are missing, too many or of another kind. */

/** The deepest value that is read. */
const DEEPEST = 64;
/** The most characters that are looked at to decide whether a quotation mark ends a text. */
const AHEAD = 400;

/** What a text holds, and whether all of it was closed. */
export interface LooseJson {
  value: unknown;
  isWhole: boolean;
}

/** Where a text stands, which decides what may follow it. */
type Place = 'name' | 'member' | 'item';

/** The marks with which a text may begin, and those that end it. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”"',
  '„': '“”"',
  '‘': '’',
  '«': '»',
};

/** Matches the name of a member and what follows it: a colon, or a text if that or a mark is missing. */
const NAME =
  /^(?:(?:["'`“”„«]|\\")[^"'`“”„«»\\\n]{0,300}(?:["'`“”»]|\\")\s*:|["'“„]\w{1,20}(?:["'”]\s*["'“„]|:\s*["'“„])|[\p{L}_$][\p{L}\p{N}_$-]{0,40}\s*:|\d{1,6}["'”]?\s*:)/u;
/** Matches a name that is cut off. */
const CUT_NAME = /^["'“„][^"'“”„\n]{0,60}["'”]?$/;
/** Matches what may begin an item. */
const ITEM = /^(?:["'`“”„‘«{[\]]|\\"|-?\d|$)/;
/** Matches what may follow a comma or a text, besides a member or an item. */
const ENDS = /^(?:[}\]]|$)/;
const SPACE = /\s/;

const PLAIN: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
  undefined: null,
};

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

/**
 * The value of JSON that is bent or breaks off, as far as it goes; values after it make a list with it.
 * @returns undefined if the text does not begin with a bracket, or if other text follows
 * @example
 * readLooseJson("{'1': 'Hallo', }"); // => { value: { '1': 'Hallo' }, isWhole: true }
 */
export function readLooseJson(text: string): LooseJson | undefined {
  const reader = new LooseReader(text);
  const values: unknown[] = [];
  while (reader.atBracket()) values.push(reader.value('item', 0));
  if (values.length === 0 || !reader.hasEnded()) return undefined;
  return { value: values.length === 1 ? values[0] : values, isWhole: reader.isWhole };
}

class LooseReader {
  /** Whether everything that was opened was closed. */
  isWhole = true;
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  hasEnded(): boolean {
    this.skip(true);
    return this.at >= this.text.length;
  }

  atBracket(): boolean {
    this.skip(true);
    return this.sign() === '{' || this.sign() === '[';
  }

  value(place: Place, depth: number): unknown {
    this.skip(false);
    const sign = this.sign();
    if (sign === '{' || sign === '[') {
      if (depth >= DEEPEST) {
        this.giveUp();
        return null;
      }
      return sign === '{' ? this.members(depth) : this.items(depth);
    }
    return this.quote() === '' ? this.bare(place) : this.quoted(place);
  }

  private sign(): string {
    return this.text[this.at] ?? '';
  }

  /** Ends the reading: what is still open is not whole. */
  private giveUp(): void {
    this.isWhole = false;
    this.at = this.text.length;
  }

  /** Passes over spaces, comments, and commas if they are of no use here. */
  private skip(commas: boolean): void {
    const { text } = this;
    for (; this.at < text.length; this.at += 1) {
      const sign = text[this.at]!;
      if (SPACE.test(sign) || (commas && (sign === ',' || sign === ';'))) continue;
      if (text.startsWith('...', this.at)) this.at += 2;
      else if (sign === '…') continue;
      else if (text.startsWith('//', this.at)) this.at = before(text, '\n', this.at);
      else if (text.startsWith('/*', this.at)) this.at = before(text, '*/', this.at) + 1;
      else return;
    }
  }

  private members(depth: number): Record<string, unknown> {
    const found: [string, unknown][] = [];
    this.at += 1;
    for (;;) {
      this.skip(true);
      const sign = this.sign();
      if (sign === '' || sign === '}' || sign === ']') {
        this.close('}');
        // A repeated name keeps its last value, as in JSON.
        return Object.fromEntries(found);
      }
      const from = this.at;
      const name = this.quote() === '' ? this.bare('name') : this.quoted('name');
      this.skip(false);
      if (this.sign() === ':' || this.sign() === '=') this.at += 1;
      const isAlone = this.at >= this.text.length;
      if (!isAlone) found.push([String(name), this.value('member', depth + 1)]);
      else this.isWhole = false;
      if (this.at === from) this.at += 1;
    }
  }

  private items(depth: number): unknown[] {
    const found: unknown[] = [];
    this.at += 1;
    for (;;) {
      this.skip(true);
      const sign = this.sign();
      if (sign === '' || sign === ']' || sign === '}') {
        this.close(']');
        return found;
      }
      const from = this.at;
      found.push(this.value('item', depth + 1));
      if (this.at === from) this.at += 1;
    }
  }

  /** Passes over the end of a value; that of one around it stays, because its own is missing. */
  private close(end: string): void {
    if (this.sign() === end) this.at += 1;
    else if (this.sign() === '') this.isWhole = false;
  }

  /** The mark with which a text begins here; empty if none does. */
  private quote(): string {
    if (this.text.startsWith('\\"', this.at)) return '\\"';
    return this.sign() in QUOTES ? this.sign() : '';
  }

  private bare(place: Place): unknown {
    const { text } = this;
    const from = this.at;
    const isEnd = place === 'name' ? /[:,{}[\]\n]/ : /[,{}[\]\n]/;
    while (this.at < text.length && !isEnd.test(text[this.at]!)) this.at += 1;
    // Of a text whose first mark is missing, the last one is left.
    const word = text
      .slice(from, this.at)
      .trim()
      .replace(/["“”]$/, '');
    if (Object.hasOwn(PLAIN, word)) return PLAIN[word];
    return place !== 'name' && /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : word;
  }

  private quoted(place: Place): string {
    const { text } = this;
    const mark = this.quote();
    const ends = mark === '\\"' ? '' : QUOTES[mark]!;
    this.at += mark.length;
    const parts: string[] = [];
    let from = this.at;
    const read = (): string => parts.join('') + text.slice(from, this.at);
    for (; this.at < text.length; this.at += 1) {
      const sign = text[this.at]!;
      if (sign === '\\') {
        if (mark === '\\"' && text[this.at + 1] === '"' && this.endsAt(this.at + 2, place)) {
          const said = read();
          this.at += 2;
          return said;
        }
        parts.push(text.slice(from, this.at));
        parts.push(this.escaped());
        from = this.at + 1;
      } else if (ends.includes(sign) && this.endsAt(this.at + 1, place)) {
        const said = read();
        this.at += 1;
        return said;
      } else if (place === 'name' ? this.isShortName(from) : this.beginsName()) {
        // The mark at the end is missing.
        return read().trimEnd();
      }
    }
    this.isWhole = false;
    return read();
  }

  /** The sign of an escape here; its last character is then the one here. */
  private escaped(): string {
    const { text } = this;
    const next = text[this.at + 1] ?? '';
    this.at += 1;
    if (next !== 'u') return ESCAPES[next] ?? next;
    const code = /^[\da-f]{4}/i.exec(text.slice(this.at + 1, this.at + 5))?.[0];
    if (code === undefined) return next;
    this.at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  /** Whether a text that is closed before a place may end there. */
  private endsAt(after: number, place: Place): boolean {
    const rest = this.text.slice(after, after + AHEAD);
    const next = rest.trimStart();
    if (place === 'name') return /^(?:[:=]|["'“„«]|$)/.test(next);
    if (ENDS.test(next)) return true;
    if (next.startsWith(',') || next.startsWith(';')) {
      const then = next.slice(1).trimStart();
      if (then.startsWith(',') || ENDS.test(then) || /^(?:\.\.\.|…|\/[/*])/.test(then)) return true;
      if (place === 'item') return ITEM.test(then);
      const isCutOff = rest.length < AHEAD && CUT_NAME.test(then);
      return isCutOff || NAME.test(then) || then.startsWith('{');
    }
    if (/^\/[/*]/.test(next)) return true;
    // The comma is missing.
    return place === 'member' ? NAME.test(next) : /^\s*\n/.test(rest) && ITEM.test(next);
  }

  /** Whether the colon of a name that is one short word stands here. */
  private isShortName(from: number): boolean {
    const name = this.text.slice(from, Math.min(this.at, from + 20));
    return this.sign() === ':' && this.at - from <= 20 && /^\w+$/.test(name);
  }

  /** Whether the name of a member begins after the sign here, on a line of its own or after a comma. */
  private beginsName(): boolean {
    if (this.sign() !== ',' && this.sign() !== '\n') return false;
    const next = this.text.slice(this.at + 1, this.at + 1 + AHEAD).trimStart();
    return /^["'`“„]|^\\"/.test(next) && NAME.test(next);
  }
}

/** The last place before a mark, or that of the end. */
function before(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}
