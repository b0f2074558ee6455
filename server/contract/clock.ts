/** Moments of a recording in words. It needs no schema, so that the app can show them without the validator. */

/** A moment of a recording, such as 1:10 or 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  const rest = two(whole % 60);
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}
