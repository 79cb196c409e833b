// Runs test files in the realm of their Jest worker. Everything but the test files themselves is loaded once per worker,
// not once per test file, which took half of the CPU time of a test run: packages by Node's own loader, as in
// production, and our modules by `WorkerModules`. So a test must undo what it changes in a package or a module.
const async_hooks = require('node:async_hooks');
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { compileFunction } = require('node:vm');
const Runtime = require('jest-runtime').default;

// Requires on behalf of a package: Node prints a warning if a file outside node_modules requires an ES module.
const requirePackage = createRequire(path.join(__dirname, '../../node_modules/jest/package.json'));
const OURS = /^(\.|\/|@app\/)/;
const TEST_FILE = /spec\.ts$/;
const IMPORT_CONDITIONS = ['node', 'node-addons', 'import', 'default'];
const PARAMETERS = ['module', 'exports', 'require', '__dirname', '__filename'];

/** What test support imports from `@jest/globals`: the globals of the test file that is running. */
const globalsOfTestFile = new Proxy({}, { get: (_target, name) => globalThis[name] });

/** Our modules that this Jest worker has loaded, as CommonJS, with the cyclic imports and the caching of Node's loader. */
class WorkerModules {
  modules = new Map();
  /** Paths of the source maps, for the stack traces of failed tests. */
  sourceMaps = new Map();

  load(file, runtime) {
    const loaded = this.modules.get(file);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {}, id: file, filename: file };
    this.modules.set(file, module);
    try {
      if (file.endsWith('.json')) module.exports = JSON.parse(runtime.transformCache.transformJson(file));
      else this.evaluate(module, runtime);
    } catch (error) {
      this.modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  evaluate(module, runtime) {
    const { filename } = module;
    const run = compileFunction(runtime.transformCache.transform(filename), PARAMETERS, { filename });
    const map = runtime.transformCache.getSourceMaps().get(filename);
    if (map !== undefined) this.sourceMaps.set(filename, map);
    const require = (name) => WorkerRuntime.current.requireFromModule(filename, name);
    run.call(module.exports, module, module.exports, require, path.dirname(filename), filename);
  }
}

const workerModules = new WorkerModules();

class WorkerRuntime extends Runtime {
  /** The runtime of the test file that is running. A module that outlives its test file requires others through it. */
  static current;
  /** What Jest's own modules, which are evaluated for each test file, store in asynchronous contexts. */
  storages = [];

  constructor(config, environment, resolver, ...others) {
    super(config, environment, resolver, ...others);
    this.resolver = resolver;
    WorkerRuntime.current = this;
    this.collectStorages();
    const parameters = this.executor.injectedModuleParameters;
    this.executor.compile = (source, filename) => compileFunction(source, parameters, { filename });
  }

  /** Each promise carries the value of every storage that was used, until the storage is disabled. */
  collectStorages() {
    const { coreModule, storages } = this;
    class AsyncLocalStorage extends async_hooks.AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        storages.push(this);
      }
    }
    const require = coreModule.require.bind(coreModule);
    coreModule.require = (name) =>
      name === 'node:async_hooks' ? { ...async_hooks, AsyncLocalStorage } : require(name);
  }

  teardown() {
    for (const storage of this.storages) storage.disable();
    super.teardown();
  }

  requireModuleOrMock(from, name) {
    // The values of a test file are its own; see `Runtime`.
    if (name === '@jest/globals') return super.requireModuleOrMock(from, name);
    return this.requireFromModule(from, name);
  }

  /** Only Jest's test runner has a state for each test file; evaluating `expect` and the others takes 0.1 s each time. */
  requireInternalModule(from, name) {
    const isPackage = name !== undefined && !/^[./]/.test(name) && !isBuiltin(name);
    return isPackage ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }

  requireFromModule(from, name) {
    if (name === '@jest/globals') return globalsOfTestFile;
    if (isBuiltin(name)) return requirePackage(name);
    if (!OURS.test(name))
      return requirePackage(this.resolver.resolveModule(from, name, { conditions: IMPORT_CONDITIONS }));
    const file = this.resolver.resolveModule(from, name);
    if (TEST_FILE.test(file)) return super.requireModuleOrMock(from, name);
    return file.includes('/node_modules/') ? requirePackage(file) : workerModules.load(file, this);
  }

  getSourceMaps() {
    return new Map([...workerModules.sourceMaps, ...super.getSourceMaps()]);
  }

  // Jest replaces `process.getBuiltinModule`, assuming that its environment has a copy of `process`. Here it is the
  // original.
  installGetBuiltinModule() {}
}

module.exports = WorkerRuntime;
