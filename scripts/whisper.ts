/** `captioner whisper talk.mp4 --model small --output_format all`: for programs that start Whisper's command lines. */
import { endProcess, versionOf } from './command-line.ts';
import { commandLine } from './current-folder.ts';
import { openHere } from './open-work.ts';
import { readWhisperLine, whisperHelp } from './whisper-options.ts';
import { whisperRecordings } from './whisper-recordings.ts';

const print = (text: string): void => void process.stdout.write(text);

await endProcess('whisper', async () => {
  const task = readWhisperLine(process.argv.slice(2));
  if (task === 'help') print(whisperHelp(commandLine('whisper', 'talk.mp4 --language en')));
  else if (task === 'version') print(`captioner ${versionOf()}\n`);
  else
    await whisperRecordings(
      task,
      (first) => openHere(first, task.task === 'translate' ? ['en'] : []),
      print,
    );
});
