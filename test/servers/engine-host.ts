import { createConnections } from '../../src/service/connections/engine.ts'
import { everything, small } from './targets.ts'

// A process that holds connections and is killed by the test: prints the ids of the server programs, then waits.
const connections = createConnections()
const stubborn = await connections.callTool(small('stubborn'), { toolName: 'pid' })
await connections.listTools(everything())
console.log((stubborn.content[0] as { text: string }).text)
setInterval(() => {}, 1000)
