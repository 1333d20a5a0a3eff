import { createConnections } from '../../src/service/connections/engine.ts'
import { everything, small } from './targets.ts'

// A separate process that holds connections and is killed by the test: starts the small server with the given
// behaviour, prints the ids of the server programs, then waits.
const connections = createConnections()
const stubborn = await connections.callTool(small(process.argv[2] ?? 'stubborn'), { toolName: 'pid' })
await connections.listTools(everything())
console.log((stubborn.content[0] as { text: string }).text)
setInterval(() => {}, 1000)
