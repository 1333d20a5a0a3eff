import { contract } from '../../api/contract/contract.ts'
import type { ExportFormat } from '../../domain/servers/files/export-formats.ts'
import { writeServers } from '../../domain/servers/files/exporting.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

/** Runs `mcpdeck server export`. */
export async function exportServers(
  { client, projectId, find, saved }: CommandContext,
  names: readonly string[],
  { format }: { format: ExportFormat },
): Promise<void> {
  const all = await client.items(contract.servers.list, { projectId: await projectId() })
  const chosen = new Set<string>()
  for (const name of names) chosen.add((await find('servers', name)).id)
  const servers = names.length === 0 ? all : all.filter(({ id }) => chosen.has(id))
  const { storedReaches } = saved?.opened.workspace ?? {}
  const reaches = await Promise.all(servers.map(async ({ id }) => [id, await storedReaches?.of(id)] as const))
  const reachOf = new Map(reaches)
  const { value, left } = writeServers(servers, format, id => reachOf.get(id))
  printText(jsonText(value, 2))
  for (const sentence of left) say(clean(sentence))
}
