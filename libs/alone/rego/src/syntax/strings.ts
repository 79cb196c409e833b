const SIMPLE: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Reads the escape that begins with the backslash at `at`. */
export function readEscape(text: string, at: number): { text: string; end: number } | undefined {
  const kind = text[at + 1] ?? '';
  const simple = SIMPLE[kind];
  if (simple !== undefined) return { text: simple, end: at + 2 };
  if (kind !== 'u') return undefined;
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) return undefined;
  return { text: String.fromCharCode(parseInt(digits, 16)), end: at + 6 };
}
