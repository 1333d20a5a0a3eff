import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { checkReposRoute } from './route.ts'

let app: TestApp
afterEach(() => app.close())

async function open(answer: object): Promise<void> {
  const testService = await openService({ wrap: answering({ '/eval-check-repos': { items: [], ...answer } }) })
  onTestFinished(() => testService.close())
  app = await openApp({ testService, hosted: { openBrowser: async () => undefined }, place: checkReposRoute.to() })
}

describe('the repositories with pull request checks', () => {
  test('are opened by their letter, and the local workspace says why it has none', async () => {
    app = await openApp({ place: checkReposRoute.to() })
    await app.press('1', ',', 'k')
    const frame = await app.see('The local workspace checks no')
    // There is no pane for a selected repository, and no key to read again a list that is always empty.
    expect(frame).not.toContain('No repository is chosen.')
    expect(frame.match(/Open a hosted one with mcpdeck --profile NAME/g)).toHaveLength(1)
    expect(frame).not.toContain('to read again')
    expect(frame).not.toContain('next pane')
  })

  test('show their suite and the effect of a service outage on merges', async () => {
    const items = [{ id: 'chk_1', repo: 'acme/site', enabled: true, suiteId: 'ste_1', outagePolicy: 'fail_closed' }]
    await open({ available: true, items })
    await app.see(/▌acme\/site +on/)
    expect(app.frame()).toMatch(/Suite +ste_1/)
    expect(app.frame()).toMatch(/During an outage +merges are blocked/)
  })

  test('are not reported as missing if the feature is off', async () => {
    await open({ available: false, connectable: null })
    await app.see('Pull request checks are off for')
    await app.close()
    await open({ available: true, connectable: [{ repo: 'acme/site' }] })
    await app.see('No repository is connected to')
    await app.see('Available: acme/site.')
  })
})
