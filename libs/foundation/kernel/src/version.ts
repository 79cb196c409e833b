/** The version of the product. `npm run release` sets it with all other places of the version (`tools/release`). */
export const VERSION = '0.1.0';
