/**
 * The one environment a word names: by its id, or else by its name. Whatever takes either asks by this, so that a word
 * means the same environment everywhere.
 */
export function namedEnvironment(organization: string, word: string): string {
  return `organization_id = ${organization} AND (id = ${word} OR name = ${word}) ORDER BY id = ${word} DESC LIMIT 1`;
}
