/** Begins a value that refers to a stored secret, by its name, instead of being a plain text. */
export const SECRET_PREFIX = 'secret:';
