/** Returns the notice about the parameters that a start did not set; null if it has set all of them. */
export function missingParametersNotice(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return `These placeholders have no parameter and remain in the prompt: ${names.join(', ')}`;
}

/** Adds the notice, if there is one, to the response of a start. */
export function notifyMissingParameters(names: readonly string[], notify: (notice: string) => void): void {
  const notice = missingParametersNotice(names);
  if (notice !== null) notify(notice);
}
