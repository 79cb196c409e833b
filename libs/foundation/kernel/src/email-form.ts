/** The minimal form of an e-mail address. It only distinguishes an address from other text. */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;
export const EMAIL_MEANS = 'a name, @ and a domain, without spaces';
