/** A tool: a picture with its name. */
import { Icon, type IconName } from './icon.tsx';

export interface ToolProps {
  icon: IconName;
  label: string;
  /** What it is called where the name alone would not tell. */
  title?: string;
  /** The key for the same. */
  hint?: string | undefined;
  off?: boolean;
  /** Whether it is on, for one that is on or off. */
  pressed?: boolean;
  /** Leaves the focus where it is. */
  keep?: boolean;
  run(): unknown;
}

/** The button. */
export const Tool = ({
  icon,
  label,
  title = label,
  hint,
  off = false,
  pressed,
  keep = false,
  run,
}: ToolProps) => (
  <button
    type="button"
    class="tool"
    aria-disabled={off}
    aria-pressed={pressed}
    aria-label={title}
    title={hint ? `${title} (${hint})` : title}
    onPointerDown={(event) => {
      if (keep) event.preventDefault();
    }}
    onClick={run}
  >
    <Icon name={icon} />
    <span>{label}</span>
  </button>
);
