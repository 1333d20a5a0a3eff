import { readFileSync } from 'node:fs'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { createHttpFetch, type Fetch } from '../../src/api/client/transport/fetch.ts'
import { journalProfile } from '../../src/api/client/journal/entry.ts'
import { type Intent, type Journal, openJournal } from '../../src/api/client/journal/journal.ts'
import { resolveJournal, sendAgain } from '../../src/api/client/read-back/resolve.ts'

/** Steps at which a writer kills itself. */
export type KillPoint = 'before-journal' | 'journaled' | 'sent' | 'answered' | 'settled'

export type WriterOptions = {
  baseUrl: string
  keyFile: string
  file: string
  write?: { operation: string; input: object; idempotencyKey?: string }
}

export type Told = { finding: string; sentence: string }[]

const killPoint = process.env['KILL_AT']

function reach(point: KillPoint): void {
  if (killPoint === point) process.kill(process.pid, 'SIGKILL')
}

/** The journal, with the kill points around its steps. */
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

/** A client with a journal, which kills its process at the step that `KILL_AT` names. */
export function openWriter({ baseUrl, keyFile, file }: WriterOptions) {
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

/**
 * Reads back like a program that starts. If asked to, sends everything again that is then offered, and returns both
 * results.
 */
export async function resolveOnce(options: WriterOptions, mode: 'resolve' | 'send'): Promise<Told> {
  const { client, journal, http } = openWriter(options)
  const told = await resolveJournal({ journal, client })
  const sent = []
  if (mode === 'send')
    for (const entry of await journal.unresolved()) sent.push(await sendAgain({ journal, client }, entry))
  await http.close()
  await journal.close()
  return [...told, ...sent].map(({ finding, sentence }) => ({ finding, sentence }))
}
