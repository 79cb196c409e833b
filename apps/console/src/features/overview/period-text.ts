/** Names a period, with the date of its end only where it is another day. */
export function periodText({ from, to }: { readonly from: string; readonly to: string }): string {
  const [start, end] = [new Date(from), new Date(to)];
  const isOneDay = start.toDateString() === end.toDateString();
  return `${start.toLocaleString()} – ${isOneDay ? end.toLocaleTimeString() : end.toLocaleString()}`;
}
