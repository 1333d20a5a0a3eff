import { createHome, removeHome } from '../pty/home.ts'
import { withRunningTest } from '../service/harness.ts'

/** An empty home that goes away with the test. */
export function newHome(ending = withRunningTest): string {
  const home = createHome()
  ending.onTestFinished(() => removeHome(home))
  return home
}
