/** Strict readers of caption files, which throw on any deviation. */

/** Characters that some reader takes for the end of a line or file. */
// oxlint-disable-next-line no-control-regex
const ODD = /[\0\r\v\f\u0085\u2028\u2029]/;
const SRT_TIMES = /^\d\d\d?:\d\d:\d\d,\d{3} --> \d\d\d?:\d\d:\d\d,\d{3}$/;
const VTT_TIMES = /^\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}$/;

/** Characters that reverse the rest of a player's line. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
/** Text that FFmpeg, libass or VLC reads as markup in SRT: tags, overrides in braces, and three escapes. */
const SRT_MARKUP = /<\s*[\p{L}/!?]|\{\s*\\|\\[Nnh]/u;

/**
 * The lines of the cues of an SRT document, without italic tags.
 * @throws {Error} on any deviation
 */
export const strictSrt = (text: string): string[][] =>
  text === ''
    ? []
    : blocks(text, SRT_TIMES).map((lines) =>
        lines.map((line) => {
          const plain = withoutPairs(line);
          if (SRT_MARKUP.test(plain)) throw new Error(`${line} holds markup`);
          return plain;
        }),
      );

/** Replaces markup characters and their look-alikes by the same sign, because SRT has no escapes. */
export const signs = (lines: readonly (readonly string[])[]): string[][] =>
  lines.map((each) =>
    each.map((line) =>
      line.replaceAll(/[‹›｛｝∖]/g, (sign) => '<>{}\\'['‹›｛｝∖'.indexOf(sign)] ?? ''),
    ),
  );

/** A line without italic tags, which must be paired within the line. */
function withoutPairs(line: string): string {
  const plain = line.replaceAll(/<i>(.*?)<\/i>/g, '$1');
  if (/<\/?i>/.test(plain)) throw new Error(`${line} holds half a pair of tags`);
  return plain;
}

/**
 * The lines of the cues of a WebVTT document as a player shows them, without italics.
 * @throws {Error} on any deviation
 */
export function strictVtt(text: string): string[][] {
  if (text === 'WEBVTT\n') return [];
  if (!text.startsWith('WEBVTT\n\n')) throw new Error('there is no header');
  return blocks(text.slice('WEBVTT\n\n'.length), VTT_TIMES).map((lines) =>
    // An invisible word joiner keeps players from reading \n as a line break.
    lines.map((line) => shown(line).replaceAll(/\\\u2060(?=[Nnh])/g, '\\')),
  );
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
      if (lines.some((line) => TURNS.test(line))) throw new Error('a line is turned round');
      if (lines.length === 0 || bad !== undefined) throw new Error(`${bad} is no line`);
      return lines;
    });
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** A line with its escapes resolved; a tag or an unescaped ampersand is markup. */
function shown(tagged: string): string {
  const line = withoutPairs(tagged);
  const rest = line.replaceAll(/&(?:amp|lt|gt);/g, '');
  if (/[<>&]/.test(rest)) throw new Error(`${line} holds markup`);
  return line.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? '');
}
