import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** The expected files are read from the code, because coverage of a screen cannot tell a launch from rendering. */
const OF_SCREENS = [
  'hooks/notify.tsx',
  'hooks/tasks.tsx',
  'hooks/use-write.tsx',
  'screens/runs/launch/launch-form.tsx',
  'screens/runs/launch/use-launch.tsx',
]
const MOST = 50

test('a launch runs through no more files than docs/architecture.md says', () => {
  const program = fileURLToPath(new URL('../launched-files.ts', import.meta.url))
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  const files = [...OF_SCREENS, ...(JSON.parse(printed) as string[])]
  const of = (...rooms: string[]) => files.filter(file => rooms.some(room => file.startsWith(`${room}/`))).length
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST)
  expect(page).toContain(`functions of ${files.length} files run from the form to the rows`)
  expect(page).toContain(
    `${of('hooks', 'screens')} of hooks and screens (the form, what opened it, the write, its task, its sentence), ` +
      `${of('api')} of client and contract, ${of('service')} of the service, ${of('lib')} of lib and one of domain`,
  )
})
