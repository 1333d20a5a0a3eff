import { join } from 'node:path'
import { createBudget } from '../src/api/budget.ts'
import { createClient } from '../src/api/client.ts'
import { API_PREFIX } from '../src/api/contract/contract.ts'
import { createService } from '../src/service/app.ts'
import { createDriftingSuite, runEnded, type DriftingSuite } from './drifting-suite.ts'

/**
 * A home whose workspace has a suite that passed one night and failed the next, since its server changed in between.
 * @param folder where the server's switch lies
 * @returns the place of the suite's runs, and the switch
 */
export async function prepareNightly(
  home: string,
  folder: string,
): Promise<{ place: string; drift: DriftingSuite['drift'] }> {
  const service = await createService({ dataDir: join(home, '.local/share/mcpdeck') })
  try {
    const client = createClient({
      fetch: service.answer,
      baseUrl: `http://local.invalid${API_PREFIX}`,
      key: service.localKey,
      budget: createBudget({ unlimited: true }),
    })
    const projectId = (await client.projects.list()).items[0]!.id
    const { suiteId, drift } = await createDriftingSuite(client, projectId, folder)
    drift(true)
    const { runId } = await client.runs.create({ projectId, body: { suiteId } })
    await runEnded(client, projectId, runId)
    return { place: `projects/${projectId}/runs?suiteId=${suiteId}&pane=runs`, drift }
  } finally {
    await service.close()
  }
}
