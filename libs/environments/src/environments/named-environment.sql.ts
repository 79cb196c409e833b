/**
 * The one environment a word names: by its id, or else by its name. Whatever takes either asks by this, so that a word
 * means the same environment everywhere.
 */
export function namedEnvironment(organization: string, word: string): string {
  return `organization_id = ${organization} AND (id = ${word} OR name = ${word}) ORDER BY id = ${word} DESC LIMIT 1`;
}

/** Whether one of the words names this environment, by the same rule; a plan of it serves for any words. */
export function isNamedEnvironment(environment: string, words: string): string {
  return `(${environment}.id = ANY(${words}) OR ${environment}.name = ANY(${words}) AND NOT EXISTS (
    SELECT 1 FROM environments meant
    WHERE meant.organization_id = ${environment}.organization_id AND meant.id = ${environment}.name))`;
}
