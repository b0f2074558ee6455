/** Writes iTunes Timed Text, the TTML of Apple's stores: two regions, and times in frames. */
import type { Caption } from '../cue.ts';
import { frameAt } from '../timestamps.ts';
import { frameCountOf, timeCodeOf } from '../time-code.ts';
import { nearestColour } from './colours.ts';
import { type CaptionFileOptions, colouredRuns, type LookRun, WHITE } from './portable-captions.ts';
import { xmlText } from './xml.ts';

/** Writes captions as an iTT document. */
export function toItt(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const {
    frameRate = 25,
    dropFrame = false,
    firstFrame = 0,
    language = '',
    lost = () => {},
  } = options;
  const count = frameCountOf(frameRate, dropFrame);
  const body = cues.map((cue, at) => {
    if (cue.placement?.vertical === 'middle') {
      lost({
        cue: at + 1,
        message: 'iTT has captions at the top and at the bottom only: it is at the bottom.',
      });
    }
    const region = cue.placement?.vertical === 'top' ? 'top' : 'bottom';
    const start = frameAt(cue.start, count.rate);
    const end = Math.max(start + 1, frameAt(cue.end, count.rate));
    const times = [start, end].map((frame) =>
      timeCodeOf(frame + firstFrame, count).replace(';', ':'),
    );
    const text = colouredRuns(cue)
      .map((runs) => runs.map(spanOf).join(''))
      .join('<br/>');
    return `      <p begin="${times[0]}" end="${times[1]}" region="${region}" style="normal">${text}</p>\n`;
  });
  const multiplier = count.rate === count.nominal ? '1 1' : '1000 1001';
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" ttp:timeBase="smpte" ttp:frameRate="${count.nominal}" ttp:frameRateMultiplier="${multiplier}" ttp:dropMode="${count.dropped > 0 ? 'dropNTSC' : 'nonDrop'}" xml:lang="${xmlText(language)}" xml:space="preserve">
  <head>
    <styling>
      <style xml:id="normal" tts:fontFamily="sansSerif" tts:fontWeight="normal" tts:fontStyle="normal" tts:fontSize="100%" tts:color="white"/>
      <style xml:id="italic" tts:fontFamily="sansSerif" tts:fontWeight="normal" tts:fontStyle="italic" tts:fontSize="100%"/>
    </styling>
    <layout>
      <region xml:id="top" tts:origin="0% 0%" tts:extent="100% 15%" tts:textAlign="center" tts:displayAlign="before"/>
      <region xml:id="bottom" tts:origin="0% 85%" tts:extent="100% 15%" tts:textAlign="center" tts:displayAlign="after"/>
    </layout>
  </head>
  <body>
    <div>
${body.join('')}    </div>
  </body>
</tt>
`;
}

function spanOf({ text, italic, colour = WHITE }: LookRun): string {
  const style = italic ? ' style="italic"' : '';
  const own = colour === WHITE ? '' : ` tts:color="${nearestColour(colour)}"`;
  return style + own === '' ? xmlText(text) : `<span${style}${own}>${xmlText(text)}</span>`;
}
