import type { StreamParser, StringStream } from '@codemirror/language';

export const REGO_KEYWORDS: ReadonlySet<string> = new Set(
  'as contains default else every if import in not null package some true false with'.split(' '),
);
const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const STRING = /^"(?:[^"\\]|\\.)*"?/;
const OPERATOR = /^(?::=|[=!<>]=|[=<>+\-*/%&|])/;

/** Whether the text is inside a raw string, the only token that spans lines. */
interface State {
  isRaw: boolean;
}

/** Colors Rego. What is valid is said by the platform, which compiles the text. */
export const regoTokens: StreamParser<State> = {
  name: 'rego',
  startState: () => ({ isRaw: false }),
  copyState: ({ isRaw }) => ({ isRaw }),
  languageData: { commentTokens: { line: '#' } },
  token: (stream, state) => (state.isRaw ? restOfRaw(stream, state) : next(stream, state)),
};

function next(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) return null;
  if (stream.peek() === '#') {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.eat('`')) return restOfRaw(stream, state);
  if (stream.match(STRING)) return 'string';
  if (stream.match(NUMBER)) return 'number';
  if (stream.match(NAME)) return ofName(stream);
  if (stream.match(OPERATOR)) return 'operator';
  stream.next();
  return null;
}

function restOfRaw(stream: StringStream, state: State): string {
  state.isRaw = !(stream.skipTo('`') && stream.next() !== undefined);
  if (state.isRaw) stream.skipToEnd();
  return 'string';
}

function ofName(stream: StringStream): string | null {
  const name = stream.current();
  if (REGO_KEYWORDS.has(name)) return name === 'true' || name === 'false' || name === 'null' ? 'atom' : 'keyword';
  if (name === 'input' || name === 'data') return 'variableName.special';
  return stream.match(/^(?:\.[A-Za-z_]\w*)*\(/, false) ? 'variableName.function' : null;
}
