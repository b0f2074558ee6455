/** The question before a download into a format that does not hold everything. */
import { FORMATS } from '../../../server/captions/files/formats.ts';
import { Dialog } from '../../components/dialog.tsx';
import { text } from '../../texts/shell.ts';
import { said } from '../../texts/said.ts';
import { lossText as texts } from '../../texts/caption-files.ts';
import { type LosingDownload, losing } from '../save/download.ts';

/** The most losses listed. */
const LISTED = 100;

/** The dialog, with each loss. */
export function LossDialog({ format, losses, save }: LosingDownload) {
  return (
    <Dialog
      title={texts.title(FORMATS[format].name)}
      close={text.cancel}
      onClose={() => (losing.value = null)}
      actions={[{ label: texts.save, run: save }]}
    >
      <ul class="unread">
        {losses.slice(0, LISTED).map(({ cue, message }, at) => (
          <li key={at}>
            {texts.caption(cue)}
            {said.sentence(message)}
          </li>
        ))}
      </ul>
      {losses.length > LISTED && <p class="hint">{texts.more(losses.length - LISTED)}</p>}
      <p class="hint">{texts.hint}</p>
    </Dialog>
  );
}
