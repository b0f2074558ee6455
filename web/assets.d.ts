/** Files that stand beside the script, by their addresses relative to it. */
declare module '*.mp3' {
  const address: string;
  export default address;
}
