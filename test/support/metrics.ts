/** Returns the value of the series with exactly these labels in a text of metrics; undefined if there is none. */
export function series(text: string, name: string, labels: Readonly<Record<string, string>>): number | undefined {
  const wanted = Object.entries(labels);
  for (const line of text.split('\n')) {
    const [, metric, list = '', value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (metric !== name) continue;
    const found = new Map([...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', of = '']) => [label, of]));
    if (found.size === wanted.length && wanted.every(([label, of]) => found.get(label) === of)) return Number(value);
  }
  return undefined;
}
