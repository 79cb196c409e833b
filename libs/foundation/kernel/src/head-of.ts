/** Returns at most `length` UTF-16 code units from the start of a text, and never half of a character. */
export function headOf(text: string, length: number): string {
  const head = text.slice(0, length);
  return head.length < text.length && endsInHalf(head) ? head.slice(0, -1) : head;
}

/** Returns whether a text ends in the first half of a character of two code units. */
export function endsInHalf(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text);
}
