// Runs test files in the realm of their Jest worker and loads packages with Node's own loader, as in production: a package
// is evaluated once per worker, not once per test file, which took a third of the CPU time of a test run. Our own modules
// are evaluated anew for each file.
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { compileFunction } = require('node:vm');
const Runtime = require('jest-runtime').default;

// As if a package required it: Node warns of ES modules that other files require.
const requirePackage = createRequire(path.join(__dirname, '../../node_modules/jest/package.json'));
// @nestjs/typeorm warns of a data source that an earlier file has not closed.
const LOADED_BY_JEST = /^(\.|\/|@app\/|@jest\/globals$|@nestjs\/typeorm$)/;
const IMPORT_CONDITIONS = ['node', 'node-addons', 'import', 'default'];

module.exports = class extends Runtime {
  constructor(config, environment, resolver, ...others) {
    super(config, environment, resolver, ...others);
    this.resolver = resolver;
    const parameters = this.executor.injectedModuleParameters;
    this.executor.compile = (source, filename) => compileFunction(source, parameters, { filename });
  }

  requireModuleOrMock(from, name) {
    if (LOADED_BY_JEST.test(name) || isBuiltin(name)) return super.requireModuleOrMock(from, name);
    return requirePackage(this.resolver.resolveModule(from, name, { conditions: IMPORT_CONDITIONS }));
  }

  // Jest replaces `process.getBuiltinModule` in the copy of `process` that its own environments make. Here it is not a copy.
  installGetBuiltinModule() {}
};
