import { serversKeys } from '../../src/screens/servers/bindings.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { descendantsOf } from './processes.ts'
import { visit } from './visitor.ts'

// A terminal emulator that is killed by the test. It opens mcpdeck in the home that the argument names, lets it
// start a server, prints the ids of all processes in it, then waits.
const person = visit({ home: process.argv[2]! })
await person.see('▌Sandbox')
person.press(projectsKeys.bindings.open)
await person.see('▌everything')
person.press(serversKeys.bindings.doctor)
await person.see(/✓ ready\s/)
const { pid } = person.terminal
console.log(JSON.stringify([pid, ...descendantsOf(pid).map(each => each.pid)]))
setInterval(() => {}, 1000)
