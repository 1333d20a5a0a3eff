import { ApiError } from '../../api/client/errors/api-error.ts'
import { say } from '../output/prose.ts'
import { errorLine } from '../output/report-error.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

/** Prints what the program of a server wrote to standard error, the oldest first. */
export async function printStderr(context: CommandContext, wanted: string): Promise<void> {
  try {
    const { id: serverId } = await context.find('servers', wanted)
    const at = { projectId: await context.projectId(), serverId }
    let page = await context.client.console.list(at)
    if (page.dropped) say('What it printed first is no longer kept.')
    for (;;) {
      for (const { stream, text, leftOut } of page.items)
        if (stream === 'stderr') say(leftOut > 0 ? `${text}… ${leftOut} more characters` : text)
      if (page.nextCursor == null) return
      page = await context.client.console.list({ ...at, cursor: page.nextCursor })
    }
  } catch (error) {
    // The reason why the command itself failed is printed anyway.
    if (!(error instanceof ApiError)) throw error
    say(`What its program printed cannot be read. ${errorLine(error)}`)
  }
}
