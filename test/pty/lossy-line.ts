import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { randomNumbers } from '../random-numbers.ts'
import { OneWay, type LineOptions } from './line.ts'

/**
 * How a request is lost, and what the service receives of it:
 * - `broken`: the connection ends before the service receives it
 * - `silent`: nothing of it arrives, and the connection stays open without an answer
 * - `unanswered`: the service has carried it out, and the connection ends before its answer
 * - `cut short`: half of the answer's first piece arrives, then the connection ends
 */
export type Loss = (typeof LOSSES)[number]

const LOSSES = ['broken', 'silent', 'unanswered', 'cut short'] as const

export type LossyLineOptions = LineOptions & {
  /** Share of the requests that are lost, 0 to 1. */
  loss?: number
  /** Determines which requests are lost and how: the same for the same seed and order of requests. */
  seed?: number
  /** The only kinds of losses to use. */
  losses?: readonly Loss[]
}

/** A slow connection to an HTTP service that loses requests. */
export type LossyLine = AsyncDisposable & {
  /** The service's address through the connection: `target` with another host and port. */
  readonly url: string
  /** Number of requests so far, including lost ones. */
  readonly requests: number
  /** Kinds of the losses so far, in order. */
  readonly lost: readonly Loss[]
  /** Sets the share of lost requests from the next request on; 1 means that all are lost. */
  setLoss(share: number): void
  /** Loses the next requests whose first bytes match, such as `/^PATCH /`, in this way, whatever the share is. */
  loseNext(start: RegExp, loss: Loss, times?: number): void
  close(): Promise<void>
}

/**
 * Opens a TCP proxy on loopback in front of the HTTP/1.1 service at `target`. A request is the data that a client sends
 * at first or after an answer; pipelined requests are not separated.
 */
export async function lossyLine(target: string, options: LossyLineOptions = {}): Promise<LossyLine> {
  const { seed = 1, losses = LOSSES } = options
  let share = options.loss ?? 0
  const { next: random } = randomNumbers(seed)
  const lost: Loss[] = []
  let requests = 0
  let next: { start: RegExp; loss: Loss; times: number } | undefined
  /** Draws both numbers for each request, so that the share does not change later draws. */
  const draw = (piece: Buffer): Loss | undefined => {
    requests += 1
    const [chance, kind] = [random(), random()]
    let loss = chance < share ? losses[Math.floor(kind * losses.length)] : undefined
    if (next?.start.test(piece.toString('latin1'))) {
      loss = next.loss
      next.times -= 1
      if (next.times === 0) next = undefined
    }
    if (loss !== undefined) lost.push(loss)
    return loss
  }
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
  }
  const server = createServer(client => join(keep(client), keep(connect(Number(port), hostname)), options, draw))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  return {
    url: url.href.replace(/\/$/, ''),
    get requests() {
      return requests
    },
    lost,
    setLoss: wanted => {
      share = wanted
    },
    loseNext(start, loss, times = 1) {
      next = { start, loss, times }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Size of a piece that arrives at once: on a slow connection an answer arrives gradually. */
const PACKET_BYTES = 1460

/** Connects a client with the service until one of its requests is lost. */
function join(client: Socket, service: Socket, line: LineOptions, draw: (piece: Buffer) => Loss | undefined): void {
  const up = new OneWay(line, hasRoom => void (hasRoom ? client.resume() : client.pause()))
  const down = new OneWay(line, hasRoom => void (hasRoom ? service.resume() : service.pause()))
  let loss: Loss | undefined
  let isAsking = false
  const end = (): void => {
    up.cut()
    down.cut()
    client.destroy()
    service.destroy()
  }
  client.on('data', piece => {
    if (loss === 'silent') return
    if (!isAsking) {
      isAsking = true
      loss = draw(piece)
    }
    if (loss === 'broken') end()
    else if (loss !== 'silent') up.act(() => service.write(piece), piece.length)
  })
  service.on('data', piece => {
    isAsking = false
    if (loss === undefined)
      for (let at = 0; at < piece.length; at += PACKET_BYTES) {
        const packet = piece.subarray(at, at + PACKET_BYTES)
        down.act(() => client.write(packet), packet.length)
      }
    else if (loss === 'unanswered') end()
    else {
      down.act(() => client.write(piece.subarray(0, piece.length / 2)), piece.length)
      down.act(end)
    }
  })
  client.on('end', () => up.act(() => service.end()))
  service.on('end', () => down.act(() => client.end()))
  client.on('close', end)
  service.on('close', () => down.act(() => client.destroy()))
}
