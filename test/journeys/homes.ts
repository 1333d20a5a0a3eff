import { createHome, createUsedHome, removeHome } from '../pty/home.ts'
import { withRunningTest } from '../service/harness.ts'

/** An empty home that goes away with the test. */
export function newHome(ending = withRunningTest): string {
  return untilTheEnd(createHome(), ending)
}

/** A home after a first start, which goes away with the test. */
export function usedHome(ending = withRunningTest): string {
  return untilTheEnd(createUsedHome(), ending)
}

function untilTheEnd(home: string, ending: typeof withRunningTest): string {
  ending.onTestFinished(() => removeHome(home))
  return home
}
