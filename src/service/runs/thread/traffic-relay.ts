import type { AddedTraffic, Exchange, Frame, Traffic } from '../../connections/traffic.ts'

/** An exchange that can be sent to a thread. `Headers` objects cannot be sent, so headers are lists of pairs. */
type SentExchange = Omit<Exchange, 'requestHeaders' | 'responseHeaders'> & {
  id: number
  requestHeaders: [string, string][]
  responseHeaders?: [string, string][]
}
type SentFrame = Omit<Frame, 'exchange'> & { exchange: number | undefined }

/** What a thread recorded of one server since its last message. Secrets are included as they were sent. */
export type RelayedTraffic = Pick<AddedTraffic, 'lines' | 'secrets' | 'dropped'> & {
  serverId: string
  frames: SentFrame[]
  /** The exchanges of these messages, and earlier exchanges that were answered in the meantime. */
  exchanges: SentExchange[]
}

/** Milliseconds between two parts of the traffic while someone watches. */
const EVERY_MS = 200

/** Runs in the thread: records the traffic of watched servers within the screen's limits, and sends it in parts. */
export function createTrafficRelay(own: Traffic, send: (recorded: RelayedTraffic) => void) {
  const looked = new Map<string, { until: number; lastId: number }>()
  const exchangeIds = new WeakMap<Exchange, number>()
  const open = new Map<Exchange, string>()
  let lastExchange = 0
  let timer: NodeJS.Timeout | undefined

  const idOf = (exchange: Exchange): number => {
    const known = exchangeIds.get(exchange)
    if (known !== undefined) return known
    lastExchange += 1
    exchangeIds.set(exchange, lastExchange)
    return lastExchange
  }
  const handOver = (serverId: string, look: { lastId: number }): void => {
    const log = own.of(serverId)
    const isNew = ({ id }: { id: number }) => id > look.lastId
    const [all, printed] = [log.frames(), log.lines()]
    const [frames, lines] = [all.entries.filter(isNew), printed.entries.filter(isNew)]
    for (const { exchange } of frames) if (exchange) open.set(exchange, serverId)
    const exchanges = [...open].filter(([, of]) => of === serverId).map(([exchange]) => exchange)
    const changed = exchanges.filter(each => hasEnded(each) || frames.some(({ exchange }) => exchange === each))
    for (const exchange of changed) if (hasEnded(exchange)) open.delete(exchange)
    look.lastId = Math.max(look.lastId, ...[...frames, ...lines].map(({ id }) => id))
    if (frames.length + lines.length + changed.length === 0) return
    send({
      serverId,
      frames: frames.map(({ exchange, ...frame }) => ({ ...frame, exchange: exchange && idOf(exchange) })),
      lines,
      exchanges: changed.map(exchange => sentExchange(exchange, idOf(exchange))),
      secrets: log.secrets(),
      // If even the oldest entry is new, entries may have been dropped before they were sent.
      dropped: {
        frames: all.dropped && frames.length === all.entries.length,
        lines: printed.dropped && lines.length === printed.entries.length,
      },
    })
  }
  const handOverAll = (): void => {
    for (const [serverId, look] of looked) {
      handOver(serverId, look)
      if (performance.now() > look.until) forget(serverId)
    }
  }
  const forget = (serverId: string): void => {
    looked.delete(serverId)
    for (const [exchange, of] of open) if (of === serverId) open.delete(exchange)
    own.of(serverId).clearFrames()
    own.of(serverId).clearLines()
    if (looked.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const traffic: Traffic = {
    ...own,
    connect(target) {
      const tap = own.connect(target)
      const isOpen = (): boolean => looked.has(target.id)
      return {
        isOpen,
        frame: (...message) => isOpen() && tap.frame(...message),
        print: (...printed) => isOpen() && tap.print(...printed),
        log: params => isOpen() && tap.log(params),
      }
    },
  }
  return {
    traffic,
    /** Watches a server for this number of milliseconds. A further call extends the time. */
    watch(serverId: string, ms: number): void {
      looked.set(serverId, { lastId: looked.get(serverId)?.lastId ?? 0, until: performance.now() + ms })
      timer ??= setInterval(handOverAll, EVERY_MS).unref()
    },
    end: handOverAll,
  }
}

function hasEnded({ status, problem }: Exchange): boolean {
  return status !== undefined || problem !== undefined
}

function sentExchange({ requestHeaders, responseHeaders, ...exchange }: Exchange, id: number): SentExchange {
  return {
    ...exchange,
    id,
    requestHeaders: [...new Headers(requestHeaders)],
    ...(responseHeaders && { responseHeaders: [...responseHeaders] }),
  }
}

/** Maximum number of exchanges that are kept because later parts may update them. */
const MOST_EXCHANGES = 1000

/** Runs in the main thread: adds the traffic that a thread sends to the traffic that the screen shows. */
export function createTrafficReceiver(traffic: Traffic): (recorded: RelayedTraffic) => void {
  const connections = new Map<number, number>()
  const exchanges = new Map<number, Exchange>()
  return ({ serverId, frames, exchanges: sent, ...added }) => {
    for (const { id, requestHeaders, responseHeaders, ...said } of sent) {
      const headers = responseHeaders && { responseHeaders: new Headers(responseHeaders) }
      const exchange = Object.assign(exchanges.get(id) ?? {}, said, { requestHeaders, ...headers })
      exchanges.set(id, exchange)
    }
    traffic.add(serverId, {
      ...added,
      connections,
      frames: frames.map(frame => ({
        ...frame,
        exchange: frame.exchange === undefined ? undefined : exchanges.get(frame.exchange),
      })),
    })
    for (const id of exchanges.keys()) if (exchanges.size > MOST_EXCHANGES) exchanges.delete(id)
  }
}
