/**
 * Returns the size of a test: `long` with `LONG_TESTS=true`, which `.ci/run` sets for the tests that have a long form,
 * otherwise `short`.
 */
export function sizeOf({ short, long }: { readonly short: number; readonly long: number }): number {
  return process.env['LONG_TESTS'] === 'true' ? long : short;
}
