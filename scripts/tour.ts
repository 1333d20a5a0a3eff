import './tour/clock.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHome, removeHome } from '../test/pty/home.ts'
import { ensureBuilt } from './ensure-built.ts'
import { root } from './paths.ts'
import { access } from './tour/access.ts'
import { agent } from './tour/agent.ts'
import { film } from './tour/film.ts'
import { newcomer } from './tour/newcomer.ts'
import { nightly } from './tour/nightly.ts'
import { onCall } from './tour/on-call.ts'
import type { Chapter } from './tour/recorder.ts'
import { workbench } from './tour/workbench.ts'
import { triage } from './tour/triage.ts'

const ABOUT = `# A tour

The real program at work. \`npm run tour\` presses every key below in a pseudo-terminal and records the screens. The clock is fixed; ids are
zeros and durations nines. A stop shows the rows that its keys changed and the last one; \`⋮\` stands for the others.`

await ensureBuilt()
await film()
const chapters: Chapter[] = []
const home = createHome()
try {
  for (const story of [newcomer, workbench, onCall, triage, agent, access, nightly]) {
    process.stderr.write(`${story.name}\n`)
    chapters.push(await story(home))
  }
} finally {
  removeHome(home)
}
await writeFile(join(root, 'docs/tour.md'), `${[ABOUT, ...chapters].join('\n\n')}\n`)
