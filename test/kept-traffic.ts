import { createTraffic, type Tap, type TrafficLog } from '../src/service/connections/traffic.ts'
import { requestProbes } from './kept-requests.ts'
import { times } from './kept-things.ts'

/** The recorded data of a server. */
function recorded(act: (tap: Tap, log: TrafficLog) => void): TrafficLog {
  const traffic = createTraffic()
  const transport = { type: 'stdio' as const, command: 'c', args: [], env: {} }
  const tap = traffic.connect({ id: 's', name: 's', enabled: true, useOAuth: false, transport })
  act(tap, traffic.of('s'))
  return traffic.of('s')
}

/** Returns how much of the given amount is kept under Traffic and Console, and of the requests of servers. */
export const trafficProbes = {
  ...requestProbes,
  trafficMessages: (size: number) =>
    recorded(tap => times(size, () => tap.frame('sent', '{}'))).frames().entries.length,
  trafficMessage(size: number) {
    const [frame] = recorded(tap => tap.frame('received', 'm'.repeat(size))).frames().entries
    return frame!.text.length + frame!.end.length
  },
  consoleLines(size: number) {
    const print = (tap: Tap, log: TrafficLog) => (at: number) => {
      tap.print('process', 'l')
      // Data that was never read has a separate limit.
      if (at % 1000 === 0) log.lines()
    }
    return recorded((tap, log) => times(size, print(tap, log))).lines().entries.length
  },
  consoleLine: (size: number) =>
    recorded(tap => tap.print('process', 'l'.repeat(size))).lines().entries[0]!.text.length,
}
