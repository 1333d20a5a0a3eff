import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp, type TestApp } from '../../test/harness.tsx'
import * as declared from './screens.ts'

/** Lists whose items cannot be created with a key, or which the local workspace does not have. */
const MADE_ELSEWHERE = ['Findings', 'Images', 'Plugins', 'Repository checks']
/** Screens that belong to no single project, or always have a row. */
const NEVER_EMPTY = ['Now', 'Account', 'Projects', 'Swarms']

const withKey = Object.values(declared).filter(({ title }) => ![...MADE_ELSEWHERE, ...NEVER_EMPTY].includes(title))

let app: TestApp
let projectId: string

beforeAll(async () => {
  app = await openApp({
    size: { width: 400, height: 24 },
    aloud: true,
    place: async client => {
      const { organizationId } = (await client.projects.list()).items[0]!
      const body = { name: 'Empty', organizationId: organizationId! }
      projectId = (await client.projects.create({ body })).id
      return declared.notebookScreen.route.to()
    },
  })
})
afterAll(() => app.close())

test.each(withKey.map(screen => [screen.title, screen] as const))(
  'the empty list of %s says that it is empty, and names the key to press',
  async (title, { route }) => {
    app.router.go(route.to({ projectId }))
    const frame = await app.see(new RegExp(`\\[(\\d )?${title}\\][^]*Press`))
    expect(frame).toMatch(/^ *(No|Nothing|This|There)\b.*\. *\n.*\bPress \S+ to .*\. *$/m)
  },
)
