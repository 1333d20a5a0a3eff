import { registerHooks } from 'node:module'
import { patched } from '../scripts/build/patches.ts'

const REACT = /\/node_modules\/(react|react-reconciler|scheduler)\//

/** Runs once in each process, which serves several test files. */
const DONE = Symbol.for('mcpdeck.built-packages')

// Screens are rendered with the packages of the build: patched, and with React for production.
if (!(DONE in globalThis)) {
  Object.assign(globalThis, { [DONE]: true })
  registerHooks({
    resolve(specifier, context, next) {
      const isReact = REACT.test(context.parentURL ?? '')
      return next(isReact ? specifier.replace('.development.', '.production.') : specifier, context)
    },
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.includes('/node_modules/') || loaded.source == null) return loaded
      const code = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
      return { ...loaded, source: patched(code, url) ?? loaded.source }
    },
  })
}
