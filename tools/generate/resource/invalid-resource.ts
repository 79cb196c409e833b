/** The requested resource cannot be generated; the message contains the reason. Nothing has been written. */
export class InvalidResource extends Error {}
