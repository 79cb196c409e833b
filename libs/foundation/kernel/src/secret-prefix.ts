/** Prefix of a value that is not plain text but refers to a stored secret by its name. */
export const SECRET_PREFIX = 'secret:';
