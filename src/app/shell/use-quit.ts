import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { clean } from '../../tui/theme/text.ts'

/** Quits at once, but for a workspace that ends with the program and holds suites: these are named first. */
export function useQuit(quit: () => void): () => Promise<void> {
  const { client, unsaved } = useWorkspace()
  const confirm = useConfirm()
  return async () => {
    const lost = unsaved ? await lossesOf(client) : []
    const question = {
      title: 'Quit without what was made here?',
      lines: [...lost, 'It is saved nowhere, and gone afterwards.'],
      action: 'Quit',
      decline: 'Stay',
    }
    if (lost.length === 0 || (await confirm(question))) quit()
  }
}

/** A line for each suite; where they cannot be read, a line that says so. */
async function lossesOf(client: Client): Promise<string[]> {
  try {
    const projects = await client.items(contract.projects.list, {})
    const suites = await Promise.all(projects.map(({ id }) => client.items(contract.suites.list, { projectId: id })))
    return suites.flat().map(({ name }) => `The suite ${clean(name ?? 'without a name')}, with its cases and runs.`)
  } catch {
    return ['What was made could not be read.']
  }
}
