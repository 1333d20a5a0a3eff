import { createDriftingSuite, runEnded, type DriftingSuite } from './drifting-suite.ts'
import { inWorkspace } from './prepared-workspace.ts'

/**
 * A home whose workspace has a suite that passed one night and failed the next, because its server changed.
 * @param folder contains the switch of the server
 * @returns the place of the suite's runs, and the switch
 */
export function prepareNightly(
  home: string,
  folder: string,
): Promise<{ place: string; drift: DriftingSuite['drift'] }> {
  return inWorkspace(home, async ({ client, projectId }) => {
    const { suiteId, drift } = await createDriftingSuite(client, projectId, folder)
    drift(true)
    const { runId } = await client.runs.create({ projectId, body: { suiteId } })
    await runEnded(client, projectId, runId)
    return { place: `projects/${projectId}/runs?suiteId=${suiteId}&pane=runs`, drift }
  })
}
