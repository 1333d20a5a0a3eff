import { join } from 'node:path'
import { createBudget } from '../src/api/client/budget/budget.ts'
import { createClient, type Client } from '../src/api/client/client.ts'
import { API_PREFIX } from '../src/api/contract/contract.ts'
import { createService } from '../src/service/workspace/service.ts'
import { checked } from './contract/checked-answers.ts'
import type { Store } from '../src/service/core/database/store.ts'

export type Prepared = { client: Client; store: Store; projectId: string; dataDir: string }

/** The path of the local workspace in a home. */
export const dataDirOf = (home: string) => join(home, '.local/share/mcpdeck')

/** Prepares the workspace of a home before the program opens it. */
export async function inWorkspace<T>(home: string, work: (workspace: Prepared) => Promise<T>): Promise<T> {
  const dataDir = dataDirOf(home)
  const service = await createService({ dataDir })
  try {
    const client = createClient({
      fetch: checked(service.answer),
      baseUrl: `http://local.invalid${API_PREFIX}`,
      key: service.localKey,
      budget: createBudget({ unlimited: true }),
    })
    const projectId = (await client.projects.list()).items[0]!.id
    return await work({ client, store: service.store, projectId, dataDir })
  } finally {
    await service.close()
  }
}
