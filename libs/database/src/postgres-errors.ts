/** What the driver said of a failed statement: TypeORM wraps it, statements of our own do not. */
export function driverErrorOf(error: unknown): unknown {
  return (error as { driverError?: unknown } | null | undefined)?.driverError ?? error;
}

/** Whether a statement failed because this unique constraint holds already such a row. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = (driverErrorOf(error) ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && violated === constraint;
}
