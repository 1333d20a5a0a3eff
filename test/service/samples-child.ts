// A separate process for tests: `samples-child.ts <add|remove> <dataDir>`; prints its result as JSON.
import { insertSamples, removeSamples } from '../../src/service/samples/insert-samples.ts'
import { openWorkspace } from '../../src/service/workspace/store.ts'

const [mode = '', dataDir = ''] = process.argv.slice(2)
const { store } = openWorkspace({ dataDir })
const outcome =
  mode === 'add' ? { added: insertSamples(store, Date.now()) } : { removed: removeSamples(store).removed.length }
process.stdout.write(JSON.stringify(outcome))
store.close()
