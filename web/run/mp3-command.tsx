/** The line that makes an MP3 in a shell, with the name of the file in it. */
import { server } from '../server.ts';

/** The name as a shell takes it, whatever is in it. */
const quoted = (name: string): string => `'${name.replaceAll("'", `'\\''`)}'`;

/** The line, to be copied. */
export const Mp3Command = ({ name }: { name: string }) => (
  <pre tabIndex={0}>
    <code>
      {server.ffmpegCommand
        .replace('input.mp4', () => quoted(name))
        .replace('output.mp3', () => quoted(`${name.replace(/\.[^.]*$/, '')}.mp3`))}
    </code>
  </pre>
);
