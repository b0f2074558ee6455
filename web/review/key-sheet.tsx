/** The sheet of keys. */
import { Dialog } from '../components/dialog.tsx';
import { text } from './strings.ts';
import { KEYS } from './keys.ts';

/** Every key and what it does. */
export const KeySheet = ({ onClose }: { onClose(): void }) => (
  <Dialog title={text.review.keysTitle} onClose={onClose}>
    <dl class="keys">
      {KEYS.map(({ shown, says }) => (
        <div key={shown}>
          <dt>
            <kbd>{shown}</kbd>
          </dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
    <p class="hint">{text.review.keysHint}</p>
  </Dialog>
);
