import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { promptsKeys, resourcesKeys } from '../../screens/servers/bindings.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { foldKeys, sourceKeys, textSearchKeys, viewerKeys } from '../component-keys.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))

let testService: TestService
let place: (tab: string) => ReturnType<typeof serversRoute.to>
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const program = { transportType: 'stdio' as const, command: process.execPath, args: [small, 'markdown'] }
  const { id } = await client.servers.create({ projectId, body: { name: 'docs', enabled: true, ...program } })
  place = tab => serversRoute.to({ projectId, serverId: id, pane: 'detail', tab })
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function read(tab: string, ...keys: Parameters<TestApp['press']>): Promise<string> {
  app = await openApp({ testService, place: place(tab) })
  await app.see('listed')
  await app.press(...keys)
  return await app.see('It has two things')
}

describe('a resource that is Markdown', () => {
  test('is laid out without control characters, and is shown as written on request', async () => {
    const laid = await read('resources', resourcesKeys.bindings.read)
    expect(laid).toContain('It has two things, see its page (https://small.test/docs) and')
    expect(laid).toMatch(/pid +│ +1 │ 日本語/)
    expect(laid).toContain('│ json')
    expect(laid).toContain('␛[2J')
    expect(laid).toContain('<b onclick="x">raw</b>')
    expect(laid).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    await app.press(sourceKeys.bindings.source)
    await app.see('It has **two** things, see [its page](https://small.test/docs)')
    await app.press(sourceKeys.bindings.source)
    await app.see('It has two things')
  })

  test('folds at its headings, by key and by click, and all at once', async () => {
    await read('resources', resourcesKeys.bindings.read)
    await app.click('## Tools')
    await app.see(frame => !frame.includes('日本語') && frame.includes('## Evil'))
    await app.press(foldKeys.bindings.fold)
    await app.see('日本語')
    await app.press(foldKeys.bindings.foldAll)
    await app.see(frame => frame.includes('▸ Contents') && !frame.includes('# Small server'))
    await app.press(foldKeys.bindings.unfoldAll)
    await app.see('"mimeType": "text/markdown"')
  })

  test('is searched even inside folds; addresses, blocks and code can be copied', async () => {
    await read('resources', resourcesKeys.bindings.read)
    await app.see('its page (https://small.test/docs)')
    await app.click('## Tools')
    await app.press(viewerKeys.bindings.search)
    await app.type('two THINGS, see its')
    await app.press('enter')
    await app.see(/1 of 1$|1 of 1 /m)
    await app.press(sourceKeys.bindings.copyAddress)
    await app.see('Copied https://small.test/docs (1 of 2).')
    await app.press(sourceKeys.bindings.copyAddress)
    await app.see('Copied https://small.test/ (2 of 2).')
    await app.press(foldKeys.bindings.copy, textSearchKeys.bindings.end, viewerKeys.bindings.search)
    await app.type('"a": 1')
    await app.press('enter')
    await app.see(/▌.*│ { "a": 1/)
    await app.press(foldKeys.bindings.copy)
    expect(app.copied).toEqual([
      'https://small.test/docs',
      'https://small.test/',
      'It has **two** things, see [its page](https://small.test/docs) and <https://small.test/>.',
      '{ "a": 1 }',
    ])
  })
})

test('a very long resource in Markdown opens at its start and is searched to its end', async () => {
  app = await openApp({ testService, place: place('resources') })
  await app.see('listed')
  await app.press('j', resourcesKeys.bindings.read)
  await app.see(/# Long[^]*## Chapter[^]*A word and another\./)
  await app.press(viewerKeys.bindings.search)
  await app.type('the very end')
  await app.press('enter')
  await app.see(/▌.*The very end\./)
  await app.see('1 of 1')
  await app.press(sourceKeys.bindings.source)
  await app.see('A *word* and another.')
})

test('the messages of a prompt are a conversation with their text laid out', async () => {
  const laid = await read('prompts', promptsKeys.bindings.render)
  expect(laid).toMatch(/▾ user[^]*It has two things/)
  await app.press(viewerKeys.bindings.wrap)
  await app.see(/see its page \(https:\S* ?…|and https:\/\/small\.test\/\./)
})
