import { join } from 'node:path'
import { randomNumbers, type Random } from '../random-numbers.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { randomKeys } from '../random-service/keys.ts'
import { runAndLook, type Command } from './commands.ts'
import { openHttpServer } from './http-server.ts'
import { memoryOf, timeUntil } from './look.ts'
import { Findings, type Part, type Round } from './part.ts'
import { deedFor, type Message } from './protocol.ts'
import { attacksOf, openProxy } from './proxy.ts'
import { hostileSchema } from './schemas.ts'
import { pressAndLook } from './session.ts'
import { makeSuite, type Stage } from './stage.ts'

const STDIO_SERVER = join(import.meta.dirname, 'stdio-server.ts')
const KEYS = 30
const PATIENCE_MS = 12_000
const STARTS_WITHIN = 15_000
const SERVICE_ANSWERS_WITHIN = 5000
const TABS = ['tools', 'prompts', 'resources', 'doctor']
const SIZES = [
  [120, 40],
  [80, 24],
] as const

/** A saved server, for the duration of a round. */
type Saved = { id: string; name: string }

async function withSaved(
  { client, projectId }: Stage,
  reached: { transportType: 'stdio'; command: string; args: string[] } | { transportType: 'http'; url: string },
  work: (saved: Saved) => Promise<void>,
): Promise<void> {
  const name = `hostile ${Date.now()}`
  const { id } = await client.servers.create({ projectId, body: { name, enabled: true, ...reached } })
  try {
    await work({ id, name })
  } finally {
    await client.servers.delete({ projectId, serverId: id })
  }
}

/** Commands about one server. Its answers decide none of their verdicts, because the cases expect nothing. */
async function commandsFor(stage: Stage, { id, name }: Saved, random: Random): Promise<Command> {
  const { client, projectId } = stage
  const lists = ['tools', 'prompts', 'resources']
  if (random.chance(0.3)) {
    const steps = [
      { id: 'call', kind: 'toolCall' as const, toolName: 'victim', arguments: {} },
      { id: 'check', kind: 'assert' as const, assertion: { type: 'responseContains', needle: 'no server says this' } },
    ]
    const cases = [{ title: 'never passes', steps }]
    const { runId } = await makeSuite(client, projectId, { name: `Fuzz ${id}`, server: { id, name }, cases })
    return { words: ['watch', runId, '--json'], output: 'data', json: 'text', truth: 'failed' }
  }
  return random.pick<Command>([
    { words: ['doctor', id], output: 'text' },
    { words: ['doctor', id, '--json'], output: 'data', json: 'text' },
    ...lists.map((list): Command => ({ words: ['get', list, '--server', id], output: 'text' })),
    ...lists.map((list): Command => ({ words: ['get', list, '--server', id, '--json'], output: 'data', json: 'text' })),
    { words: ['api', 'listTools', '--field', `projectId=${projectId}`, '--field', `serverId=${id}`], output: 'data' },
    {
      words: ['api', 'callTool', '--yes', '--field', `projectId=${projectId}`, '--field', `serverId=${id}`, '--field', 'toolName=victim', '--field', 'parameters={}'], // prettier-ignore
      output: 'data',
    },
  ])
}

/** Checks what must be true of the service after any attack of a server. */
async function lookAtService(stage: Stage, findings: Findings, round: Round, told: readonly string[]): Promise<void> {
  const report = (what: string): void => findings.add(what, { doing: 'the service', mutations: told, screen: '' })
  let isAnswered = false
  void stage.client.projects.list().then(
    () => (isAnswered = true),
    () => undefined,
  )
  const took = await timeUntil(stage.pid, () => isAnswered, SERVICE_ANSWERS_WITHIN)
  if (took > round.limits.answersWithin) report(`the service answers after ${took} ms`)
  const memory = memoryOf(stage.pid)
  if (memory === 0) report('the service is gone')
  if (memory > round.limits.memory) report(`the service has ${Math.round(memory)} MB`)
  for (const line of stage.failures()) report(`the service failed: ${line}`)
}

type Reached = Parameters<typeof withSaved>[1]

