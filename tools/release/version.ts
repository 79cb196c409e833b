/** Versions of the product: `1.2.3`, or `1.2.3-rc.1` for a release candidate. */
export const VERSION_FORM = String.raw`(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-rc\.(?:0|[1-9]\d*))?`;

const WHOLE = new RegExp(`^${VERSION_FORM}$`);

export function isVersion(text: string): boolean {
  return WHOLE.test(text);
}

/** Whether a version has precedence over another by Semantic Versioning. A release is newer than its candidates. */
export function isNewer(version: string, other: string): boolean {
  const [parts, others] = [partsOf(version), partsOf(other)];
  const index = parts.findIndex((part, at) => part !== others[at]);
  return index >= 0 && (parts[index] ?? 0) > (others[index] ?? 0);
}

function partsOf(version: string): number[] {
  const [numbers = '', candidate] = version.split('-rc.');
  return [...numbers.split('.').map(Number), candidate === undefined ? Infinity : Number(candidate)];
}
