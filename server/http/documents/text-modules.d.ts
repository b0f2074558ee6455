/** Text files imported `with { type: 'text' }`, which works on Bun, on Deno and in a compiled program. */
declare module '*.md' {
  const text: string;
  export default text;
}
declare module '*.css' {
  const text: string;
  export default text;
}
declare module '*.svg' {
  const text: string;
  export default text;
}
declare module '*/page.js' {
  const text: string;
  export default text;
}
