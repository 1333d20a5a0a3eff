import { createHome, createUsedHome, removeHome } from '../pty/home.ts'
import { withRunningTest } from '../service/harness.ts'

/** Returns an empty home that is removed after the test. */
export function newHome(ending = withRunningTest): string {
  return untilTheEnd(createHome(), ending)
}

/** Returns a home after a first start, which is removed after the test. */
export function usedHome(ending = withRunningTest): string {
  return untilTheEnd(createUsedHome(), ending)
}

function untilTheEnd(home: string, ending: typeof withRunningTest): string {
  ending.onTestFinished(() => removeHome(home))
  return home
}
