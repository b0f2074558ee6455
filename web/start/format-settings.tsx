/** The caption settings with a preview, in which the service's own code captions half a minute of speech. */
import { buildCues } from '../../server/captions/build/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { OPTION } from '../../server/contract/limits.ts';
import { NumberField } from '../components/fields.tsx';
import { text } from '../texts/shell.ts';
import { draft } from '../job/draft.ts';
import { preview } from '../texts/start-parts.ts';

/** The time per word of a steady speaker, about 150 words a minute. */
const WORD_SECONDS = 0.4;

const words = preview.sample.split(' ').map((word, at) => ({
  text: word,
  start: at * WORD_SECONDS,
  end: (at + 0.9) * WORD_SECONDS,
}));

/** The fields, and the preview below them. */
export const FormatSettings = () => (
  <>
    <NumberField
      label={text.format.maxLineChars}
      value={draft.maxLineChars}
      {...OPTION.maxLineChars}
      step={1}
    />
    <NumberField
      label={text.format.maxLines}
      value={draft.maxLines}
      {...OPTION.maxLines}
      step={1}
    />
    <NumberField
      label={text.format.maxDuration}
      value={draft.maxDuration}
      {...OPTION.maxDuration}
      step={0.5}
    />
    <NumberField
      label={text.format.minDuration}
      value={draft.minDuration}
      {...OPTION.minDuration}
      step={0.1}
    />
    <Preview />
  </>
);

/** The preview, which follows the settings as they change. */
function Preview() {
  const settings = {
    maxLineChars: draft.maxLineChars.value,
    maxLines: draft.maxLines.value,
    maxDuration: draft.maxDuration.value,
    minDuration: draft.minDuration.value,
  };
  const cues = buildCues(words, settings);
  const { maxLineLength } = assessCaptions(cues, settings).summary;
  const most = Math.max(...cues.map(({ lines }) => lines.length));
  return (
    <section class="preview" aria-label={preview.title}>
      <h2>{preview.title}</h2>
      <div class="preview-screen" tabIndex={0} role="group" aria-label={preview.title}>
        {cues.slice(0, 4).map((cue) => (
          <p key={cue.index}>
            {cue.lines.map((line) => (
              <span key={line}>
                {line} <small>{line.length}</small>
              </span>
            ))}
          </p>
        ))}
      </div>
      <p class="hint" role="status">
        {preview.summary(cues.length, maxLineLength, most)}
      </p>
    </section>
  );
}
