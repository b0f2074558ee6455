/** The header of the review: title, open items, save status and downloads. */
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import type { Desk } from './desk.ts';
import { copySrt, download, DOWNLOADS } from '../save/download.ts';
import { text } from '../../texts/review.ts';
import { FindTools } from './tools.tsx';

/** The title, with the open items and the save status. */
export function DeskTitle({ desk }: { desk: Desk }) {
  const { review, navigation, tab } = desk;
  const Where = desk.saved.value?.Where;
  const { term, doubt, warning } = navigation.left.value;
  const parts = [
    ['terms', term, text.review.leftTerms(term)],
    ['doubts', doubt, text.review.leftDoubts(doubt)],
    ['warnings', warning, text.review.leftWarnings(warning)],
  ] as const;
  const left = parts.filter(([, count]) => count > 0);
  return (
    <div class="desk-title">
      <h1 title={review.name}>{text.review.title(review.name)}</h1>
      <p class="left">
        {left.length === 0
          ? // Without captions there is nothing to have checked.
            review.cues.value.length > 0 && (
              <span class="all-done">
                <Icon name="check" /> {text.review.done}
              </span>
            )
          : left.map(([name, , says]) => (
              <button
                type="button"
                class="plain"
                tabIndex={-1}
                key={name}
                onClick={() => {
                  tab.value = name;
                }}
              >
                {says}
              </button>
            ))}
        {Where && <Where desk={desk} />}
      </p>
    </div>
  );
}

/** The find tools and the download buttons. */
export const DeskActions = ({ desk, desk: { review } }: { desk: Desk }) => (
  <div class="desk-actions">
    <FindTools desk={desk} />
    <span class="split-button">
      <button type="button" class="primary" onClick={() => void download(review, 'srt')}>
        {text.review.download}
      </button>
      <Menu
        label={text.review.downloadAs}
        class="primary"
        items={[
          ...DOWNLOADS.map((format) => ({
            label: text.review.downloadIn(format),
            run: () => void download(review, format),
          })),
          { label: text.review.copySrt, run: () => void copySrt(review) },
        ]}
      >
        <Icon name="down" />
      </Menu>
    </span>
  </div>
);
