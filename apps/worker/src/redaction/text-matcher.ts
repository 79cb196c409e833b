/** A range of characters; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds one text in others in linear time (Knuth, Morris, Pratt). Users control the texts, so a search
 * with quadratic time could be made to block the process.
 */
export class TextMatcher {
  /**
   * Failure function: at index i, the length of the longest proper prefix that is a suffix of the first i + 1
   * characters.
   */
  private readonly borders: Uint32Array;

  constructor(readonly text: string) {
    this.borders = new Uint32Array(text.length);
    for (let end = 1; end < text.length; end += 1) {
      this.borders[end] = this.advance(this.borders[end - 1] ?? 0, text[end]);
    }
  }

  /** Returns all occurrences, overlapping ones too, in ascending order. */
  occurrencesIn(other: string): Span[] {
    const found: Span[] = [];
    // Most texts contain none.
    const first = other.indexOf(this.text);
    if (first < 0) return found;
    this.match(other, first, (end) => found.push({ start: end - this.text.length, end }));
    return found;
  }

  /** Returns the length of the longest suffix of `other` that is a proper prefix of the text. */
  partialAtEndOf(other: string): number {
    return this.match(other, Math.max(0, other.length - this.text.length + 1), () => undefined);
  }

  /** Calls `onMatch` with the end of each occurrence; returns the number of characters matched at the end. */
  private match(other: string, from: number, onMatch: (end: number) => void): number {
    let matched = 0;
    for (let index = from; index < other.length; index += 1) {
      matched = this.advance(matched, other[index]);
      if (matched < this.text.length) continue;
      onMatch(index + 1);
      matched = this.borders[matched - 1] ?? 0;
    }
    return matched;
  }

  private advance(matched: number, character: string | undefined): number {
    let length = matched;
    while (length > 0 && this.text[length] !== character) length = this.borders[length - 1] ?? 0;
    return this.text[length] === character ? length + 1 : length;
  }
}
