import type { Handlers, ServiceContext } from '../core/context.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import { ServiceError } from '../core/errors.ts'
import { pageSize, type PageQuery } from '../core/list-page.ts'
import type { Recorded, TrafficLog } from '../connections/traffic.ts'
import { secretsOf } from '../servers/secrets.ts'
import { framesIn, messageOf, toConsoleLine, type Framed, type NameOrigin } from './records.ts'

type Call = { project: ProjectRow; params: { serverId: string } }

/** Entries of one page. */
const PAGE = 200

export function trafficHandlers(context: ServiceContext): Handlers['traffic'] {
  const logOf = logs(context)
  return {
    list(call) {
      const log = logOf(call)
      const frames = log.frames()
      const framed = { ...frames, entries: framesIn(frames.entries, originsIn(context, call)) }
      return pageOf(context, `traffic/${call.params.serverId}`, framed, call.query, ({ describe }: Framed) =>
        describe(log.secrets()),
      )
    },
    get(call) {
      const log = logOf(call)
      const found = framesIn(log.frames().entries, originsIn(context, call)).find(
        ({ id }) => String(id) === call.params.frameId,
      )
      if (found) return messageOf(found, log.secrets())
      throw new ServiceError('NOT_FOUND', 'This message is no longer stored; newer ones replaced it.')
    },
    clear(call) {
      logOf(call).clearFrames()
      return { cleared: true }
    },
  }
}

export function consoleHandlers(context: ServiceContext): Handlers['console'] {
  const logOf = logs(context)
  return {
    list(call) {
      const log = logOf(call)
      const secrets = log.secrets()
      return pageOf(context, `console/${call.params.serverId}`, log.lines(), call.query, line =>
        toConsoleLine(line, secrets),
      )
    },
    clear(call) {
      logOf(call).clearLines()
      return { cleared: true }
    },
  }
}

/** Each run is looked up once. */
function originsIn({ store }: ServiceContext, { project }: Call): NameOrigin {
  const numbers = new Map<string, number | undefined>()
  return ({ runId, caseTitle }) => {
    const runNumber = numbers.has(runId) ? numbers.get(runId) : store.runs.get(project.id, runId)?.number
    numbers.set(runId, runNumber)
    return runNumber === undefined ? null : { runId, runNumber, caseTitle }
  }
}

function logs({ store, traffic }: ServiceContext): (call: Call) => TrafficLog {
  return ({ project, params }) => {
    const server = store.servers.require(project.id, params.serverId)
    const log = traffic.of(server.id)
    // A connection knows its settings, while tokens come and go.
    return { ...log, secrets: () => [...log.secrets(), ...secretsOf(server)] }
  }
}

/** The entries behind the one that the cursor names, also where that one is gone. */
function pageOf<Entry extends { id: number }, Item>(
  { store: { cursors } }: ServiceContext,
  list: string,
  { entries, keptFrom, dropped }: Recorded<Entry>,
  query: PageQuery,
  toItem: (entry: Entry) => Item,
) {
  const after = query.cursor === undefined ? 0 : cursors.read(list, query.cursor)
  const rest = entries.filter(({ id }) => id > after)
  const shown = rest.slice(0, pageSize(query, PAGE))
  const latest = cursors.write(list, shown.at(-1)?.id ?? after)
  const more = shown.length < rest.length ? { nextCursor: latest } : {}
  return { items: shown.map(toItem), ...more, latest, keptFrom: String(keptFrom), dropped }
}
