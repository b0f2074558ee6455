/**
 * Prints messages and progress to standard error: a progress line on a terminal, plain lines
 * elsewhere.
 */

/** Prints a line. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Control characters, which words from a server could use to write elsewhere on a terminal. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

interface ProgressLine {
  /** Shows a label and the fraction done, from 0 to 1. */
  show(label: string, fraction: number, detail?: string): void;
  /** Shows recognised words above the line; only on a terminal. */
  words(text: string): void;
  /** Leaves the line and starts the next one. */
  end(): void;
}

/**
 * A line that is redrawn on a terminal; elsewhere one line for each new label.
 * @param out where it is printed
 */
export function progressLine(
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): ProgressLine {
  let lastLabel = '';
  let open = false;
  let line = '';
  return {
    show(label, fraction, detail = '') {
      if (!out.isTTY) {
        if (label !== lastLabel) out.write(`${label}\n`);
        lastLabel = label;
        return;
      }
      const width = 28;
      const filled = Math.round(Math.max(0, Math.min(1, fraction)) * width);
      const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
      const percent = `${Math.floor(fraction * 100)}%`.padStart(4);
      line = `${label.padEnd(16)} ${bar} ${percent} ${detail}`;
      out.write(`\r\u001b[K${line}`);
      open = true;
    },
    words(text) {
      if (!out.isTTY) return;
      out.write(`\r\u001b[K\u001b[2m${text.replaceAll(CONTROLS, ' ')}\u001b[22m\n`);
      if (open) out.write(line);
    },
    end() {
      if (open) out.write('\n');
      open = false;
    },
  };
}

/** The stage names for display. */
export const STAGE_LABELS: Record<string, string> = {
  payload: 'Preparing',
  storage: 'Reading audio',
  transcription: 'Transcribing',
  moderation: 'Moderating',
  terminology_audit: 'Checking terms',
  correction: 'Correcting',
  captioning: 'Making captions',
  workflow: 'Finishing',
};
