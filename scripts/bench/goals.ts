import { liveName, type LiveSample } from './live.ts'
import { nodePeers } from './peers.ts'
import { number, percent, table, type Run } from './report.ts'
import { LONG, NAMED, SHORT } from './program.ts'
import { median, quantile } from './statistics.ts'
import { idleMilliseconds, type Sample } from './target.ts'

/** A goal of the product, the measured value, and whether it meets the goal. */
type Goal = { measure: string; goal: string; figure: string; met: boolean }

const own = 'mcpdeck, '

/** Returns our figures beside the goals; empty if the run left out figures that they need. */
export function goalsTable(run: Run): string {
  const [long, short, named] = [LONG, SHORT, NAMED].map(what => run.targets.get(`${own}${what}`))
  const goals = [
    ...(long ? listGoals(run, long) : []),
    ...(named ? [startGoal(run, 'first paint of a named place', 1.6, named, 'firstPaint')] : []),
    ...(short ? shortGoals(run, short) : []),
    ...(long && short ? [lengthGoal(long, short)] : []),
    ...(long ? liveGoals(run, long) : []),
    ...oneShotGoals(run),
    ...(long ? nodeGoals(run, long) : []),
  ]
  if (goals.length === 0) return ''
  return table(
    ['goal', 'ours', 'met'],
    goals.map(({ measure, goal, figure, met }) => [`${measure}: ${goal}`, figure, met ? 'yes' : '**no**']),
  )
}

function listGoals(run: Run, samples: readonly Sample[]): Goal[] {
  const of = (pick: (sample: Sample) => number) => samples.map(pick)
  const burst = median(of(each => each.burst.last))
  const exit = median(of(each => each.exit))
  const held = median(of(each => each.held.core))
  const shown = samples.every(each => each.held.answered >= each.held.pressed - 1)
  return [
    startGoal(run, 'first paint', 1.6, samples, 'firstPaint'),
    startGoal(run, 'live, with fresh local data', 4, samples, 'live'),
    startGoal(run, 'all 10,000 rows', 12, samples, 'loaded'),
    ...keyGoals(run.targets, samples),
    atMost('bytes a key', 250, median(samples.flatMap(each => each.keys.map(key => key.bytes)))),
    atMost('bytes a page', 1900, median(samples.flatMap(each => each.pages.map(page => page.bytes)))),
    {
      ...atMost('200 keys at once, ms, last state right', 20, burst, number(burst)),
      met: burst <= 20 && samples.every(each => each.burstRight !== false),
    },
    {
      measure: 'held key',
      goal: '≤ 15% of a core, every frame shown',
      figure: `${percent(held)}, ${shown ? 'every frame' : 'not every frame'}`,
      met: held <= 0.15 && shown,
    },
    idleGoal(samples),
    memoryGoal(75, samples),
    atMost('exit, ms', 60, exit, number(exit)),
  ]
}

function shortGoals(run: Run, samples: readonly Sample[]): Goal[] {
  return [startGoal(run, 'live, 20 rows', 3.5, samples, 'live'), memoryGoal(65, samples, ', 20 rows')]
}

function startGoal(
  { bare }: Run,
  measure: string,
  most: number,
  samples: readonly Sample[],
  time: 'firstPaint' | 'live' | 'loaded',
): Goal {
  const ratio = median(samples.map(each => each[time])) / median(bare)
  return { measure, goal: `≤ ${most}× \`node -e 0\``, figure: `${number(ratio)}×`, met: ratio <= most }
}

function memoryGoal(most: number, samples: readonly Sample[], which = ''): Goal {
  const memory = median(samples.map(each => each.memory))
  return atMost(`memory after start, MB${which}`, most, memory, number(memory))
}

function atMost(measure: string, limit: number, value: number, shown = value.toLocaleString('en')): Goal {
  return { measure, goal: `≤ ${limit.toLocaleString('en')}`, figure: shown, met: value <= limit }
}

function keyGoals(targets: Run['targets'], samples: readonly Sample[]): Goal[] {
  const tig = targets.get('tig')
  if (!tig) return []
  return ([0.5, 0.95] as const).map(share => {
    const [figure, most] = [quantile(keyTimes(samples), share), 1.5 * quantile(keyTimes(tig), share)]
    return {
      measure: `key to paint, p${share * 100}`,
      goal: `≤ 1.5 × tig’s (${number(most)} ms)`,
      figure: `${number(figure)} ms`,
      met: figure <= most,
    }
  })
}

