import type { PaintedScreen } from './cli/dashboard/last-screen.ts'
import { run } from './cli/program.ts'

/** Runs the program; passes the picture that the boot file painted to the dashboard, or removes it. */
export async function start(painted: PaintedScreen | undefined): Promise<void> {
  const code = await run(process.argv.slice(2), painted)
  if (code === undefined) return
  process.exitCode = code
  // Everything is already written and closed then; destroying V8's heap as well would cost a call some 5 ms.
  process.once('beforeExit', () => process.exit())
}
