import { nextError, type Waterfall } from './waterfall';

/** What a key does. A factor of null shows the whole trace. */
export type Step =
  | { readonly kind: 'select'; readonly index: number }
  | { readonly kind: 'fold'; readonly spanId: string; readonly isFolded: boolean }
  | { readonly kind: 'zoom'; readonly factor: number | null };

const ZOOM_KEYS: Readonly<Record<string, number | null>> = { '+': 0.5, '-': 2, '0': null };

/** Returns what a key does; null: nothing. `place` is the row of the selected span, or -1. */
export function stepOf(
  key: string,
  waterfall: Waterfall,
  shown: readonly number[],
  place: number,
  folded: ReadonlySet<string>,
): Step | null {
  const zoom = ZOOM_KEYS[key];
  if (zoom !== undefined) return { kind: 'zoom', factor: zoom };
  const at = shown[place] ?? -1;
  if (key === 'e' || key === 'E') return select(nextError(waterfall, at, key === 'e' ? 1 : -1));
  if (key === 'ArrowDown') return select(shown[place + 1]);
  if (key === 'ArrowUp') return select(shown[Math.max(0, place - 1)]);
  if (key === 'Home') return select(shown[0]);
  if (key === 'End') return select(shown.at(-1));
  return key === 'ArrowRight' || key === 'ArrowLeft' ? sideways(key, waterfall, at, folded) : null;
}

/** To the right, a folded span unfolds and another one gives way to its first child; to the left, the other way round. */
function sideways(key: string, waterfall: Waterfall, at: number, folded: ReadonlySet<string>): Step | null {
  const span = waterfall.spans[at];
  if (span === undefined) return null;
  const hasChildren = (waterfall.ends[at] ?? 0) > at + 1;
  const isFolded = folded.has(span.span_id);
  if (key === 'ArrowRight') {
    if (!hasChildren) return null;
    return isFolded ? { kind: 'fold', spanId: span.span_id, isFolded: false } : select(at + 1);
  }
  if (hasChildren && !isFolded) return { kind: 'fold', spanId: span.span_id, isFolded: true };
  const depth = waterfall.depths[at] ?? 0;
  const parent = waterfall.depths.slice(0, at).lastIndexOf(depth - 1);
  return parent < 0 ? null : select(parent);
}

function select(index: number | undefined): Step | null {
  return index === undefined ? null : { kind: 'select', index };
}
