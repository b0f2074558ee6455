/** Sounds without speech, as recordings: every word recognised in them is invented. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ffmpeg } from '../ffmpeg.ts';

/**
 * A random note of `semitones` above `lowest` Hz, drawn every `samples` samples and kept in a
 * variable of the expression.
 */
const note = (variable: number, samples: number, lowest: number, semitones: number): string =>
  `if(eq(mod(n,${samples}),0),st(${variable},${lowest}*pow(2,floor(${semitones}*random(${variable}))/12)));`;

/**
 * Each sound as an ffmpeg source: tones as an `aevalsrc` expression of t and n (16,000 a second),
 * noise as a filter. No minute is like another: the hum swells and drifts, the music has a random
 * chord every two seconds and a beat, and the melody a random note every 0.4 s; applause is noise in
 * bursts; breath is noise that swells and falls every four seconds, more and less loudly.
 */
const SOUNDS: Readonly<Record<string, string>> = {
  silence: 'anullsrc=r=16000:cl=mono',
  noise: 'anoisesrc=r=16000:c=white:a=0.1:seed=7',
  'pink noise': 'anoisesrc=r=16000:c=pink:a=0.3:seed=7',
  hum:
    "aevalsrc='(0.6+0.4*sin(2*PI*t/37))*(0.2*sin(2*PI*50*t+9*sin(2*PI*t/61))+0.1*sin(2*PI*100*t+5*sin(2*PI*t/43))" +
    "+0.06*sin(2*PI*150*t)+0.03*sin(2*PI*250*t+7*sin(2*PI*t/29)))':s=16000",
  music:
    `aevalsrc='${note(1, 32_000, 147, 12)}${note(2, 32_000, 220, 12)}${note(3, 16_000, 294, 12)}` +
    '0.25*exp(-1.5*mod(t,1))*(sin(2*PI*ld(1)*t)+sin(2*PI*ld(2)*t)+0.7*sin(2*PI*ld(3)*t))' +
    "+0.3*exp(-20*mod(t,0.5))*(random(0)-0.5)':s=16000",
  melody:
    `aevalsrc='${note(1, 6400, 220, 24)}` +
    "0.3*exp(-3*mod(t,0.4))*(sin(2*PI*ld(1)*t)+0.5*sin(4*PI*ld(1)*t)+0.25*sin(6*PI*ld(1)*t))':s=16000",
  applause:
    "aevalsrc='(random(0)-0.5)*(0.25+0.5*gt(random(1),0.97)+0.2*sin(2*PI*7*t)*sin(2*PI*0.31*t))*(1-exp(-mod(t,15)))*exp(-0.15*mod(t,15))':s=16000",
  breath:
    "aevalsrc='(0.2+0.1*sin(2*PI*t/71))*(random(0)-0.5)*pow(max(0,sin(2*PI*t/4)),2)':s=16000,lowpass=f=2500,highpass=f=200",
};

/** Writes each sound as an MP3 of a number of minutes. */
export function soundRecordings(folder: string, minutes: number): { name: string; path: string }[] {
  return Object.entries(SOUNDS).map(([name, source]) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}-${minutes}.mp3`);
    if (!existsSync(path)) {
      ffmpeg(
        ...`-y -f lavfi -t ${minutes * 60} -i`.split(' '),
        source,
        ...'-ac 1 -ar 16000 -b:a 48k'.split(' '),
        path,
      );
    }
    return { name, path };
  });
}
