/** Writes EBU-TT-D 1.0.1 (EBU Tech 3380), the TTML of European broadcasters' online services: looks are styles, in spans that do not nest. */
import type { Caption } from '../cue.ts';
import { formatTimestamp } from '../timestamps.ts';
import { isRightToLeft } from './direction.ts';
import { type CaptionFileOptions, colouredRuns, type LookRun, WHITE } from './portable-captions.ts';
import { regionOf, type TtmlRegion } from './ttml-parts.ts';
import { xmlText } from './xml.ts';

/**
 * Writes captions as an EBU-TT-D document.
 * @throws {RangeError} for a time before the beginning
 */
export function toEbuTtD(
  cues: readonly Caption[],
  { language = '' }: CaptionFileOptions = {},
): string {
  const regions = new Map<string, TtmlRegion>();
  const styles = new Map<string, string>();
  const body = cues.map((cue, at) => {
    const { columns: _columns, ...held } = cue;
    const region = regionOf(held);
    regions.set(region.id, region);
    const lines = colouredRuns(cue).map((runs) => runs.map((run) => spanOf(run, styles)).join(''));
    const [start, end] = [cue.start, Math.max(cue.start + 0.001, cue.end)].map((time) =>
      formatTimestamp(time, '.'),
    );
    return `      <tt:p xml:id="c${at + 1}" region="${region.id}" style="paragraph${styleOfAlign(region)}" begin="${start}" end="${end}">${lines.join('<tt:br/>')}</tt:p>\n`;
  });
  if (regions.size === 0) regions.set('bottom', regionOf({}));
  const direction = isRightToLeft(language) ? 'rtl' : 'ltr';
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt:tt xmlns:tt="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ebuttm="urn:ebu:tt:metadata" xmlns:ebutts="urn:ebu:tt:style" ttp:timeBase="media" ttp:cellResolution="50 30" xml:lang="${xmlText(language)}">
  <tt:head>
    <tt:metadata>
      <ebuttm:documentMetadata>
        <ebuttm:conformsToStandard>urn:ebu:tt:distribution:2018-04</ebuttm:conformsToStandard>
        <ebuttm:conformsToStandard>http://www.w3.org/ns/ttml/profile/imsc1/text</ebuttm:conformsToStandard>
      </ebuttm:documentMetadata>
    </tt:metadata>
    <tt:styling>
      <tt:style xml:id="paragraph" tts:direction="${direction}" tts:fontFamily="proportionalSansSerif" tts:fontSize="160%" tts:lineHeight="125%" tts:textAlign="center"/>
      <tt:style xml:id="start" tts:textAlign="start"/>
      <tt:style xml:id="end" tts:textAlign="end"/>
      <tt:style xml:id="text" tts:color="#ffffff" tts:backgroundColor="#000000"/>
      <tt:style xml:id="italic" tts:fontStyle="italic"/>
${[...styles].map(([colour, id]) => `      <tt:style xml:id="${id}" tts:color="${colour}"/>\n`).join('')}    </tt:styling>
    <tt:layout>
${[...regions.values()].map(({ id, y, height, display }) => `      <tt:region xml:id="${id}" tts:origin="10% ${y}%" tts:extent="80% ${height}%" tts:displayAlign="${display}"/>\n`).join('')}    </tt:layout>
  </tt:head>
  <tt:body>
    <tt:div>
${body.join('')}    </tt:div>
  </tt:body>
</tt:tt>
`;
}

const styleOfAlign = ({ align }: TtmlRegion): string => (align === 'center' ? '' : ` ${align}`);

function spanOf({ text, italic, colour = WHITE }: LookRun, styles: Map<string, string>): string {
  const names = ['text'];
  if (italic) names.push('italic');
  if (colour !== WHITE) {
    const id = styles.get(colour) ?? `colour${colour.slice(1)}`;
    styles.set(colour, id);
    names.push(id);
  }
  return `<tt:span style="${names.join(' ')}" xml:space="preserve">${xmlText(text)}</tt:span>`;
}
