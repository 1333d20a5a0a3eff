import type { Client } from '../client.ts'
import type { EvalCase, EvalSuiteDetail } from '../contract/suites.ts'
import { readNames, type ProjectNames } from './project-names.ts'
import { fileOf, type SuiteFile } from './suite-file.ts'
import { planSync, suiteOfFile, type SyncObstacle, type SyncPlan } from './sync-plan.ts'

const ASKED = { priority: 'asked' } as const

/** A stored suite with its cases, as a file. @throws ApiError */
export async function readSuite(client: Client, projectId: string, suiteId: string): Promise<SuiteFile> {
  const names = await readNames(client, projectId)
  const { detail, cases } = await readStored(client, projectId, suiteId)
  return fileOf(detail, cases, names)
}

/** What an import may be told beside the file. */
export type ImportTarget = {
  /** The suite to bring to what the file says, by id or name, whatever the file calls it. */
  into?: string | undefined
  /** A new suite, also where one of that id or name is there. */
  asNew?: boolean
}

/** What importing a file would do now; reads only. @throws ApiError */
export async function readPlan(
  client: Client,
  projectId: string,
  file: SuiteFile,
  { into, asNew = false }: ImportTarget = {},
): Promise<{ plan: SyncPlan; names: ProjectNames } | SyncObstacle> {
  const names = await readNames(client, projectId)
  const { items } = await client.suites.list({ projectId }, ASKED)
  const found = asNew ? { suite: undefined } : suiteOfFile(file, items, into)
  if ('obstacle' in found) return found
  const stored = found.suite && (await readStored(client, projectId, found.suite.id))
  const plan = planSync(file, stored, names)
  return 'obstacle' in plan ? plan : { plan, names }
}

async function readStored(
  client: Client,
  projectId: string,
  suiteId: string,
): Promise<{ detail: EvalSuiteDetail; cases: readonly EvalCase[] }> {
  const target = { projectId, suiteId }
  const [detail, { items }] = await Promise.all([
    client.suites.get(target, ASKED),
    client.cases.list(target, ASKED),
  ])
  return { detail, cases: items }
}
