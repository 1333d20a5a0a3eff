import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

const RAW = '?raw'

/** Puts the text of a file in place of an import such as `./page.css?raw`, as the tests' bundler does by itself. */
export function rawTexts(): Plugin {
  return {
    name: 'raw-texts',
    resolveId(source, importer) {
      return importer !== undefined && source.endsWith(RAW) ? join(dirname(importer), source) : undefined
    },
    load(id) {
      if (!id.endsWith(RAW)) return undefined
      return {
        code: `export default ${JSON.stringify(readFileSync(id.slice(0, -RAW.length), 'utf8'))}`,
        moduleType: 'js',
      }
    },
  }
}
