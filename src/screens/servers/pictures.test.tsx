import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { fileKeys } from '../../components/component-keys.ts'
import { callsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const keys = fileKeys.bindings

let testService: TestService
let ids: { projectId: string; serverId: string }
let app: TestApp
let folder: string

beforeAll(async () => {
  testService = await openService()
  const projectId = (await testService.client.projects.list()).items[0]!.id
  ids = { projectId, serverId: (await testService.client.servers.list({ projectId })).items[0]!.id }
  folder = mkdtempSync(join(tmpdir(), 'mcpdeck-pictures-'))
})
afterAll(async () => {
  await testService.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => app.close())

async function open(tab: string, opened: string[] = [], obstacle?: string): Promise<void> {
  const openFile = async (path: string) => {
    opened.push(path)
    return obstacle
  }
  const place = serversRoute.to({ pane: 'detail', tab, ...ids })
  app = await openApp({ testService, size: { width: 120, height: 40 }, place, openFile })
}

async function showPicture(...given: [opened?: string[], obstacle?: string]): Promise<Buffer> {
  const result = await testService.client.servers.callTool({
    ...ids,
    body: { toolName: 'get-tiny-image', parameters: {} },
  })
  const { data } = result.content!.find(block => block['type'] === 'image') as unknown as { data: string }
  await open('calls', ...given)
  await app.see(/answered +call +get-tiny-image/)
  await app.press(callsKeys.bindings.show)
  await app.see('20×20 pixels')
  return Buffer.from(data, 'base64')
}

test('a picture is saved for its owner only, and no file is replaced without a question', async () => {
  const bytes = await showPicture()
  await app.see('Not drawn: there are no colours here.')
  const file = join(folder, 'logo.png')
  const save = async (): Promise<void> => {
    await app.press(keys.save)
    await app.see(`image/png, ${bytes.length.toLocaleString('en-US')} bytes, readable only by you.`)
    await app.see('> image.png')
    await app.press('ctrl+u')
    await app.type(file)
    await app.press('enter')
  }
  await save()
  await app.see('Wrote ')
  expect(readFileSync(file)).toEqual(bytes)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'mine')
  await save()
  await app.see('The file exists')
  await app.press('enter')
  await app.see(frame => !frame.includes('The file exists'))
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test('a picture is opened after a question, from a copy that only its owner can read', async () => {
  const opened: string[] = []
  const bytes = await showPicture(opened)
  await app.press(keys.open)
  await app.see('Open it on your desktop?')
  expect(opened).toEqual([])
  await app.press('down', 'enter')
  await app.see('Opened ')
  const [path = ''] = opened
  onTestFinished(() => rmSync(dirname(path), { recursive: true }))
  expect(path).toMatch(/file\.png$/)
  expect(readFileSync(path)).toEqual(bytes)
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
})

test('no copy is left if there is no desktop', async () => {
  const opened: string[] = []
  await showPicture(opened, 'There is no desktop here.')
  await app.press(keys.open)
  await app.see('Open it on your desktop?')
  await app.press('down', 'enter')
  await app.see('There is no desktop here.')
  expect(existsSync(dirname(opened[0]!))).toBe(false)
})

test('a file that is not a picture, sound, video or PDF is saved, not opened', async () => {
  const opened: string[] = []
  const parameters = { name: 'note.gz', data: 'data:text/plain,hello', outputType: 'resource' }
  await testService.client.servers.callTool({ ...ids, body: { toolName: 'gzip-file-as-resource', parameters } })
  await open('calls', opened)
  await app.see(/answered +call +gzip-file/)
  await app.press(callsKeys.bindings.show)
  await app.see('blob application/gzip')
  await app.press(keys.open)
  await app.see(/Only pictures, sounds, videos and PDF are opened; this is application\/gzip, \d+ bytes\./)
  await app.press(keys.save)
  await app.see('> note.gz')
  expect(opened).toEqual([])
})
