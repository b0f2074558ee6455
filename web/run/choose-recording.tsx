/** A button that opens the browser's dialog for a recording. */
import { useEffect, useRef } from 'preact/hooks';

interface ChooseRecordingProps {
  label: string;
  isPrimary?: boolean;
  /** Whether to focus it when it appears. */
  takesFocus?: boolean;
  /** The id of the text that explains the purpose. */
  describedBy?: string;
  onFile(file: File): void;
}

/** The button. */
export function ChooseRecording({
  label,
  isPrimary,
  takesFocus,
  describedBy,
  onFile,
}: ChooseRecordingProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  return (
    <label class={isPrimary ? 'button primary' : 'button'}>
      {label}
      <input
        ref={field}
        type="file"
        accept="video/*,audio/*"
        class="visually-hidden"
        aria-describedby={describedBy}
        onChange={(event) => {
          const [file] = event.currentTarget.files!;
          if (file) onFile(file);
        }}
      />
    </label>
  );
}
