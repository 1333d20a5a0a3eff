import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from './ensure-built.ts'
import { dist } from './paths.ts'

await ensureBuilt()
// The program runs in this process, so that the terminal and its signals reach it directly.
const program = join(dist, 'boot.js')
process.argv[1] = program
await import(pathToFileURL(program).href)
