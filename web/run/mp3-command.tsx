/** The shell command that makes an MP3, with the name of the file in it. */
import { server } from '../server.ts';

/** A file name quoted for a shell. */
const quoted = (name: string): string => `'${name.replaceAll("'", `'\\''`)}'`;

/** The command, ready to copy. */
export const Mp3Command = ({ name }: { name: string }) => (
  <pre tabIndex={0}>
    <code>
      {server.ffmpegCommand
        .replace('input.mp4', () => quoted(name))
        .replace('output.mp3', () => quoted(`${name.replace(/\.[^.]*$/, '')}.mp3`))}
    </code>
  </pre>
);
