import './tour/clock.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHome, removeHome } from '../test/pty/home.ts'
import { ensureBuilt } from './ensure-built.ts'
import { root } from './paths.ts'
import { access } from './tour/access.ts'
import { agent } from './tour/agent.ts'
import { newcomer } from './tour/newcomer.ts'
import { nightly } from './tour/nightly.ts'
import { onCall } from './tour/on-call.ts'
import type { Chapter } from './tour/recorder.ts'
import { workbench } from './tour/workbench.ts'
import { triage } from './tour/triage.ts'

const ABOUT = `# A tour

Screens of the real program, written by \`npm run tour\`: every key that is told was pressed in a pseudo-terminal, and what it shows was waited for.
The clock of the recording is set; ids are zeros and durations nines, so that two recordings hardly differ. Where a screen is cut, \`⋮\` says so and
its last line follows. The pictures are made of the same cells.`

await ensureBuilt()
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
