/** Reads WebVTT with Chromium's own player. */
import type { Page } from 'puppeteer-core';

/** A cue as the browser's own parser reads it. */
export interface PlayedCue {
  start: number;
  end: number;
  text: string;
  /** The elements in it, by name and text. */
  tags: (string | null)[][];
  /** The names of its voices. */
  voices: (string | null)[];
  line: number | 'auto';
  align: string;
  /** Whether a script in the text has run. */
  hacked: boolean;
}

/** The cues of WebVTT documents as a page reads them, without invisible word joiners. */
export const playedCaptions = (page: Page, documents: readonly string[]): Promise<PlayedCue[][]> =>
  page.evaluate(async (all: readonly string[]) => {
    const played = async (vtt: string) => {
      const video = window.document.createElement('video');
      const track = window.document.createElement('track');
      track.default = true;
      const loaded = new Promise((resolve, reject) => {
        track.addEventListener('load', resolve);
        track.addEventListener('error', reject);
      });
      track.src = URL.createObjectURL(new Blob([vtt], { type: 'text/vtt' }));
      video.append(track);
      window.document.body.append(video);
      track.track.mode = 'hidden';
      await loaded;
      const cues = Array.from(track.track.cues ?? [], (each) => {
        const cue = each as VTTCue;
        const holder = window.document.createElement('div');
        holder.append(cue.getCueAsHTML());
        const elements = Array.from(holder.querySelectorAll('*'));
        return {
          start: cue.startTime,
          end: cue.endTime,
          text: (holder.textContent ?? '').replaceAll('\u2060', ''),
          tags: elements.map(({ localName, textContent }) => [localName, textContent]),
          voices: elements.flatMap((element) =>
            element.hasAttribute('title') ? [element.getAttribute('title')] : [],
          ),
          line: cue.line,
          align: cue.align,
          hacked: 'hacked' in window,
        };
      });
      video.remove();
      return cues;
    };
    return Promise.all(all.map(played));
  }, documents);
