import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { tabsKeys } from '../../components/component-keys.ts'
import { imagesKeys } from './index.ts'
import { imagesRoute } from './route.ts'

let app: TestApp
afterEach(() => app.close())

describe('the images', () => {
  test('are opened by their letter, and the local workspace says why it has none', async () => {
    app = await openApp({ place: imagesRoute.to() })
    await app.press('1', ',', 'm')
    await app.see('The local workspace builds no')
    await app.resize({ width: 200, height: 50 })
    await app.see(/The local workspace builds no.* │\n/)
    expect(app.frame()).not.toContain('No image is chosen.')
  })

  test('of a service show who can use them, their builds with the end of the log, and their blueprint', async () => {
    const build = (id: string, more: object) => ({ id, provider: 'e2b', baseImageDigests: [], createdAt: 0, ...more })
    const failed = build('bld_2', { status: 'failed', error: 'no space left', logPreview: 'step 1\nstep 2' })
    const items = [
      {
        id: 'img_1',
        name: 'python',
        sharing: 'project',
        currentBuild: failed,
        blueprint: 'base: python',
        createdAt: 0,
      },
      { id: 'img_2', name: 'draft', sharing: 'user', currentBuild: null, createdAt: 0 },
    ]
    const ready = build('bld_1', { status: 'ready', startedAt: 1000, finishedAt: 4000 })
    const wrap = answering({ '/images': { items }, '/images/img_1/builds': { items: [failed, ready] } })
    const testService = await openService({ wrap })
    onTestFinished(() => testService.close())
    app = await openApp({ testService, hosted: { openBrowser: async () => undefined }, place: imagesRoute.to() })
    await app.see(/▌python +failed/)
    expect(app.frame()).toMatch(/draft +never built/)
    await app.press(imagesKeys.bindings.open, tabsKeys.bindings.next)
    await app.see(/Error +no space left/)
    expect(app.frame()).toContain('step 2')
    expect(app.frame()).toMatch(/Took +3s/)
    await app.press(tabsKeys.bindings.next)
    await app.see('base: python')
  })
})
