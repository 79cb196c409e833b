/** Returns a duration in its largest units: `850 ms`, `2.4 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationText(ms: number): string {
  // What would be rounded to the next unit is one of that.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
