/**
 * A sample review: half a minute of a talk as a service would have recognised it, with its
 * recording.
 */
import { buildCues } from '../../server/captions/build.ts';
import { assessCaptions } from '../../server/captions/quality.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import recording from '../../sample/agent-registration.mp3' with { type: 'file' };

/** Each word with its start and end in seconds, and its confidence where it is not 0.97. */
const WORDS =
  'Good 0.26 0.45|evening, 0.46 1.06|and 1.11 1.27|welcome 1.28 1.66|to 1.67 1.80|this 1.81 2.00|short 2.01 2.27|talk 2.28 2.52|about 2.53 2.81|agent 2.82 3.08|registration. 3.09 4.21|Tonight 4.32 4.71|I 4.72 4.86|want 4.87 5.16|to 5.17 5.26|show 5.27 5.45|you 5.46 5.57|how 5.58 5.80|an 5.81 6.00|agent 6.01 6.42|can 6.43 6.58|sign 6.59 6.82|up 6.83 6.97|for 6.98 7.28|a 7.28 7.29|service 7.29 7.68|on 7.69 7.83|its 7.84 8.11 0.48|own. 8.12 8.46|The 8.75 8.89|agent 8.90 9.31|reads 9.31 9.72|one 9.73 9.95|page, 9.96 10.44|and 10.51 10.65|then 10.66 10.83|it 10.84 10.92|asks 10.93 11.24|for 11.25 11.42|a 11.43 11.55|key. 11.56 11.83 0.41|First, 12.18 12.57|it 12.58 12.69|sends 12.69 12.96|an 12.96 13.07|email 13.07 13.34|address 13.34 13.72|to 13.73 13.78|the 13.79 14.28|service. 14.29 14.77|Then 14.98 15.15|a 15.16 15.23|person 15.24 15.63|reads 15.64 15.99|a 16.00 16.08|code 16.09 16.32|of 16.33 16.42|six 16.43 16.69|numbers 16.70 17.19 0.55|from 17.20 17.41|the 17.42 17.49|mail, 17.50 17.97|and 18.04 18.25|gives 18.26 18.51|it 18.52 18.68|to 18.69 18.81|the 18.82 18.93|agent. 18.94 19.46|Now 19.85 20.11|the 20.12 20.23|agent 20.24 20.64|has 20.65 20.80|a 20.81 20.87|key, 20.88 21.27|and 21.37 21.56|it 21.57 21.68|can 21.69 21.92|start 21.93 22.37|to 22.38 22.49|work. 22.50 22.90|We 23.19 23.34|use 23.35 23.63|off 23.64 23.82 0.62|kit 23.83 24.03 0.71|for 24.04 24.25|the 24.26 24.31|sign 24.32 24.83|in 24.83 24.84|page, 24.84 25.35|and 25.39 25.53|an 25.54 25.84|MCP 25.84 26.28|server 26.29 26.66|for 26.67 26.82|the 26.83 26.88|tools. 26.89 27.39|The 27.70 27.76|Model 27.77 28.19|Context 28.20 28.80|Protocol 28.81 29.28|tells 29.29 29.61|the 29.62 29.71|agent 29.72 30.15|which 30.16 30.34|tools 30.35 30.64|there 30.65 31.27|are. 31.27 31.55|Thank 31.55 31.93|you 31.94 32.06|for 32.07 32.23|coming, 32.24 32.78|and 32.85 33.02|please 33.03 33.38|ask 33.39 33.72|me 33.73 34.01|your 34.02 34.23|questions. 34.24 35.06';

/** A misheard term, its correction and the reason. */
const TERM = {
  before: 'off kit',
  after: 'AuthKit',
  reason: '“off kit” is how AuthKit is often misheard.',
};

/** The recognised words. */
function words(): { text: string; start: number; end: number; confidence: number }[] {
  return WORDS.split('|').map((word) => {
    const [text = '', start, end, confidence = '0.97'] = word.split(' ');
    return { text, start: Number(start), end: Number(end), confidence: Number(confidence) };
  });
}

/** The result that a run of the sample would have. */
export function sampleResult(): CaptionerCompletedResult {
  const heard = words();
  const settings = DEFAULT_CAPTION_SETTINGS;
  const cues = buildCues(heard, settings, 'en');
  const firstWord = heard.findIndex(({ text }) => text === 'off');
  const [off, kit] = [heard[firstWord], heard[firstWord + 1]];
  const correction = {
    id: 'sample-term',
    firstWord,
    lastWord: firstWord + 1,
    start: off?.start ?? 0,
    end: kit?.end ?? 0,
    ...TERM,
    category: 'product',
    confidence: 0.93,
    decision: 'needs_review',
    packHints: [],
  };
  // The cast stands for the parts of a result that only a real run has.
  return {
    status: 'completed',
    input: { language: 'en' },
    metadata: {},
    transcript: { text: '', metadata: {}, words: heard, utterances: [], paragraphs: [] },
    audit: { corrections: [correction] },
    captions: { format: 'srt', srt: '', cues, settings },
    quality: { captions: assessCaptions(cues, settings, 'en') },
  } as unknown as CaptionerCompletedResult;
}

/** The sample's recording, fetched from the service. */
export async function sampleRecording(): Promise<File> {
  const response = await fetch(new URL(recording, import.meta.url));
  if (!response.ok) throw new Error(`The sample is not there: ${response.status}.`);
  return new File([await response.blob()], 'Sample talk.mp3', { type: 'audio/mpeg' });
}