/** Attacks by a saved server, during a command or in the dashboard with keys of its own. */
async function attackBy(
  round: Round,
  reached: Reached,
  { findings, told, keys, tab }: { findings: Findings; told: () => string[]; keys?: string[]; tab?: string },
): Promise<void> {
  const { stage, seed, limits } = round
  const random = randomNumbers(seed + 1)
  const env = { MCPDECK_BASE_URL: stage.baseUrl, MCPDECK_API_KEY: stage.key, EDITOR: 'true', VISUAL: 'true' }
  const home = createHome()
  try {
    await withSaved(stage, reached, async saved => {
      if (keys === undefined && random.chance(0.5)) {
        const command = await commandsFor(stage, saved, random)
        const isApart = random.chance(0.5)
        const patience = PATIENCE_MS
        await runAndLook({ command, env, home, folder: home, patience, isApart, limits, findings, mutations: told })
        return
      }
      const place = `projects/${stage.projectId}/servers/${saved.id}?pane=detail&tab=${tab ?? random.pick(TABS)}`
      const [cols, rows] = random.pick(SIZES)
      await using terminal = openTerminal({ isPlain: true, args: [place], env, home, cols, rows })
      if (keys !== undefined) await openForm(terminal)
      await pressAndLook({
        terminal,
        keys: keys ?? randomKeys(seed),
        count: keys?.length ?? KEYS,
        limits,
        findings,
        doing: `mcpdeck ${place}`,
        mutations: told,
      })
    })
    await lookAtService(stage, findings, round, told())
  } finally {
    removeHome(home)
  }
}

/** Opens the form of the only tool, as long as the program shows one. */
async function openForm(terminal: Terminal): Promise<void> {
  const shows = (text: string) => () => terminal.screen().includes(text)
  await timeUntil(terminal.pid, shows('▌victim'), STARTS_WITHIN)
  terminal.press('enter')
  await timeUntil(terminal.pid, shows('Call victim'), STARTS_WITHIN)
}

/** Servers that lie, flood, stop answering and exit, during the doctor, tool calls, listings and runs. */
export const servers: Part = {
  name: 'servers',
  says: 'hostile MCP servers over stdio and HTTP',
  async round(round) {
    const { seed } = round
    const findings = new Findings('servers', seed)
    const random = randomNumbers(seed)
    if (random.chance(0.5)) {
      const told = () => [`over stdio, seed ${seed}`]
      const args = [STDIO_SERVER, String(seed), 'http://127.0.0.1:1']
      await attackBy(round, { transportType: 'stdio', command: process.execPath, args }, { findings, told })
      return findings.problems
    }
    const done: string[] = []
    const deeds = randomNumbers(seed)
    await using server = await openHttpServer((message, address) => {
      const deed = deedFor(message, deeds, address)
      done.push(`${message.method}: ${deed.do === 'say' ? deed.lines.join(' ').slice(0, 200) : deed.do}`)
      return deed
    }, seed)
    const share = { share: 0.15, attacks: attacksOf(random).attacks }
    await using proxy = await openProxy({ target: server.url, seed, ...share })
    const told = () => [...done, ...proxy.done]
    await attackBy(round, { transportType: 'http', url: proxy.baseUrl }, { findings, told })
    return findings.problems
  },
}

/** Keys that fill in a form and send it, in an order that depends on the seed. */
function formKeys(random: Random): string[] {
  const choices = [
    'tab',
    'tab',
    'down',
    'space',
    'a',
    '1',
    '{',
    'ctrl+s',
    'enter',
    'shift+tab',
    'pagedown',
    'end',
    'up',
  ]
  const keys = Array.from({ length: KEYS - 6 }, () => random.pick(choices))
  return ['a', 'tab', ...keys, 'ctrl+s', 'escape', 'escape']
}

/** Tools whose input schemas cost too much, refer to nothing or are invalid, in the form of a call. */
export const schemas: Part = {
  name: 'schemas',
  says: 'hostile input schemas in the form of a tool call',
  async round(round) {
    const { seed } = round
    const findings = new Findings('schemas', seed)
    const random = randomNumbers(seed)
    let shown = ''
    const answer = (message: Message, address: string) => {
      if (message.method !== 'tools/list') return deedFor(message, proper(seed), address)
      const inputSchema = hostileSchema(randomNumbers(seed), address)
      shown = JSON.stringify(inputSchema) ?? ''
      const tools = [{ name: 'victim', description: 'The one tool', inputSchema }]
      return { do: 'say' as const, lines: [JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools } })] }
    }
    await using server = await openHttpServer(answer, 0)
    const told = () => [shown.slice(0, 250)]
    const keys = formKeys(random)
    await attackBy(round, { transportType: 'http', url: server.url }, { findings, told, keys, tab: 'tools' })
    for (const stray of server.strayed)
      findings.add(`a schema made mcpdeck ask elsewhere: ${stray}`, { doing: '', mutations: told(), screen: '' })
    return findings.problems
  },
}

/** Random numbers that select no attack: such a server answers according to the protocol. */
function proper(seed: number): Random {
  const random = randomNumbers(seed)
  return { ...random, below: count => (count === 100 ? 0 : random.below(count)), chance: share => share > 0.5 }
}
