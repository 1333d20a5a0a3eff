// A process of its own for tests, `host.ts <mode> <JSON>`; it prints lines of JSON.
import { readFileSync } from 'node:fs'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { createHttpFetch, type Fetch } from '../../src/api/client/transport/fetch.ts'
import { journalProfile } from '../../src/api/client/journal/entry.ts'
import { type Intent, type Journal, openJournal } from '../../src/api/client/journal/journal.ts'
import { resolveJournal, sendAgain } from '../../src/api/client/journal/resolve.ts'

/** Moments at which a writer kills itself. */
export type KillPoint = 'before-journal' | 'journaled' | 'sent' | 'answered' | 'settled'

export type WriterOptions = {
  baseUrl: string
  keyFile: string
  file: string
  write?: { operation: string; input: object; idempotencyKey?: string }
}

const [mode = '', text = '{}'] = process.argv.slice(2)
const killPoint = process.env['KILL_AT']

function reach(point: KillPoint): void {
  if (killPoint === point) process.kill(process.pid, 'SIGKILL')
}

/** The journal with the kill points around its steps. */
function mortal(journal: Journal): Journal {
  return {
    ...journal,
    async begin(write) {
      reach('before-journal')
      const intent = await journal.begin(write)
      reach('journaled')
      const watched: Intent = {
        sent: intent.sent,
        settle(settlement) {
          reach('answered')
          intent.settle(settlement)
          reach('settled')
        },
      }
      return watched
    },
  }
}

function openWriter({ baseUrl, keyFile, file }: WriterOptions) {
  const key = readFileSync(keyFile, 'utf8').trim()
  const http = createHttpFetch({ baseUrl })
  const fetch: Fetch = async request => {
    if (request.method !== 'GET') reach('sent')
    return await http.fetch(request)
  }
  const journal = openJournal({ file, profile: journalProfile(baseUrl, key) })
  const budget = createBudget({ unlimited: true })
  const client = createClient({ baseUrl, key, fetch, budget, journal: mortal(journal) })
  return { client, journal, http }
}

const modes: Record<string, () => Promise<unknown>> = {
  async serve() {
    const { dataDir } = JSON.parse(text) as { dataDir: string }
    // Only here: writers, of which there are many, need nothing of the service.
    const { serve } = await import('../../src/cli/serve/serve.ts')
    await serve({ dataDir, json: true, rateLimit: 0, maxRuns: 100 })
    return undefined
  },
  async write() {
    const options = JSON.parse(text) as WriterOptions
    const { client, journal, http } = openWriter(options)
    const { operation, input, idempotencyKey } = options.write!
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    const outcome = await client.call(endpoint, input, { idempotencyKey }).then(
      value => ({ value }),
      (error: Error & { code?: string; sent?: boolean }) => ({ error: { ...error, message: error.message } }),
    )
    await http.close()
    await journal.close()
    return outcome
  },
  async resolve() {
    const { client, journal, http } = openWriter(JSON.parse(text) as WriterOptions)
    const resolutions = await resolveJournal({ journal, client })
    await http.close()
    await journal.close()
    return resolutions.map(({ finding, sentence }) => ({ finding, sentence }))
  },
  send: resolveAndSend,
}

/** Looks back, sends again whatever is then offered, and tells both. */
async function resolveAndSend() {
  const { client, journal, http } = openWriter(JSON.parse(text) as WriterOptions)
  const told = await resolveJournal({ journal, client })
  const sent = []
  for (const entry of await journal.unresolved()) sent.push(await sendAgain({ journal, client }, entry))
  await http.close()
  await journal.close()
  return [...told, ...sent].map(({ finding, sentence }) => ({ finding, sentence }))
}

const said = await modes[mode]?.()
if (said !== undefined) process.stdout.write(`${JSON.stringify(said)}\n`)
