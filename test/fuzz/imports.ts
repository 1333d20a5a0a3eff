import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { randomNumbers, type Random } from '../random-numbers.ts'
import { Findings, type Part } from './part.ts'
import { runToEnd } from './process.ts'
import { CHANGES, changedJson, deepJson, hostileText } from './values.ts'

/** A variable of this machine that a file uses, and its value, which must never be printed. */
const [TAKEN, VALUE] = ['FUZZ_TAKEN', 'fuzz-value-hunter2']

const serversIn = (reference: string, envFile: string) => ({
  program: { command: 'node', args: ['server.js', reference], env: { A: reference, B: 'plain' }, timeout: 2000 },
  address: { type: 'http', url: `https://x.example/${reference}/mcp`, headers: { 'X-Key': reference } },
  file: { command: 'node', args: ['-e', '1'], envFile },
  plain: { url: 'https://y.example/mcp' },
})

/** Files of the programs that define servers, each with its syntax for variables. */
const FILES: readonly [name: string, make: (envFile: string) => object][] = [
  ['.mcp.json', envFile => ({ mcpServers: serversIn(`\${${TAKEN}}`, envFile) })],
  ['.vscode/mcp.json', envFile => ({ servers: serversIn(`\${env:${TAKEN}}`, envFile), inputs: [] })],
  ['.cursor/mcp.json', envFile => ({ mcpServers: serversIn(`\${env:${TAKEN}}`, envFile) })],
]

/** Possible contents of a file with variables. */
const ENV_FILES: Readonly<Record<string, (folder: string) => string>> = {
  'a file': folder => {
    writeFileSync(join(folder, 'x.env'), `A_KEY=${VALUE}\nPLAIN=1`)
    return 'x.env'
  },
  'a device without end': () => '/dev/zero',
  'a pipe that nobody writes': folder => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    return 'pipe'
  },
  'a folder': () => '.',
  nothing: () => 'none.env',
  'bytes that are no text': folder => {
    writeFileSync(join(folder, 'x.env'), Buffer.from([0xff, 0xfe, 0x00, 0x80]))
    return 'x.env'
  },
}

/** Corrupts the text of a file; returns how. */
const SPOILS: readonly ((text: string, random: Random) => { text: string; what: string })[] = [
  ...Array.from({ length: 4 }, () => (text: string) => ({ text, what: 'as it is' })),
  ...Array.from({ length: 4 }, () => (text: string, random: Random) => {
    const changed = changedJson(text, CHANGES, random)
    return changed ?? { text, what: 'as it is' }
  }),
  (text, random) => ({ text: text.slice(0, random.below(text.length)), what: 'cut short' }),
  (text, random) => ({ text: `// ${hostileText(random)}\n${text.replace(/\}$/, ',}')}`, what: 'comments and commas' }),
  (_, random) => ({ text: `{"mcpServers":${deepJson(random)}}`, what: 'deep' }),
  (_, random) => ({ text: hostileText(random), what: 'no JSON' }),
  text => ({ text: `\uFEFF${text}${text}`, what: 'twice' }),
  (_, random) => ({ text: `{"mcpServers":{${manyServers(random.pick([300, 3000]))}}}`, what: 'many servers' }),
]

function manyServers(count: number): string {
  return Array.from({ length: count }, (_, at) => `"s${at % 1000}":{"command":"node","args":[${at}]}`).join(',')
}

/** Server lists of other programs, imported as a plan that sends nothing. */
export const imports: Part = {
  name: 'imports',
  says: 'server lists of other programs, with hostile content and files of variables that are none',
  async round({ stage, seed, limits }) {
    const findings = new Findings('imports', seed)
    const random = randomNumbers(seed)
    const [home, folder] = [createHome(), mkdtempSync(join(tmpdir(), 'mcpdeck-fuzz-'))]
    try {
      const [name, make] = random.pick(FILES)
      const kind = random.pick(Object.keys(ENV_FILES))
      const { text, what } = random.pick(SPOILS)(JSON.stringify(make(ENV_FILES[kind]!(folder)), null, 2), random)
      const file = join(folder, name.replace('/', '-'))
      execFileSync('mkdir', ['-p', join(folder, '.vscode'), join(folder, '.cursor')])
      const path = name.includes('/') ? join(folder, name) : file
      writeFileSync(path, text)
      const isRead = what === 'as it is'
      const { projectId, client } = stage
      const before = JSON.stringify(await client.servers.list({ projectId }))
      const json = random.chance(0.3)
      const words = ['server', 'import', path, ...(isRead ? ['program', 'address', 'file'] : [])]
      const { code, written, output, report } = await runToEnd({
        words: [...words, ...random.pick([['--dry-run'], []]), ...(json ? ['--json'] : [])],
        env: { MCPDECK_BASE_URL: stage.baseUrl, MCPDECK_API_KEY: stage.key, [TAKEN]: VALUE },
        home,
        folder,
        limits,
        findings,
        mutations: [`${name}: ${what}`, `variables from ${kind}`],
      })
      if (written.includes(VALUE)) report('shows the value of a variable of this machine')
      if (code === EXIT.failedVerdict) report('ended with 1 without a verdict')
      if (JSON.stringify(await client.servers.list({ projectId })) !== before) report('sent something without a yes')
      if (code === EXIT.done && json) JSON.parse(output)
      if (isRead && code !== EXIT.usage && !json)
        for (const said of ['Command: node server.js', 'Address: https://x.example/', `${TAKEN} (into`])
          if (!written.includes(said)) report(`does not say "${said}"`)
    } finally {
      removeHome(home)
      rmSync(folder, { recursive: true, force: true })
    }
    return findings.problems
  },
}
