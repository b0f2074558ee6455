/** Writes the captions of Final Cut Pro, as clips of FCPXML (https://developer.apple.com/documentation/professional-video-applications/fcpxml-reference). */
import type { Caption } from '../cue.ts';
import { frameAt } from '../timestamps.ts';
import { frameCountOf } from '../time-code.ts';
import { type CaptionFileOptions, colouredRuns, type LookRun, WHITE } from './portable-captions.ts';
import { xmlText } from './xml.ts';

/** Writes captions as an FCPXML document: a project whose only clip is a gap that the captions are connected to. */
export function toFcpxml(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const { frameRate = 25, dropFrame = false, firstFrame = 0, language = '' } = options;
  const count = frameCountOf(frameRate, dropFrame);
  /** Times are fractions of a second, a whole number of frames. */
  const unit =
    count.rate === count.nominal ? [100, count.nominal * 100] : [1001, count.nominal * 1000];
  const time = (frames: number): string =>
    frames === 0 ? '0s' : `${frames * unit[0]!}/${unit[1]!}s`;
  const last = cues.reduce((end, cue) => Math.max(end, frameAt(cue.end, count.rate)), 1);
  const role = `iTT?captionFormat=ITT.${/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/.test(language) ? language : 'en'}`;
  const captions = cues.map((cue, at) => {
    const start = frameAt(cue.start, count.rate);
    const end = Math.max(start + 1, frameAt(cue.end, count.rate));
    const placed = cue.placement?.vertical === 'top' ? 'top' : 'bottom';
    const runs = colouredRuns(cue).flatMap((line, n) =>
      n === 0 ? line : [{ text: '\n', italic: false }, ...line],
    );
    const styles = runs.map((run: LookRun, n) => ({ run, id: `ts${at + 1}-${n + 1}` }));
    const texts = styles.map(
      ({ run, id }) => `<text-style ref="${id}">${xmlText(run.text)}</text-style>`,
    );
    const definitions = styles.map(({ run, id }) => {
      const colour = colourOf(run.colour ?? WHITE);
      const italic = run.italic ? ' italic="1"' : '';
      return `              <text-style-def id="${id}"><text-style font=".AppleSystemUIFont" fontSize="13" fontFace="Regular" fontColor="${colour}" backgroundColor="0 0 0 1"${italic}/></text-style-def>\n`;
    });
    const name = xmlText(
      runs
        .map(({ text }) => text)
        .join('')
        .replace(/\s+/g, ' ')
        .slice(0, 100),
    );
    return `            <caption lane="1" offset="${time(start)}" name="${name}" start="0s" duration="${time(end - start)}" role="${role}">
              <text placement="${placed}">${texts.join('')}</text>
${definitions.join('')}            </caption>\n`;
  });
  const drop = count.dropped > 0 ? 'DF' : 'NDF';
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE fcpxml>
<fcpxml version="1.8">
  <resources>
    <format id="r1" frameDuration="${time(1)}" width="1920" height="1080"/>
  </resources>
  <library>
    <event name="Captions">
      <project name="Captions">
        <sequence format="r1" duration="${time(last)}" tcStart="${time(firstFrame)}" tcFormat="${drop}">
          <spine>
            <gap name="Gap" offset="0s" start="0s" duration="${time(last)}">
${captions.join('')}            </gap>
          </spine>
        </sequence>
      </project>
    </event>
  </library>
</fcpxml>
`;
}

/** The red, green, blue and opacity of `#rrggbb`, from 0 to 1. */
const colourOf = (colour: string): string =>
  [1, 3, 5]
    .map(
      (at) => Math.round((Number.parseInt(colour.slice(at, at + 2), 16) / 255) * 10_000) / 10_000,
    )
    .concat(1)
    .join(' ');
