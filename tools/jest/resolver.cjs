// ESM sources import './x.js'; under Jest that file is './x.ts'. Applies to files outside node_modules only.
module.exports = (request, options) => {
  if (request.startsWith('.') && request.endsWith('.js') && !options.basedir.includes('node_modules')) {
    try {
      return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
    } catch {
      // There is no such TypeScript file: resolve the request as written.
    }
  }
  return options.defaultResolver(request, options);
};
