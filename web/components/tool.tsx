/** A toolbar button: an icon with a label. */
import { Icon, type IconName } from './icon.tsx';

interface ToolProps {
  icon: IconName;
  label: string;
  /** The accessible name, if the label alone is not clear enough. */
  title?: string;
  /** The keyboard shortcut. */
  hint?: string | undefined;
  off?: boolean;
  /** Whether it is on; only for toggles. */
  pressed?: boolean;
  /** Keeps the focus where it is. */
  keep?: boolean;
  run(): unknown;
}

/** A toolbar button. */
export const Tool = ({
  icon,
  label,
  title = label,
  hint,
  off = false,
  pressed,
  keep,
  run,
}: ToolProps) => (
  <button
    type="button"
    class="tool"
    aria-disabled={off}
    aria-pressed={pressed}
    aria-label={title}
    title={hint ? `${title} (${hint})` : title}
    onMouseDown={(event) => {
      // Firefox moves the focus for a pointer whatever is prevented earlier.
      if (keep) event.preventDefault();
    }}
    onClick={run}
  >
    <Icon name={icon} />
    <span>{label}</span>
  </button>
);
