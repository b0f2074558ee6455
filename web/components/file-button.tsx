/** A button that lets people choose files on their machine. */

interface FileButtonProps {
  label: string;
  /** What the browser offers: endings and media types; everything by default. */
  accept?: string;
  multiple?: boolean;
  class?: string;
  /** Called with at least one file. */
  onFiles(files: readonly [File, ...File[]]): void;
}

/** The button. */
export const FileButton = ({
  label,
  onFiles,
  class: look = 'button',
  ...input
}: FileButtonProps) => (
  <label class={look}>
    {label}
    <input
      type="file"
      {...input}
      class="visually-hidden"
      onChange={({ currentTarget }) => {
        const [first, ...more] = currentTarget.files!;
        // Lets the same file be chosen again.
        currentTarget.value = '';
        if (first) onFiles([first, ...more]);
      }}
    />
  </label>
);
