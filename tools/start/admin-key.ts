/** A key in the platform's own format; the module that knows it is loaded only where a key is needed. */
export async function newAdminKey(): Promise<string> {
  const { generateKey } = await import('@app/identity');
  return generateKey().key;
}
