/** Readers that take nothing but the strictest form of a file, and throw for anything else. */

/** What some reader or other takes for the end of a line, or of the file. */
// oxlint-disable-next-line no-control-regex
const ODD = /[\0\r\v\f\u0085\u2028\u2029]/;
const SRT_TIMES = /^\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}$/;
const VTT_TIMES = /^\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}$/;

/** The lines of the cues of an SRT document. @throws {Error} for whatever is not as it should be */
export const strictSrt = (text: string): string[][] => (text === '' ? [] : blocks(text, SRT_TIMES));

/** The lines of the cues of a WebVTT document, as a player shows them. @throws {Error} as above */
export function strictVtt(text: string): string[][] {
  if (text === 'WEBVTT\n') return [];
  if (!text.startsWith('WEBVTT\n\n')) throw new Error('there is no header');
  return blocks(text.slice('WEBVTT\n\n'.length), VTT_TIMES).map((lines) => lines.map(shown));
}

function blocks(text: string, times: RegExp): string[][] {
  if (ODD.test(text) || /^\ufeff/m.test(text)) throw new Error('there is an odd line end');
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  return text
    .slice(0, -1)
    .split('\n\n')
    .map((block, at) => {
      const [index, clock = '', ...lines] = block.split('\n');
      if (index !== String(at + 1)) throw new Error(`${index} is no index ${at + 1}`);
      if (!times.test(clock)) throw new Error(`${clock} are no times`);
      const bad = lines.find((line) => line.trim() === '' || line.includes('-->'));
      if (lines.length === 0 || bad !== undefined) throw new Error(`${bad} is no line`);
      return lines;
    });
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** A line without its escapes; a tag, or an ampersand that begins none of them, is markup. */
function shown(line: string): string {
  const rest = line.replaceAll(/&(?:amp|lt|gt);/g, '');
  if (/[<>&]/.test(rest)) throw new Error(`${line} holds markup`);
  return line.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? '');
}
