/** Recognises files that are MP3 already, for the service and the shell. */
import { createReadStream } from 'node:fs';
import { Mp3Sniffer } from '../mp3/sniff.ts';

/** Whether a file is an MP3, by its bytes. */
export async function isMp3(path: string): Promise<boolean> {
  const sniffer = new Mp3Sniffer();
  for await (const chunk of createReadStream(path)) {
    const verdict = sniffer.push(chunk as Uint8Array);
    if (verdict !== 'unknown') return verdict === 'mp3';
  }
  return sniffer.end() === 'mp3';
}
