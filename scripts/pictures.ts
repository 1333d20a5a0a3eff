import './tour/clock.ts'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { screens } from '../src/app/registry.ts'
import { formatPlace } from '../src/tui/router/place.ts'
import type { ScreenDeclaration } from '../src/tui/router/screen.ts'
import { createHome, removeHome } from '../test/pty/home.ts'
import type { Terminal } from '../test/pty/terminal.ts'
import { ensureBuilt } from './ensure-built.ts'
import { root } from './paths.ts'
import { BACKGROUNDS, photograph, settled } from './pictures/photograph.ts'
import { fileOf, SIZES } from './pictures/screens.ts'
import { prepareStage } from './pictures/stage.ts'
import { openOnTheDay, press } from './tour/recorder.ts'

const { values } = parseArgs({
  options: {
    // Screens to record; all by default.
    only: { type: 'string', multiple: true },
  },
})

await ensureBuilt()
const home = createHome()
try {
  await using stage = await prepareStage(home)
  await pin()
  for (const screen of screens)
    if (!values.only || values.only.includes(screen.route.screen)) await record(screen, stage.projectId)
} finally {
  removeHome(home)
}

function open(place: string): Terminal {
  const command = process.execPath
  return openOnTheDay({ ...SIZES[0], home, command, args: [join(root, 'dist/boot.js'), place] })
}

/** Pins the first line of Now into the notebook, with a note. */
async function pin(): Promise<void> {
  await using terminal = open('now')
  const keys = [
    // Until the run itself is read, only the facts in its suite's record could be pinned.
    /▌(?:high|medium)[^\n]* #\d/,
    'P',
    /Pinned/,
    { text: 'Seen by the release desk.' },
    'enter',
  ]
  for (const key of [...keys, /into/]) await press(terminal, key)
}

async function record(screen: ScreenDeclaration, projectId: string): Promise<void> {
  process.stderr.write(`${screen.title}\n`)
  await using terminal = open(formatPlace([screen.route], screen.route.to({ projectId })))
  await terminal.waitFor(new RegExp(`\\[\\d? ?${screen.title}`))
  await settled(terminal)
  for (const size of SIZES) {
    terminal.resize(size.cols, size.rows)
    await settled(terminal)
    const title = `${screen.title}, ${size.cols}×${size.rows}`
    const name = screen.route.screen
    for (const background of BACKGROUNDS)
      await photograph(terminal, { file: fileOf(name, size, background), title, background })
  }
}
