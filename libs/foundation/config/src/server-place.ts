/** Given by a server of several processes to each of them: its number, from 0, and a secret that only they know. */
export const SERVER_PLACE = 'SERVER_PROCESS';

/** Returns what this process was given; undefined if nothing. No setting: nobody but the server itself sets it. */
export function serverPlace(): { readonly number: number; readonly secret: string } | undefined {
  const [number, secret] = (process.env[SERVER_PLACE] ?? '').split(':');
  return secret === undefined ? undefined : { number: Number(number), secret };
}