function idleGoal(samples: readonly Sample[]): Goal {
  const bytes = median(samples.map(each => each.idle.bytes))
  const core = median(samples.map(each => each.idle.core))
  return {
    measure: `idle, ${idleMilliseconds / 1000} s`,
    goal: '0 bytes, < 0.1% of a core',
    figure: `${bytes} bytes, ${percent(core)}`,
    met: bytes === 0 && core < 0.001,
  }
}

/** Compares every figure of the list itself that more rows could affect. */
function lengthGoal(long: readonly Sample[], short: readonly Sample[]): Goal {
  const figures: readonly (readonly [string, (samples: readonly Sample[]) => number])[] = [
    ['live', samples => median(samples.map(each => each.live))],
    ['key p50', samples => median(keyTimes(samples))],
    ['bytes a key', samples => median(samples.flatMap(each => each.keys.map(key => key.bytes)))],
    ['held key', samples => median(samples.map(each => each.held.core))],
    ['memory', samples => median(samples.map(each => each.memory))],
  ]
  const ratios = figures.map(([name, figure]) => [name, figure(long) / figure(short)] as const)
  return {
    measure: '10,000 rows against 20',
    goal: 'every figure within 10%',
    figure: ratios.map(([name, ratio]) => `${name} ${ratio.toFixed(2)}×`).join(', '),
    met: ratios.every(([, ratio]) => ratio <= 1.1),
  }
}

function liveGoals(run: Run, idle: readonly Sample[]): Goal[] {
  const samples: readonly LiveSample[] = run.live.get(liveName({ label: '', dist: '' })) ?? []
  if (samples.length === 0) return []
  const bytes = median(samples.map(each => each.waiting.bytes)) / (idleMilliseconds / 1000)
  const core = median(samples.map(each => each.waiting.core))
  const busy = quantile(
    samples.flatMap(each => each.executing),
    0.95,
  )
  const calm = quantile(keyTimes(idle), 0.95)
  return [
    {
      measure: 'one live run on screen that waits for its server',
      goal: '≤ 0.5% of a core, ≤ 300 bytes/s',
      figure: `${percent(core)}, ${number(bytes)} bytes/s`,
      met: core <= 0.005 && bytes <= 300,
    },
    {
      measure: 'a local run of 1,000 cases × 10 executing: key p95',
      goal: `≤ 1.5 × idle’s (${number(1.5 * calm)} ms)`,
      figure: `${number(busy)} ms`,
      met: busy <= 1.5 * calm,
    },
  ]
}

function oneShotGoals({ oneShots }: Run): Goal[] {
  if (oneShots.length === 0) return []
  const ratio = median(oneShots.map(each => each.summary)) / median(oneShots.map(each => each.bare))
  return [
    {
      measure: 'one-shot: `mcpdeck` into a pipe',
      goal: '≤ 2× `node -e 0`',
      figure: `${number(ratio)}×`,
      met: ratio <= 2,
    },
  ]
}

/** The figures in which a peer is compared with mcpdeck; lower is better. */
const compared: readonly (readonly [string, (samples: readonly Sample[]) => number])[] = [
  ['first paint', samples => median(samples.map(each => each.firstPaint))],
  ['key p50', samples => median(keyTimes(samples))],
  ['key p95', samples => quantile(keyTimes(samples), 0.95)],
  ['bytes a key', samples => median(samples.flatMap(each => each.keys.map(key => key.bytes)))],
  ['memory', samples => median(samples.map(each => each.memory))],
]

function nodeGoals({ targets }: Run, own: readonly Sample[]): Goal[] {
  return nodePeers().flatMap(({ name }) => {
    const peer = targets.get(name)
    if (!peer) return []
    const ratios = compared.map(([what, figure]) => [what, figure(peer) / figure(own)] as const)
    return {
      measure: `beside ${name}, a program on Node`,
      goal: 'ahead of it',
      figure: ratios.map(([what, ratio]) => `its ${what} ${number(ratio)}×`).join(', '),
      met: ratios.every(([, ratio]) => ratio >= 1),
    }
  })
}

function keyTimes(samples: readonly Sample[]): number[] {
  return samples.flatMap(each => each.keys.map(key => key.first)).filter(time => !Number.isNaN(time))
}
