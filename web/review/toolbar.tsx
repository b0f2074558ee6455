/** What is done most, as buttons. */
import { useSignal } from '@preact/signals';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { text } from './strings.ts';
import type { Commands } from './commands.ts';
import { copySrt, download } from './download.ts';
import type { Finder } from './finder.ts';
import { cursor } from './keys.ts';
import type { Review } from './review.ts';
import { ShiftForm } from './shift-form.tsx';

export interface ToolbarProps {
  review: Review;
  commands: Commands;
  finder: Finder;
  onCompare(): void;
  onKeys(): void;
}

/** The bar at the foot of a review. */
export function Toolbar({ review, commands, finder, onCompare, onKeys }: ToolbarProps) {
  const shifting = useSignal(false);
  const { position, changes } = review.state.value;
  const said = review.said.value;
  const done = () => {
    shifting.value = false;
  };
  return (
    <footer class="toolbar">
      {shifting.value && <ShiftForm review={review} commands={commands} onDone={done} />}
      <div class="tools" role="toolbar" aria-label={text.review.cues}>
        {/* The cursor stays where it is: it says where to split, and what is typed next. */}
        <Tool
          keep
          label={text.review.split}
          hint="Alt+Enter"
          run={() => commands.split(cursor())}
        />
        <Tool keep label={text.review.merge} hint="Alt+M" run={commands.merge} />
        <Tool keep label={text.review.insert} hint="Alt+I" run={commands.insert} />
        <Tool keep label={text.review.delete} hint="Alt+Delete" run={commands.remove} />
        <Menu
          label={text.review.more}
          items={[
            { label: text.review.shift, run: () => (shifting.value = true) },
            { label: text.review.closeGap, run: commands.closeGap },
            { label: text.review.lines, run: commands.rebreak },
            { label: text.review.wordBack, run: () => commands.moveWord('previous') },
            { label: text.review.wordOn, run: () => commands.moveWord('next') },
          ]}
        />
        <Tool keep label={text.review.undo} hint="Ctrl+Z" run={review.undo} off={position === 0} />
        <Tool
          keep
          label={text.review.redo}
          hint="Ctrl+Shift+Z"
          run={review.redo}
          off={position === changes.length}
        />
        <Tool label={text.review.find} hint="Ctrl+F" run={() => finder.show('replace')} />
        <Tool label={text.review.compare} run={onCompare} />
        <Tool label={text.review.keys} hint="?" run={onKeys} />
      </div>
      <div class="news">
        <p class="said" role="status">
          {said}
        </p>
        <span class="saving">
          {review.saving.value === 'saved' && position > 0 && text.review.saved}
          {review.saving.value === 'saving' && text.review.saving}
          {review.saving.value === 'not-saved' && text.review.notSaved}
        </span>
      </div>
      <span class="split-button">
        <button type="button" class="primary" onClick={() => download(review, 'srt')}>
          {text.review.download}
        </button>
        <Menu
          label={text.review.downloadAs}
          class="primary"
          items={[
            { label: text.review.downloads.srt, run: () => download(review, 'srt') },
            { label: text.review.downloads.vtt, run: () => download(review, 'vtt') },
            { label: text.review.downloads.txt, run: () => download(review, 'txt') },
            { label: text.review.downloads.json, run: () => download(review, 'json') },
            { label: text.review.downloads.copy, run: () => void copySrt(review) },
          ]}
        >
          <Icon name="down" />
        </Menu>
      </span>
    </footer>
  );
}

interface ToolProps {
  label: string;
  hint?: string;
  off?: boolean;
  /** Leaves the focus where it is. */
  keep?: boolean;
  run(): unknown;
}

const Tool = ({ label, hint, off = false, keep = false, run }: ToolProps) => (
  <button
    type="button"
    aria-disabled={off}
    title={hint ? `${label} (${hint})` : label}
    onPointerDown={(event) => {
      if (keep) event.preventDefault();
    }}
    onClick={run}
  >
    {label}
  </button>
);
