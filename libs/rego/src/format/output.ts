import type { Comment } from '../syntax/ast.js';

/** Lines under construction, with the comments of the source put back where they stood. */
export class Output {
  private readonly lines: string[] = [];
  private current = '';
  private indent = 0;
  private nextComment = 0;
  /** Source row of the last thing written; decides about blank lines. */
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

  /** A blank line, never two. */
  blank(): void {
    if (this.lines.length > 0 && this.lines[this.lines.length - 1] !== '') this.lines.push('');
  }

  /** Comments on rows before `row`, each on a line of its own. One blank line of the source stays. */
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

  /** The comment at the end of `row`, if there is one; then the line ends. */
  endLine(row: number): void {
    const comment = this.comments[this.nextComment];
    if (comment !== undefined && comment.row <= row && this.current !== '') {
      this.write(` ${comment.text}`);
      this.nextComment++;
    }
    this.newline();
    this.lastRow = row;
  }

  /** Whether a comment stands between two rows of the source. */
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
