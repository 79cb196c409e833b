/** Whether a statement failed because this unique constraint holds already such a row. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const cause = (error as { driverError?: unknown } | null)?.driverError ?? error;
  const { code, constraint: violated } = (cause ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && violated === constraint;
}
