/** Reads address books (vCard) and calendars (iCalendar), which are lists of properties. */
import { LineCollector } from './lines.ts';

interface Property {
  name: string;
  parameters: string;
  value: string;
}

/** Reads people and companies of an address book, and people and texts of a calendar. @throws {UnreadableHandout} */
export function readContacts(text: string, into: LineCollector): void {
  /** The name in parts, for a card without the whole. */
  let inParts = '';
  for (const { name, parameters, value } of propertiesOf(text)) {
    if (name === 'FN' || name === 'NICKNAME') into.add(unescaped(value), 'person');
    if (name === 'FN') inParts = '';
    if (name === 'N') {
      const [family = '', given = ''] = value.split(SEMICOLON);
      inParts = unescaped(`${given} ${family}`);
    }
    if (name === 'END') {
      into.add(inParts, 'person');
      inParts = '';
    }
    if (name === 'ORG') {
      // The units of a company follow it.
      const [company = ''] = value.split(SEMICOLON);
      into.add(unescaped(company), 'company');
    }
    if (name === 'ATTENDEE' || name === 'ORGANIZER') {
      const person = /(?:^|;)CN=(?:"([^"]*)"|([^;:]*))/i.exec(parameters);
      const called = person?.[1] ?? person?.[2] ?? '';
      if (!called.includes('@')) into.add(called, 'person');
    }
    if (name === 'SUMMARY' || name === 'X-WR-CALNAME') into.add(unescaped(value), 'heading');
    if (name === 'DESCRIPTION' || name === 'NOTE' || name === 'LOCATION')
      into.add(unescaped(value));
  }
}

const SEMICOLON = /(?<!\\);/;
/** The longest property, in characters; longer ones are pictures. */
const MAX_PROPERTY = 20_000;

/** The properties. A line that begins with white space, or follows a soft break, goes on with the line before. */
function* propertiesOf(text: string): Generator<Property> {
  const unfolded = text.replace(/\r\n?/g, '\n').replace(/\n[ \t]/g, '');
  const lines = unfolded.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (line.length > MAX_PROPERTY) continue;
    const found = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:[^":;]|"[^"]*")*)*):(.*)$/s.exec(line);
    if (!found) continue;
    const [, name = '', parameters = '', first = ''] = found;
    if (!/ENCODING=QUOTED-PRINTABLE/i.test(parameters)) {
      yield { name: name.toUpperCase(), parameters, value: first };
      continue;
    }
    const parts = [first];
    while (parts.at(-1)!.endsWith('=') && at + 1 < lines.length) {
      parts.push(parts.pop()!.slice(0, -1), lines[(at += 1)]!);
    }
    const value = parts.join('');
    if (value.length <= MAX_PROPERTY)
      yield { name: name.toUpperCase(), parameters, value: unquoted(value) };
  }
}

const unescaped = (value: string): string =>
  value.replace(/\\([nN,;:\\])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));

/** The text of a quoted-printable value, as version 2.1 of vCard writes it. */
function unquoted(value: string): string {
  const bytes = new TextEncoder().encode(value);
  const read: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = value.length === bytes.length ? value.slice(at + 1, at + 3) : '';
    if (bytes[at] === 0x3d && /^[\dA-F]{2}$/i.test(hex)) {
      read.push(Number.parseInt(hex, 16));
      at += 2;
    } else read.push(bytes[at]!);
  }
  return new TextDecoder().decode(new Uint8Array(read));
}
