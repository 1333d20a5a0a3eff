// A hostile MCP server over stdio: node stdio-server.ts <seed> <address>
import { createInterface } from 'node:readline'
import { randomNumbers } from '../random-numbers.ts'
import { deedFor, type Message } from './protocol.ts'

const random = randomNumbers(Number(process.argv[2]))
const address = process.argv[3] ?? ''

process.stderr.write(`\u001B]0;evil\u0007\u009D0;evil\u009C starting\n`)
if (random.chance(0.15)) process.stdout.write('\u001B[2JListening on 3000\n\n{"half": \n')
if (random.chance(0.2)) process.on('SIGTERM', () => {})

createInterface({ input: process.stdin }).on('line', line => {
  const deed = deedFor(JSON.parse(line) as Message, random, address)
  if (deed.do === 'say') for (const each of deed.lines) process.stdout.write(`${each}\n`)
  else if (deed.do === 'die') process.exit(random.below(256))
  else if (deed.do === 'flood') flood(process[deed.on], deed.text.repeat(Math.ceil(65_536 / deed.text.length)))
})

function flood(stream: NodeJS.WriteStream, chunk: string): void {
  while (stream.write(chunk));
  stream.once('drain', () => flood(stream, chunk))
}
