/**
 * Returns a time as PostgreSQL reads it, for a time stamp inside a JSON parameter. `toISOString` has a form of its own for
 * years before 1 and after 9999.
 */
export function timestampText(time: Date): string {
  const year = time.getUTCFullYear();
  const iso = time.toISOString();
  if (year >= 1 && year <= 9999) return iso;
  const rest = iso.slice(iso.indexOf('-', 1));
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
