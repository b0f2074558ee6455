/** The lines of a handout: a programme, a list of speakers, slides or an address book, as read from its file. */
import { HANDOUT } from '../contract/limits.ts';

/** A line, and what its file says about it. */
export interface HandoutLine {
  text: string;
  /** A heading, in which capitals mean nothing; a point of a list; or a name, as in an address book. */
  is?: 'heading' | 'point' | 'person' | 'company';
}

/** A file that cannot be read, with a sentence for the person who sent it. */
export class UnreadableHandout extends Error {
  /** A type that is not read, more than the limits allow, or content that is not what its type says. */
  readonly reason: 'type' | 'size' | 'content';

  /** @param message a sentence */
  constructor(reason: UnreadableHandout['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Collects the lines of a handout within the limits. */
export class LineCollector {
  readonly lines: HandoutLine[] = [];
  #chars = 0;

  /** Adds text, a line each; what is blank is left out. @throws {UnreadableHandout} beyond the limits */
  add(text: string, is?: HandoutLine['is']): void {
    this.#chars += text.length;
    if (this.#chars > HANDOUT.maxChars) throw tooLong();
    for (const each of text.normalize('NFC').split(/[\n\r\f\v]+/)) {
      const line = each.replace(/[^\S\t]+/g, ' ').trim();
      if (line === '') continue;
      if (this.lines.length >= HANDOUT.maxLines) throw tooLong();
      this.lines.push(is ? { text: line, is } : { text: line });
    }
  }

  /** Adds the rows of a table; a first row with headings says which columns hold people and companies. */
  addRows(rows: readonly (readonly string[])[]): void {
    const [head = [], ...body] = rows;
    const columns = head.map(columnOf);
    if (!holdsNames(head)) {
      for (const row of rows) this.add(row.map(inOneLine).join('\t'));
      return;
    }
    const first = columns.indexOf('first');
    const last = columns.indexOf('last');
    for (const row of body) {
      const whole = [row[first], row[last]].flatMap((part) => part?.trim() || []).join(' ');
      this.add(inOneLine(whole), 'person');
      row.forEach((cell, at) => {
        const column = columns[at] ?? null;
        if (column === 'first' || column === 'last') return;
        this.add(inOneLine(cell), column ?? undefined);
      });
    }
  }
}

/** The refusal of a file with too much text. */
export const tooLong = (): UnreadableHandout =>
  new UnreadableHandout(
    'size',
    `The file has more than ${HANDOUT.maxChars} characters or ${HANDOUT.maxLines} lines. Send the part with the names.`,
  );

const inOneLine = (cell: string): string => cell.replace(/\s+/g, ' ').trim();

/** Whether a row has headings of columns that hold people or companies. */
export const holdsNames = (row: readonly string[]): boolean =>
  row.some((cell) => columnOf(cell) !== null);

/** What a column holds, by its heading. */
function columnOf(heading: string): 'person' | 'company' | 'first' | 'last' | null {
  const name = inOneLine(heading).toLowerCase();
  return COLUMNS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

const COLUMNS: readonly [RegExp, 'person' | 'company' | 'first' | 'last'][] = [
  [/^(?:first|given)[ _-]?names?$|^vorname$|^prénom$|^nombre$/, 'first'],
  [/^(?:last|family)[ _-]?names?$|^surname$|^nachname$|^apellidos?$/, 'last'],
  [
    /^(?:(?:full|display|speaker|presenter)[ _-]?)?names?$|^(?:speaker|presenter|moderator|panell?ist|host|guest|author|person|attendee)s?$|^(?:referent|sprecher)(?:in)?$|^nom$|^氏名$|^名前$/,
    'person',
  ],
  [
    /^(?:compan(?:y|ies)|organi[sz]ations?|employer|affiliation|institution|firma|unternehmen|entreprise|empresa|会社)(?:[ _-]?name)?$/,
    'company',
  ],
];
