import { describe, expect, test } from 'vitest'
import { openStage } from './stage.ts'

const SERVERS = 'GET /projects/p1/servers'
const WIDE = 9_000

describe.concurrent('a list that gives a new cursor with every page', () => {
  const servers = (nth: number, isLast: boolean) => ({
    items: Array.from({ length: WIDE }, (_, at) => ({
      id: `s${nth}-${at}`,
      name: `s${nth}-${at}`,
      enabled: true,
      transportType: 'http',
    })),
    ...(!isLast && { nextCursor: `c${nth}` }),
  })

  test.for([
    ['get', ['get', 'servers', '--json']],
    ['api', ['api', 'listProjectServers', '--field', 'projectId=p1', '--paginate']],
  ] as const)('is read up to the limits by %s, which says so', async ([, command], ending) => {
    const { home, service } = await openStage(ending)
    let nth = 0
    service.answers[SERVERS] = () => ({ body: servers((nth += 1), nth === 5) })
    const cut = await home.run(command, { env: service.env })
    expect((JSON.parse(cut.stdout) as { items: unknown[] }).items).toHaveLength(3 * WIDE)
    expect(cut.stderr).toContain('The list is not complete.')
    expect(cut.stderr).toContain('27000 items on 3 pages were read, and there are more.')
    expect(cut.code).toBe(3)
    nth = 0
    const whole = await home.run([...command, '--all'], { env: service.env })
    expect((JSON.parse(whole.stdout) as { items: unknown[] }).items).toHaveLength(5 * WIDE)
    expect(whole).toMatchObject({ code: 0, stderr: '' })
  })

  test('is not used to look up a name', async ending => {
    const { home, service } = await openStage(ending)
    let nth = 0
    service.answers[SERVERS] = () => ({ body: servers((nth += 1), false) })
    const { code, stdout, stderr } = await home.run(['get', 'server', 'missing'], { env: service.env })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('List not complete')
  })
})
