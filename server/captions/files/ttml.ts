/**
 * Writes TTML in the text profile of IMSC 1.1 (https://www.w3.org/TR/ttml-imsc1.1/), which
 * broadcasters and streaming services accept.
 */
import { formatTimestamp } from '../timestamps.ts';
import type { Caption, Placement } from '../cue.ts';
import { isRightToLeft } from './direction.ts';
import { frameRateOf } from '../frames.ts';
import { spokenLines } from './portable-captions.ts';
import { xmlText } from './xml.ts';

/** Details that some formats hold in addition to the captions. */
export interface CaptionFileOptions {
  /** BCP 47; empty if unknown. */
  language?: string;
  /** The frames a second of the picture that the captions were made for, if known. */
  frameRate?: number;
}

/**
 * Writes captions as a TTML document. Speakers become agents, positions regions, and italics a style. The language sets
 * the direction of lines, including those that begin with a foreign word.
 * @throws {RangeError} past 99:59:59,999
 * @example
 * toTtml([{ start: 0, end: 1, lines: ['Hello'] }], { language: 'en' }).includes('>Hello</span>'); // => true
 */
export function toTtml(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const agents = new Map<string, string>();
  const regions = new Map<string, string>();
  const body = cues.map((cue) => {
    const region = regionId(cue.placement);
    regions.set(region, regionOf(region, cue.placement));
    const text = spokenLines(cue)
      .map(({ speaker, lines }) => spanOf(lines, agentId(agents, speaker)))
      .join('<br/>');
    return `      <p begin="${formatTimestamp(cue.start, '.')}" end="${formatTimestamp(cue.end, '.')}" region="${region}">${text}</p>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" ttp:timeBase="media"${rateOf(options.frameRate)} xml:lang="${xmlText(options.language ?? '')}" xml:space="preserve">
  <head>
${metadataOf(agents)}    <styling>
      <style xml:id="text" tts:fontFamily="proportionalSansSerif" tts:fontSize="100%" tts:lineHeight="125%" tts:color="white" tts:backgroundColor="black"/>
      <style xml:id="italic" tts:fontStyle="italic"/>
    </styling>
    <layout>
${[...regions.values()].join('') || regionOf('bottom', undefined)}    </layout>
  </head>
  <body${isRightToLeft(options.language ?? '') ? ' tts:direction="rtl"' : ''}>
    <div>
${body.join('')}    </div>
  </body>
</tt>
`;
}

function spanOf(
  lines: readonly { text: string; italic: boolean }[][],
  agent: string | null,
): string {
  const text = lines
    .map((runs) =>
      runs
        .map(({ text, italic }) =>
          italic ? `<span style="text italic">${xmlText(text)}</span>` : xmlText(text),
        )
        .join(''),
    )
    .join('<br/>');
  return `<span style="text"${agent === null ? '' : ` ttm:agent="${agent}"`}>${text}</span>`;
}

function agentId(agents: Map<string, string>, speaker: string): string | null {
  if (speaker === '') return null;
  const id = agents.get(speaker) ?? `speaker${agents.size + 1}`;
  agents.set(speaker, id);
  return id;
}

function metadataOf(agents: ReadonlyMap<string, string>): string {
  if (agents.size === 0) return '';
  const each = [...agents].map(
    ([name, id]) =>
      `      <ttm:agent xml:id="${id}" type="person"><ttm:name type="full">${xmlText(name)}</ttm:name></ttm:agent>\n`,
  );
  return `    <metadata>\n${each.join('')}    </metadata>\n`;
}

const regionId = ({ vertical, align }: Placement = {}): string =>
  `${vertical ?? 'bottom'}${align ? `-${align}` : ''}`;

/** A region of the picture with a margin of a tenth on all sides, since screens may cut off the edge. */
function regionOf(id: string, { vertical, align }: Placement = {}): string {
  const display = vertical === 'top' ? 'before' : vertical === 'middle' ? 'center' : 'after';
  return `      <region xml:id="${id}" tts:origin="10% 10%" tts:extent="80% 80%" tts:displayAlign="${display}" tts:textAlign="${align ?? 'center'}"/>\n`;
}

function rateOf(frameRate: number | undefined): string {
  if (frameRate === undefined) return '';
  const { nominal, multiplier } = frameRateOf(frameRate);
  return ` ttp:frameRate="${nominal}"${multiplier === 1 ? '' : ' ttp:frameRateMultiplier="1000 1001"'}`;
}
