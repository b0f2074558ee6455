/** Files next to the script, imported as addresses relative to it. */
declare module '*.mp3' {
  const address: string;
  export default address;
}
declare module '*.webm' {
  const address: string;
  export default address;
}
declare module '*.webp' {
  const address: string;
  export default address;
}
