import type { Comment } from '../syntax/ast.js';

/** The lines of the output, in which the comments of the source are inserted at their positions. */
export class Output {
  private readonly lines: string[] = [];
  private current = '';
  private indent = 0;
  private nextComment = 0;
  /** Source row of the last written part. It determines blank lines. */
  private lastRow = 0;

  constructor(private readonly comments: readonly Comment[]) {}

  write(text: string): void {
    if (this.current === '' && text !== '') this.current = '\t'.repeat(this.indent);
    this.current += text;
  }

  newline(): void {
    this.lines.push(this.current.trimEnd());
    this.current = '';
  }

  indented(write: () => void): void {
    this.indent++;
    write();
    this.indent--;
  }

  /** Writes a blank line, but never two in a row. */
  blank(): void {
    if (this.lines.length > 0 && this.lines[this.lines.length - 1] !== '') this.lines.push('');
  }

  /** Writes the comments on rows before `row`, each on its own line. Keeps one blank line of the source. */
  commentsBefore(row: number): void {
    for (
      let comment = this.comments[this.nextComment];
      comment !== undefined && comment.row < row;
      comment = this.comments[this.nextComment]
    ) {
      if (this.current !== '') this.newline();
      this.keepBlank(comment.row);
      this.write(comment.text);
      this.newline();
      this.lastRow = comment.row;
      this.nextComment++;
    }
  }

  /** Writes the comment at the end of `row`, if there is one, and ends the line. */
  endLine(row: number): void {
    const comment = this.comments[this.nextComment];
    if (comment !== undefined && comment.row <= row && this.current !== '') {
      this.write(` ${comment.text}`);
      this.nextComment++;
    }
    this.newline();
    this.lastRow = row;
  }

  /** Returns whether there is a comment between two rows of the source. */
  hasCommentBetween(from: number, to: number): boolean {
    return this.comments.slice(this.nextComment).some((comment) => comment.row >= from && comment.row < to);
  }

  keepBlank(row: number): void {
    const last = this.lines[this.lines.length - 1] ?? '';
    const opened = last.endsWith('{') || last.endsWith('[');
    if (this.lastRow > 0 && row > this.lastRow + 1 && !opened) this.blank();
  }

  passed(row: number): void {
    this.lastRow = Math.max(this.lastRow, row);
  }

  finish(): string {
    this.commentsBefore(Infinity);
    while (this.lines.length > 0 && this.lines[this.lines.length - 1] === '') this.lines.pop();
    return `${this.lines.join('\n')}\n`;
  }
}
