// Our sources import './x.js' as ESM demands; under Jest that file is './x.ts'. Applied to our own files only.
module.exports = (request, options) => {
  if (request.startsWith('.') && request.endsWith('.js') && !options.basedir.includes('node_modules')) {
    try {
      return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
    } catch {
      // Not one of ours after all: resolve it as written.
    }
  }
  return options.defaultResolver(request, options);
};
