/** Text that means something to somebody who reads it: pages, players, spreadsheets, shells, terminals. */

/** What is heard, and what of it is to be seen. */
export const HOSTILE_WORDS: readonly (readonly [heard: string, shown: string])[] = [
  '<script>window.hacked=1</script>',
  '<img src=x onerror=window.hacked=1>',
  '"><svg/onload=window.hacked=1>',
  '<c.red>',
  '<v Bob>',
  '</v>',
  '<00:00:01.000>',
  '&amp;',
  '&lt;b&gt;',
  '&#60;i&#62;',
  ['-->', '→'],
  ['00:00:01,000 --> 00:00:02,000', '00:00:01,000 → 00:00:02,000'],
  // Removing what is unshown must not make an arrow.
  ['--\0>', '→'],
  ['-\u200b->', '→'],
  'WEBVTT',
  'NOTE x',
  'STYLE',
  '::cue{color:red}',
  'REGION',
  'one\ntwo',
  'one\r\ntwo',
  'one\rtwo',
  'one\u2028two\u2029three',
  'one\vtwo\fthree',
  ['one\u0085two', 'onetwo'],
  'one\n\n7\ntwo',
  ['nul\0nul', 'nulnul'],
  ['\ufeffbom', 'bom'],
  'rtl\u202egnp.exe',
  ['half\ud83d', 'half\ufffd'],
  ['\udc00half', '\ufffdhalf'],
  '=HYPERLINK("http://x.invalid","y")',
  '@SUM(1+1)',
  '{\\an8}',
  '{{base_url}}',
  '${1}',
  '`id`',
  '\u001b[31mred',
].map((each) =>
  typeof each === 'string'
    ? ([each, each.replaceAll('\u001b', '')] as const)
    : (each as [string, string]),
);

/** What lines are put together of, to look for the one combination that nobody thought of. */
export const UGLY_PARTS: readonly string[] = [
  ...HOSTILE_WORDS.map(([heard]) => heard),
  ...'<>&;#-=@"\'\\{}[]()|*_`~:,.0123456789',
  ...'\0\b\t\n\v\f\r\u001b\u001c\u007f\u0085\u00a0\u200b\u200e\u2028\u2029\u202e\u2060\u3000\ufeff',
  '\ud83d',
  '\udc00',
  '--',
  '->',
  '-',
  '>',
  '字',
  '한국',
  '😀',
  '',
  ' ',
  '\n\n',
];
