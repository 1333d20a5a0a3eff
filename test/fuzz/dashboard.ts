import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'
import { randomKeys } from '../random-service/keys.ts'
import { randomNumbers } from '../random-numbers.ts'
import { Findings, type Part } from './part.ts'
import { attacksOf, openProxy } from './proxy.ts'
import { pressAndLook } from './session.ts'
import type { Stage } from './stage.ts'

const KEYS = 42
const SIZES = [
  [120, 40],
  [80, 24],
  [61, 16],
  [200, 60],
] as const

/** Places to start at, because random keys rarely reach deep screens. */
export function placesOf({ projectId, serverId, failing, scenarioId }: Stage): (string | undefined)[] {
  const project = `projects/${projectId}`
  return [
    undefined,
    'now',
    'projects',
    'notebook',
    `${project}/servers`,
    `${project}/servers/${serverId}`,
    `${project}/runs`,
    `${project}/runs/${failing.runId}`,
    `${project}/findings`,
    `${project}/scenarios/${scenarioId}`,
  ]
}

/** The dashboard in a terminal, with random keys and a service whose answers are corrupted on the way. */
export const dashboard: Part = {
  name: 'dashboard',
  says: 'the dashboard behind a proxy that spoils answers',
  async round({ stage, seed, limits }) {
    const findings = new Findings('dashboard', seed)
    const random = randomNumbers(seed)
    await using proxy = await openProxy({ target: stage.baseUrl, seed, ...attacksOf(random) })
    const place = random.pick(placesOf(stage))
    const [cols, rows] = random.pick(SIZES)
    const home = createHome()
    try {
      await using terminal = openTerminal({
        isPlain: true,
        args: place === undefined ? [] : [place],
        env: { MCPDECK_BASE_URL: proxy.baseUrl, MCPDECK_API_KEY: stage.key, EDITOR: 'true', VISUAL: 'true' },
        home,
        cols,
        rows,
      })
      await pressAndLook({
        terminal,
        keys: randomKeys(seed),
        count: KEYS,
        limits,
        findings,
        doing: `mcpdeck ${place ?? ''}, ${cols}×${rows}`,
        mutations: () => proxy.done,
      })
      for (const leak of proxy.leaks)
        findings.add(`leak: ${leak}`, { doing: '', mutations: proxy.done, screen: terminal.screen() })
    } finally {
      removeHome(home)
    }
    return findings.problems
  },
}
