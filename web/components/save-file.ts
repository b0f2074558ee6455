/** Hands files to the browser. */

/** Saves a text as a file of this name, where the browser saves files. */
export function saveFile(content: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
