import { expect } from 'vitest'
import type { Conclusion } from '../../src/cli/follow/conclusion.ts'
import type { Ending } from '../service/harness.ts'
import { openHome } from './program.ts'
import { openRunsDouble } from './runs-double.ts'

/**
 * A home and a service for one test, removed when the test ends. Tests that start the program mostly wait, so those of
 * a file run concurrently.
 */
export async function openStage(ending: Ending) {
  const home = await openHome()
  ending.onTestFinished(() => home.close())
  const service = await openRunsDouble()
  ending.onTestFinished(() => service.close())
  const watch = (...args: string[]) => home.run(['watch', ...args], { env: service.env })
  return {
    home,
    service,
    watch,
    /** The conclusion of `watch`, which is also its exit code. */
    async conclusionOf(...args: string[]) {
      const { code, stdout, stderr } = await watch(...args, '--json')
      const end = JSON.parse(stdout) as Conclusion
      expect(end.exitCode).toBe(code)
      return { code, stderr, end }
    },
  }
}
