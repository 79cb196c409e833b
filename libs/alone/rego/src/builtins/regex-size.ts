/** The parser of RE2 rejects a pattern whose nested repetitions multiply to more than this. */
const MAX_REPETITION = 1000;
/**
 * The size of a Unicode class, which has hundreds of ranges. Reading them, and folding them with the flag `i`, takes up
 * to 0.3 ms.
 */
const CLASS_SIZE = 60;

const REPETITION = /\{(\d{1,6})(,(\d{0,6}))?\}/y;
const GROUP_START = /\(\?(?:P?<\w+>|<?[=!]|[a-zA-Z-]*:)/y;
const FLAGS = /\(\?[a-zA-Z-]*\)/y;
const ESCAPE = /\\(?:Q[^]*?(?:\\E|$)|[pP](?:\{[^}]*\}?|[^]?)|x\{[^}]*\}?|[^]?)/uy;
const CLASS = /\[\^?\]?(?:\[:[^\]]*:\]|\\[^]|[^\]\\])*\]?/y;
const QUANTIFIERS = '*+?';

/** A part of a pattern, with the maximum product of its nested repetitions. */
interface Part {
  readonly size: number;
  readonly repeats: number;
}

/** An open group, or the whole pattern. */
interface Group {
  size: number;
  repeats: number;
  last: Part;
}

/**
 * Returns an upper bound of the instructions that a pattern compiles to, without compiling it: `a{1000}` is a thousand.
 * Returns 0 for a pattern with too many repetitions: the parser rejects it before the repetitions are expanded.
 */
export function patternSize(pattern: string): number {
  const scanner = new Scanner(pattern);
  return scanner.size();
}

class Scanner {
  private at = 0;
  private readonly groups: Group[] = [newGroup()];

  constructor(private readonly pattern: string) {}

  size(): number {
    while (this.at < this.pattern.length) {
      this.scanPart();
      if (this.group.last.repeats > MAX_REPETITION) return 0;
    }
    while (this.groups.length > 1) this.closeGroup();
    return 3 + finish(this.group).size;
  }

  private get group(): Group {
    return this.groups.at(-1) ?? newGroup();
  }

  private scanPart(): void {
    const char = this.pattern[this.at] ?? '';
    if (char === '(') this.openGroup();
    else if (char === ')') this.closeGroup();
    else if (char === '[') this.add(classSize(this.take(CLASS)));
    else if (char === '\\') this.add(escapeSize(this.take(ESCAPE)));
    else if (QUANTIFIERS.includes(char)) this.repeat(1, this.take(/[^]/y).length);
    else if (char === '{') this.scanRepetition();
    else if (char === '|') this.add(this.take(/[^]/y).length + 1);
    else this.add(this.take(/[^]/y).length);
  }

  private openGroup(): void {
    if (this.take(FLAGS) !== '') return;
    if (this.take(GROUP_START) === '') this.at += 1;
    this.groups.push(newGroup());
  }

  /** An empty group or alternative is an instruction as well. */
  private closeGroup(): void {
    this.at += 1;
    const closed = this.groups.length > 1 ? this.groups.pop() : undefined;
    if (closed === undefined) return;
    const { size, repeats } = finish(closed);
    this.addPart({ size: size + 3, repeats });
  }

  private scanRepetition(): void {
    const [text, least = '', hasMost, most = ''] = this.match(REPETITION) ?? [];
    if (text === undefined) return this.add(this.take(/[^]/y).length);
    const times = Math.max(Number(least), hasMost === undefined || most === '' ? 0 : Number(most));
    this.repeat(times, hasMost === undefined ? 0 : times);
  }

  /** Repeats the last part; `joints` are the instructions between the copies. */
  private repeat(times: number, joints: number): void {
    const { last } = this.group;
    this.group.last = { size: last.size * Math.max(times, 1) + joints + 1, repeats: last.repeats * Math.max(times, 1) };
  }

  private add(size: number): void {
    this.addPart({ size, repeats: 1 });
  }

  private addPart(part: Part): void {
    const { group } = this;
    Object.assign(group, finish(group));
    group.last = part;
  }

  private take(expression: RegExp): string {
    return this.match(expression)?.[0] ?? '';
  }

  /** Matches the expression at the current position, and advances past the match. */
  private match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const match = expression.exec(this.pattern);
    if (match !== null) this.at += match[0].length;
    return match;
  }
}

function newGroup(): Group {
  return { size: 0, repeats: 1, last: { size: 0, repeats: 1 } };
}

function finish({ size, repeats, last }: Group): Part {
  return { size: size + last.size, repeats: Math.max(repeats, last.repeats) };
}

/** A literal (`\Q`) takes one instruction per character; every other escape except a Unicode class takes one. */
function escapeSize(escape: string): number {
  if (/^\\[pP]/.test(escape)) return CLASS_SIZE;
  return escape.startsWith('\\Q') ? escape.length : 1;
}

/** Returns one instruction plus the work to read the ranges. */
function classSize(text: string): number {
  const unicodeClasses = text.match(/\\[pP]/g)?.length ?? 0;
  return 1 + unicodeClasses * CLASS_SIZE;
}
