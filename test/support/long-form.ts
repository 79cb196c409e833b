/** `LONG_TESTS=true`, which `.ci/run` sets for the tests that have a long form. */
export const isLongForm = process.env['LONG_TESTS'] === 'true';

/** Returns the size of a test: `long` in the long form, otherwise `short`. */
export function sizeOf({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLongForm ? long : short;
}
